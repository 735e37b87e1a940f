#include "benches/harness/queues/turns.hpp"

#include <algorithm>

namespace timers::benches {

namespace {

constexpr std::size_t kShort = std::size_t{1} << 16;  // steps
constexpr std::size_t kLong = std::size_t{1} << 18;   // steps
constexpr std::size_t kMostTogether = 2'000'000;      // timers of each queue: some 300 MB
constexpr std::size_t kSmallestBlock = 8 * kStepsOfASegment;
constexpr std::size_t kLargestBlock = 64 * kStepsOfASegment;

std::size_t block_of(const Schedule& schedule) {
  const std::size_t segments = schedule.slots / kStepsOfASegment + 1;
  return std::clamp(segments * kStepsOfASegment, kSmallestBlock, kLargestBlock);
}

}  // namespace

Turn whole_pass(const Input& input) {
  Turn turn;
  const auto add = [&](std::size_t number, bool is_timed) {
    const Schedule& schedule = input.schedules[number];
    if (schedule.measured_begin > 0) turn.push_back({number, 0, schedule.measured_begin, false});
    turn.push_back({number, schedule.measured_begin, schedule.measured_end, is_timed});
  };
  const std::size_t last = input.schedules.size() - 1;
  if (input.schedules[last].steps.size() < kShort) add(last, false);
  for (std::size_t number = 0; number <= last; ++number) add(number, true);
  return turn;
}

std::vector<Turn> pass_in_blocks(const Schedule& schedule, std::size_t parity) {
  const std::size_t block = block_of(schedule);
  const std::size_t end = schedule.measured_end;
  std::size_t untimed_begin = schedule.measured_begin - std::min(block, schedule.measured_begin);
  if (parity == 0) untimed_begin = schedule.measured_begin;
  std::size_t timed_begin = schedule.measured_begin + (parity == 0 ? block : 0);

  std::vector<Turn> turns;
  if (untimed_begin > 0) turns.push_back({{0, 0, untimed_begin, false}});
  while (timed_begin < end) {
    Turn turn;
    if (untimed_begin < timed_begin) turn.push_back({0, untimed_begin, timed_begin, false});
    untimed_begin = std::min(timed_begin + block, end);
    turn.push_back({0, timed_begin, untimed_begin, true});
    turns.push_back(turn);
    timed_begin = untimed_begin + block;
  }
  if (untimed_begin < end) turns.push_back({{0, untimed_begin, end, false}});
  return turns;
}

bool has_blocks(const Input& input) {
  const Schedule& schedule = input.schedules.front();
  const std::size_t measured = schedule.measured_end - schedule.measured_begin;
  return schedule.steps.size() > kLong && measured >= 4 * block_of(schedule) &&
         schedule.slots <= kMostTogether;
}

std::size_t most_turns(const Input& input) {
  if (!has_blocks(input)) return 1;
  const Schedule& schedule = input.schedules.front();
  return std::max(pass_in_blocks(schedule, 0).size(), pass_in_blocks(schedule, 1).size());
}

}  // namespace timers::benches
