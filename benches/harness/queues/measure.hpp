#pragma once

/// Times a queue on a schedule, and proves in the same run that it did what it should.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "benches/harness/queues/call_timer.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/prediction.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// A schedule and what every correct queue shows on it.
struct Input {
  explicit Input(Schedule of_schedule)
      : schedule(std::move(of_schedule)), expected(predict(schedule)) {}

  Schedule schedule;
  Proof expected;
};

/// How long the measured steps of one pass may take. What is slower is measured as far as it came:
/// in a window.
inline constexpr std::chrono::seconds kBudget{2};

/// How long the steps before them may take at most; and in a benchmark, where a queue that needs
/// more than some microseconds for each is not worth the wait.
inline constexpr std::chrono::seconds kSetUpBudget{120};
inline std::chrono::nanoseconds set_up_budget_of(const Schedule& schedule) {
  using namespace std::chrono_literals;
  return std::clamp<std::chrono::nanoseconds>(schedule.measured_begin * 5us, 10s, kSetUpBudget);
}

/// Takes a replay to the step `end`, or until its time is up; returns the seconds that it took.
/// Between two looks at the clock are so many steps that they cost nothing.
///
/// All that queue and witness do is inlined. Else some queues would pay for calls, and others would
/// not, as the compiler likes.
template <class AnyPlayback, class Witness>
[[gnu::flatten]] double run_in_budget(AnyPlayback& replay, std::size_t end,
                                      std::chrono::nanoseconds budget, Witness& witness) {
  constexpr std::size_t kSteps = 256;
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    replay.run_until(std::min(end, replay.position() + kSteps), witness);
    const auto taken = std::chrono::steady_clock::now() - begin;
    if (replay.position() == end || taken > budget) {
      return std::chrono::duration<double>(taken).count();
    }
  }
}

/// What one pass showed of the measured steps; or of those before them, if it came no further.
struct Pass {
  double seconds = 0;
  std::uint64_t expiries = 0;
  std::size_t end = 0;  // the first step that was not measured
};

/// With this many steps a pass begins with fresh memory, as programs of that size do. Otherwise
/// what the allocator keeps of the queue before would make the next one look fast; with fewer steps
/// there are so many passes that all queues find it warm.
inline constexpr std::size_t kStepsWithFreshMemory = 1 << 16;

/// Takes a fresh queue through the schedule. `run_measured(replay, prover)` takes it through the
/// measured steps, or as many as it can, and returns the seconds; what is pending then is run by
/// the last step. Throws if the queue did not show what it should.
template <TimerQueue Queue, class RunMeasured>
Pass proved_pass(const Input& input, RunMeasured run_measured,
                 std::chrono::nanoseconds set_up_budget = kSetUpBudget) {
  const Schedule& schedule = input.schedule;
  if (schedule.steps.size() >= kStepsWithFreshMemory) malloc_trim(0);
  Playback<Queue> replay(schedule);
  Prover prover;
  Pass pass;
  pass.seconds = run_in_budget(replay, schedule.measured_begin, set_up_budget, prover);
  if (replay.position() == schedule.measured_begin) {
    const std::uint64_t before = prover.proof().expiries;
    pass.seconds = run_measured(replay, prover);
    pass.expiries = prover.proof().expiries - before;
  }
  pass.end = replay.position();

  const bool whole = pass.end == schedule.measured_end;
  if (!whole) replay.skip_to(schedule.steps.size() - 1);
  replay.run_until(schedule.steps.size(), prover);
  const Proof expected = whole ? input.expected : predict(schedule, pass.end);
  const std::string wrong = difference(prover.proof(), expected, promises_of<Queue>());
  if (!wrong.empty()) throw std::runtime_error(wrong);
  if (replay.queue().size() != 0) throw std::runtime_error("timers are pending when all are due");
  return pass;
}

inline std::size_t operations_of(const Schedule& schedule, const Pass& pass) {
  if (pass.end < schedule.measured_begin) return 0;
  return schedule.operations_until(pass.end, pass.expiries);
}

/// A time in ns that an operation takes at least, when a pass came to the end of none: all that it
/// had before it takes longer than what was seen. Of a pass that did not come to the measured
/// steps, the steps before them count as operations, too.
inline double bound_of(const Input& input, const Pass& pass) {
  const Schedule& schedule = input.schedule;
  const std::size_t operations =
      pass.end < schedule.measured_begin
          ? schedule.measured_end
          : schedule.operations_until(schedule.measured_end, input.expected.expiries);
  return pass.seconds * 1e9 / static_cast<double>(operations);
}

/// Whether the measured calls of `expire` are so few that reading the clock around each does not
/// show: that takes about as long as an operation or two, and a call is for a hundred.
inline bool has_few_calls(const Schedule& schedule) {
  constexpr std::size_t kHandful = 16;
  constexpr std::size_t kOperationsACall = 100;
  const std::size_t measured = schedule.measured_end - schedule.measured_begin;
  std::size_t calls = 0;
  for (std::size_t i = schedule.measured_begin; i < schedule.measured_end; ++i) {
    calls += schedule.steps[i].verb() == Step::Verb::expire;
  }
  return calls <= kHandful || calls * kOperationsACall <= measured - calls + schedule.slots;
}

/// Takes the measured steps as fast as the queue can, within the budget.
struct AllSteps {
  template <class AnyPlayback, class Witness>
  double operator()(AnyPlayback& replay, std::size_t end, Witness& witness) const {
    return run_in_budget(replay, end, kBudget, witness);
  }
};

/// The body of a benchmark. Calls of `expire` are timed in passes of their own, since reading the
/// clock around each would be most of a cheap one; only where they are few, in the first of those
/// that count. `calls` outlives this function, which Google Benchmark calls again until it knows
/// how many iterations it wants.
template <TimerQueue Queue, class RunMeasured = AllSteps>
void measure(benchmark::State& state, const Input& input, CallTimer& calls, RunMeasured run = {}) {
  const Schedule& schedule = input.schedule;
  const auto timing_calls = [&](Playback<Queue>& replay, Prover& prover) {
    calls.start_over(prover);
    return run(replay, schedule.measured_end, calls);
  };
  const auto not_timing_calls = [&](Playback<Queue>& replay, Prover& prover) {
    return run(replay, schedule.measured_end, prover);
  };

  const auto pass_by = [&](auto run_measured) {
    return proved_pass<Queue>(input, run_measured, set_up_budget_of(schedule));
  };

  constexpr std::size_t kPasses = 2;
  constexpr double kLongPass = 0.25;  // seconds
  const bool few_calls = has_few_calls(schedule);
  while (!few_calls && calls.passes() < kPasses) {
    if (pass_by(timing_calls).seconds > kLongPass) break;
  }

  double seconds = 0;
  std::size_t operations = 0;
  Pass pass;
  for (auto _ : state) {
    pass =
        few_calls && calls.passes() < kPasses ? pass_by(timing_calls) : pass_by(not_timing_calls);
    state.SetIterationTime(pass.seconds);
    seconds += pass.seconds;
    operations += operations_of(schedule, pass);
  }

  const auto iterations = static_cast<double>(state.iterations());
  const std::size_t came = std::max(pass.end, schedule.measured_begin) - schedule.measured_begin;
  state.counters["window_share"] =
      static_cast<double>(came) /
      static_cast<double>(schedule.measured_end - schedule.measured_begin);
  state.counters["seconds"] = pass.seconds;
  state.counters["operations"] = static_cast<double>(operations) / iterations;
  state.counters["expiries"] = static_cast<double>(pass.expiries);
  if (operations == 0) state.counters["slower_than"] = 1;
  state.counters["ns_per_operation"] =
      operations == 0 ? bound_of(input, pass) : seconds * 1e9 / static_cast<double>(operations);
  if (calls.calls() > 0) {
    state.counters["expire_calls"] = static_cast<double>(calls.calls());
    state.counters["most_expiries_per_call"] = static_cast<double>(calls.most_expiries());
    state.counters["p999_expire_ns"] = calls.quantile(0.999);
    state.counters["worst_expire_ns"] = calls.quantile(1);
  }
  if (!CanRearm<Queue> && schedule.rearms()) state.SetLabel("re-arm = cancel + insert");
}

}  // namespace timers::benches
