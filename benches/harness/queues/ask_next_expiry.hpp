#pragma once

/// Asks a queue for its next expiry, and times the answer.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "benches/harness/absence.hpp"
#include "benches/harness/queues/pass.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/harness/time_stamp_counter.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

inline constexpr std::size_t kQuestions = 100;

/// The deadlines that a schedule inserts, in ascending order.
inline std::vector<Tick> sorted_deadlines(const Schedule& schedule) {
  std::vector<Tick> deadlines;
  for (const Step& step : schedule.steps) {
    if (step.verb() == Step::Verb::insert) deadlines.push_back(step.tick);
  }
  std::sort(deadlines.begin(), deadlines.end());
  return deadlines;
}

/// Whether the contract allows this answer after an `expire` to `now`, when `pending` timers are
/// left. `earliest` is the first deadline after now. All timers were inserted at tick 0.
template <class Queue>
bool is_right(std::optional<Tick> answer, std::optional<Tick> earliest, Tick now,
              std::size_t pending) {
  constexpr Promises kPromises = promises_of<Queue>();
  constexpr bool kIsExact = kPromises.max_wakes == &Promises::one_wake;
  if (!answer || pending == 0) return !answer && pending == 0;
  if (*answer <= now) return false;
  if (!earliest) return kMayBeLate<Queue>;  // Only timers are left that run late.
  if (kIsExact && !kMayBeLate<Queue>) return *answer == *earliest;
  return *answer <= *earliest + kPromises.max_lateness(*earliest);
}

/// Asks after each measured step, which moves time. `absence()` says when the thread was off the
/// processor so far. If it was off while it asked, it asks again.
template <auto absence>
class AskAfterEachTickBy {
 public:
  template <class Queue>
  static constexpr bool kCanBeTakenBy = HasNextExpiry<Queue>;
  static constexpr std::size_t kOperationsACall = kQuestions;
  static constexpr bool kWindowIsLikeTheWhole = true;

  explicit AskAfterEachTickBy(const Schedule& schedule) : deadlines_(sorted_deadlines(schedule)) {}

  /// Takes steps until `end`, or until the budget is spent. Times only the answers.
  template <class Queue, class Witness>
  Timing operator()(Playback<Queue>& replay, std::size_t end, Seconds budget, Witness& witness) {
    Seconds taken{};
    while (replay.position() != end && taken < budget) {
      const Tick now = replay.next_step().tick;
      replay.run_until(replay.position() + 1, witness);
      earliest_ = std::upper_bound(earliest_, deadlines_.cend(), now);
      Queue& queue = replay.queue();
      const auto [answer, time] = ask_undisturbed(queue);
      taken += time;
      std::optional<Tick> deadline;
      if (earliest_ != deadlines_.cend()) deadline = *earliest_;
      if (!is_right<Queue>(answer, deadline, now, queue.size())) {
        throw std::runtime_error(fmt::format("next_expiry is wrong after tick {}", now));
      }
    }
    return {.seconds = taken.count()};
  }

  template <class Queue>
  static void count(benchmark::UserCounters&, const Queue&) {}

 private:
  struct Answer {
    std::optional<Tick> tick;
    Seconds time;  // of all questions together, without that of the counter
  };

  template <class Queue>
  static Answer ask_undisturbed(Queue& queue) {
    for (;;) {
      const Absence before = absence();
      const Answer answer = ask(queue);
      if ((absence() - before).switches == 0) return answer;
    }
  }

  template <class Queue>
  static Answer ask(Queue& queue) {
    std::optional<Tick> answer;
    const auto begin = TimeStampCounter::now();
    for (std::size_t question = 0; question < kQuestions; ++question) {
      benchmark::DoNotOptimize(&queue);
      benchmark::ClobberMemory();
      answer = queue.next_expiry();
      benchmark::DoNotOptimize(answer);
    }
    const auto ticks = TimeStampCounter::since(begin);
    return {answer, Seconds(1e-9 * static_cast<double>(ticks) * TimeStampCounter::nanoseconds())};
  }

  std::vector<Tick> deadlines_;                                       // in ascending order
  std::vector<Tick>::const_iterator earliest_ = deadlines_.cbegin();  // the first one that has not
                                                                      // come yet
};

using AskAfterEachTick = AskAfterEachTickBy<&absence_so_far>;

}  // namespace timers::benches
