#pragma once

/// Takes a queue once through a schedule, while callgrind simulates a machine and counts.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "benches/harness/queues/ask_next_expiry.hpp"
#include "benches/harness/queues/audit.hpp"
#include "benches/harness/queues/next_wake.hpp"
#include "benches/harness/queues/pass.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/prediction.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/harness/queues/window.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// A schedule whose measured steps are counted, and what every correct queue shows on it. Of the
/// steps after the measured ones only the last stays, by which all timers are due.
struct CountedInput {
  explicit CountedInput(Schedule of_schedule)
      : schedule(ending_with_measured_steps(std::move(of_schedule))),
        warm_begin(warm_begin_of(schedule)),
        expected(predict(schedule)) {}

  static Schedule ending_with_measured_steps(Schedule schedule) {
    const auto end = schedule.steps.begin() + static_cast<std::ptrdiff_t>(schedule.measured_end);
    schedule.steps.erase(end, schedule.steps.end() - 1);
    return schedule;
  }

  Schedule schedule;
  std::size_t warm_begin;
  Proof expected;
};

/// Takes the steps. The code that warms the branch predictor must be the same as the code that is
/// counted, so this function is never inlined. All code of the queue and of the witness is inlined
/// into it, as in the timed benches.
template <class AnyPlayback, class Witness>
[[gnu::noinline, gnu::flatten]] void take_steps(AnyPlayback& replay, std::size_t end,
                                                Witness& witness) {
  replay.run_until(end, witness);
}

/// Ways through the counted steps. Each way says which queues support it, and which part of a
/// schedule it counts. A pass returns whether the queue is fast enough to be counted.
class CountSteps {
 public:
  template <class Queue>
  static constexpr bool kCanTake = true;

  static void cut(Schedule& schedule) { cut_to_window(schedule); }

  explicit CountSteps(const Schedule& /*schedule*/) {}

  template <class AnyPlayback, class Witness>
  bool operator()(AnyPlayback& replay, std::size_t end, Witness& witness) const {
    take_steps(replay, end, witness);
    return true;
  }

  static std::size_t operations(std::size_t of_steps) { return of_steps; }
};

/// Moves time like a thread that sleeps until the next expiry. Timers end one after the other,
/// short delays first, so a window would not represent the whole. A queue that wants to be called
/// in vain more than `kMostInVain` times is too slow.
class CountWakes {
 public:
  static constexpr std::size_t kMostInVain = 100'000;

  template <class Queue>
  static constexpr bool kCanTake = true;

  static void cut(Schedule& /*schedule*/) {}

  explicit CountWakes(const Schedule& /*schedule*/) {}

  template <class AnyPlayback, class Witness>
  [[gnu::noinline, gnu::flatten]] bool operator()(AnyPlayback& replay, std::size_t end,
                                                  Witness& witness) const {
    using Queue = std::remove_reference_t<decltype(replay.queue())>;
    std::size_t in_vain = 0;
    while (replay.position() != end) {
      const Step& step = replay.next_step();
      const Tick wake =
          step.verb() == Step::Verb::expire ? next_wake(replay.queue(), step.tick) : 0;
      if (wake != 0 && wake < step.tick) {
        if (++in_vain > kMostInVain) return false;
        replay.expire(wake, witness);
      } else if (kMayBeLate<Queue> && wake > step.tick) {
        replay.skip_to(replay.position() + 1);
      } else {
        replay.run_until(replay.position() + 1, witness);
      }
    }
    return true;
  }

  static std::size_t operations(std::size_t of_steps) { return of_steps; }
};

/// Asks for the next expiry after each step, which moves time. Only the questions count.
class CountQuestions {
 public:
  template <class Queue>
  static constexpr bool kCanTake = HasNextExpiry<Queue>;

  static void cut(Schedule& /*schedule*/) {}

  explicit CountQuestions(const Schedule& schedule) : deadlines_(sorted_deadlines(schedule)) {}

  template <class AnyPlayback, class Witness>
  bool operator()(AnyPlayback& replay, std::size_t end, Witness& witness) const {
    auto earliest = deadlines_.begin();
    CALLGRIND_TOGGLE_COLLECT;  // off
    while (replay.position() != end) {
      const Tick now = replay.next_step().tick;
      take_steps(replay, replay.position() + 1, witness);
      earliest = std::upper_bound(earliest, deadlines_.end(), now);
      std::optional<Tick> deadline;
      if (earliest != deadlines_.end()) deadline = *earliest;
      using Queue = std::remove_reference_t<decltype(replay.queue())>;
      if (!is_right<Queue>(ask(replay.queue()), deadline, now, replay.queue().size())) {
        throw std::runtime_error(fmt::format("next_expiry is wrong after tick {}", now));
      }
    }
    CALLGRIND_TOGGLE_COLLECT;  // on
    return true;
  }

  static std::size_t operations(std::size_t of_steps) { return of_steps * kQuestions; }

 private:
  template <class Queue>
  [[gnu::noinline, gnu::flatten]] static std::optional<Tick> ask(Queue& queue) {
    std::optional<Tick> answer;
    CALLGRIND_TOGGLE_COLLECT;  // on
    for (std::size_t question = 0; question < kQuestions; ++question) {
      benchmark::DoNotOptimize(&queue);
      benchmark::ClobberMemory();
      answer = queue.next_expiry();
      benchmark::DoNotOptimize(answer);
    }
    CALLGRIND_TOGGLE_COLLECT;  // off
    return answer;
  }

  std::vector<Tick> deadlines_;  // in ascending order
};

/// Counts only the steps of one verb.
class CountVerb {
 public:
  CountVerb(const Schedule& schedule, Step::Verb verb)
      : verb_(verb),
        operations_(static_cast<std::size_t>(std::count_if(
            schedule.steps.begin() + static_cast<std::ptrdiff_t>(schedule.measured_begin),
            schedule.steps.begin() + static_cast<std::ptrdiff_t>(schedule.measured_end),
            [&](const Step& step) { return step.verb() == verb; }))) {}

  template <class AnyPlayback, class Witness>
  bool operator()(AnyPlayback& replay, std::size_t end, Witness& witness) const {
    CALLGRIND_TOGGLE_COLLECT;  // off
    while (replay.position() != end) {
      const bool counts = replay.next_step().verb() == verb_;
      if (counts) CALLGRIND_TOGGLE_COLLECT;  // on
      take_steps(replay, replay.position() + 1, witness);
      if (counts) CALLGRIND_TOGGLE_COLLECT;  // off
    }
    CALLGRIND_TOGGLE_COLLECT;  // on
    return true;
  }

  std::size_t operations(std::size_t /*of_steps*/) const { return operations_; }

 private:
  Step::Verb verb_;
  std::size_t operations_;
};

struct Count {
  std::size_t operations = 0;  // 0 if the queue is too slow to be counted
  double seconds = 0;          // how long the counted steps took
};

/// A queue and its witness during a schedule. Without valgrind the requests to callgrind are a few
/// instructions that do nothing.
template <class Queue>
class CountedPass {
 public:
  explicit CountedPass(const CountedInput& input) : input_(input), pass_(input.schedule) {}

  /// Takes the steps before the counted ones; the last of these are already simulated. Then takes
  /// the counted steps, and dumps their counts under this name.
  template <class Way>
  Count count(const std::string& name, const Way& way) {
    using Clock = std::chrono::steady_clock;
    const Schedule& schedule = input_.schedule;
    Playback<Queue>& replay = pass_.playback();
    Prover& prover = pass_.prover();
    take_steps(replay, input_.warm_begin, prover);
    CALLGRIND_START_INSTRUMENTATION;
    take_steps(replay, schedule.measured_begin, prover);
    const std::uint64_t expiries_before = prover.proof().expiries;
    const auto begin = Clock::now();
    CALLGRIND_ZERO_STATS;
    const bool is_whole = way(replay, schedule.measured_end, prover);
    CALLGRIND_STOP_INSTRUMENTATION;
    const std::chrono::duration<double> taken = Clock::now() - begin;
    if (!is_whole) return {0, taken.count()};
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    const std::uint64_t expiries = prover.proof().expiries - expiries_before;
    const std::size_t of_steps =
        schedule.operations_between(schedule.measured_begin, schedule.measured_end, expiries);
    return {way.operations(of_steps), taken.count()};
  }

  /// Runs all pending timers, by the last step. Throws if the queue did not show what it should
  /// when it took the counted steps in this way.
  template <class Way>
  void check(const Way& way) {
    pass_.finish([&](std::size_t end) {
      return right_proof<Queue>(input_.schedule, end, input_.expected, way);
    });
  }

 private:
  const CountedInput& input_;
  Pass<Queue> pass_;
};

/// Before a short schedule, takes another queue of the same type through it, in the simulation.
/// Otherwise a count of a thousand operations would include the first run of all code.
template <class Queue, class Way>
void warm_code(const CountedInput& input, const Way& way) {
  constexpr std::size_t kShort = 20'000;
  if (input.schedule.steps.size() > kShort) return;
  CALLGRIND_START_INSTRUMENTATION;
  Playback<Queue> replay(input.schedule);
  Prover prover;
  take_steps(replay, input.schedule.measured_begin, prover);
  way(replay, input.schedule.measured_end, prover);
}

}  // namespace timers::benches
