#include "benches/harness/queues/turns.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace timers::benches {

namespace {

constexpr std::size_t kShort = std::size_t{1} << 16;  // steps
constexpr std::size_t kMostTogether = 2'000'000;      // timers of each queue: about 300 MB
constexpr std::size_t kSmallestBlock = 8 * kStepsOfASegment;
constexpr std::size_t kLargestBlock = 64 * kStepsOfASegment;

std::size_t block_of(const Schedule& schedule) {
  const std::size_t segments = schedule.slots / kStepsOfASegment + 1;
  return std::clamp(segments * kStepsOfASegment, kSmallestBlock, kLargestBlock);
}

}  // namespace

Turn whole_pass(const Input& input, Timed timed) {
  Turn turn;
  const auto add = [&](std::size_t number, Timed of_measured) {
    const Schedule& schedule = input.schedules[number];
    const std::size_t begin = schedule.measured_begin;
    if (begin > 0) turn.push_back({number, 0, begin, Timed::nothing});
    turn.push_back({number, begin, schedule.measured_end, of_measured});
  };
  const std::size_t last = input.schedules.size() - 1;
  if (input.schedules[last].steps.size() < kShort) add(last, Timed::nothing);
  for (std::size_t number = 0; number <= last; ++number) add(number, timed);
  return turn;
}

std::vector<Turn> pass_in_blocks(const Schedule& schedule, std::size_t pass) {
  const std::size_t block = block_of(schedule);
  const std::size_t measured_begin = schedule.measured_begin;
  const std::size_t measured_end = schedule.measured_end;
  const std::size_t first_of_calls = pass % kBlocksOfATurn;
  std::vector<Turn> turns;
  Turn turn;
  const auto add = [&](std::size_t begin, std::size_t end, Timed timed) {
    if (begin < end) turn.push_back({0, begin, end, timed});
  };
  const auto end_turn = [&] {
    if (!turn.empty()) turns.push_back(std::exchange(turn, {}));
  };
  // Whatever comes directly before a block of segments brings the cache back; it may be a part of
  // the set-up.
  const std::size_t set_up_again = first_of_calls == 0 ? 0 : std::min(block, measured_begin);
  add(0, measured_begin - set_up_again, Timed::nothing);
  end_turn();
  add(measured_begin - set_up_again, measured_begin, Timed::nothing);
  for (std::size_t number = 0, begin = measured_begin; begin != measured_end; ++number) {
    const std::size_t end = begin + std::min(block, measured_end - begin);
    if (number % kBlocksOfATurn == first_of_calls) {
      end_turn();
      const std::size_t middle = begin + (end - begin) / 2;
      add(begin, middle, Timed::long_calls);
      add(middle, end, Timed::calls);
    } else {
      add(begin, end, Timed::segments);
    }
    begin = end;
  }
  end_turn();
  return turns;
}

bool has_blocks(const Schedule& schedule, std::size_t steps_without_a_break) {
  const std::size_t measured = schedule.measured_end - schedule.measured_begin;
  return schedule.steps.size() > steps_without_a_break && measured >= 4 * block_of(schedule) &&
         schedule.slots <= kMostTogether;
}

bool has_blocks(const Input& input) {
  return has_blocks(input.schedules.front(), input.steps_without_a_break);
}

std::size_t most_turns(const Input& input) {
  if (!has_blocks(input)) return 1;
  const Schedule& schedule = input.schedules.front();
  std::size_t most = 0;
  for (std::size_t pass = 0; pass < kBlocksOfATurn; ++pass) {
    most = std::max(most, pass_in_blocks(schedule, pass).size());
  }
  return most;
}

}  // namespace timers::benches
