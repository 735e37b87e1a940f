#pragma once

/// Times a queue on a schedule, and proves in the same run that it did what it should.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "benches/proof.hpp"
#include "benches/replay.hpp"
#include "benches/schedule.hpp"

namespace timers::benches {

/// A schedule and what every correct queue shows on it.
struct Input {
  Schedule schedule;
  Proof expected;
};

/// Times each call of `expire`; of a call seen several times the fastest counts, since what the
/// system adds to it differs from time to time and what the queue does is the same.
class CallTimer {
 public:
  void start_over() { next_ = 0; }

  void call_begins(Tick now) {
    prover_->call_begins(now);
    begin_ = Clock::now();
  }
  void expired(Tick deadline, Task task) { prover_->expired(deadline, task); }
  void call_ends(std::size_t returned) {
    const auto taken = std::chrono::nanoseconds(Clock::now() - begin_).count();
    prover_->call_ends(returned);
    if (next_ == fastest_.size()) fastest_.push_back(taken);
    fastest_[next_] = std::min(fastest_[next_], taken);
    ++next_;
  }
  void answered(const Step& step, bool answer) { prover_->answered(step, answer); }

  /// Passes what it sees on to this prover.
  void watch_for(Prover& prover) { prover_ = &prover; }

  /// The time in ns below which this share of the calls stays; 0 without calls.
  double quantile(double share) const {
    if (fastest_.empty()) return 0;
    std::vector<std::int64_t> sorted = fastest_;
    std::sort(sorted.begin(), sorted.end());
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
    return static_cast<double>(sorted[std::min(rank, sorted.size() - 1)]);
  }
  std::size_t calls() const { return fastest_.size(); }

 private:
  using Clock = std::chrono::steady_clock;

  Prover* prover_ = nullptr;
  Clock::time_point begin_;
  std::vector<std::int64_t> fastest_;  // by the call's number
  std::size_t next_ = 0;
};

/// Takes a fresh queue through the whole schedule. The measured part goes through `run_measured`,
/// which is given the replay, the end of the part and the prover. Throws if the proof fails.
template <TimerQueue Queue, class RunMeasured>
void replay_and_prove(const Input& input, RunMeasured run_measured) {
  const Schedule& schedule = input.schedule;
  Replay<Queue> replay(schedule);
  Prover prover;
  replay.run_until(schedule.measured_begin, prover);
  run_measured(replay, prover);
  replay.run_until(schedule.steps.size(), prover);
  const std::string wrong = difference(prover.proof(), input.expected, promises_of<Queue>());
  if (!wrong.empty()) throw std::runtime_error(wrong);
  if (replay.pending() != 0) throw std::runtime_error("timers are pending when all are due");
}

/// The body of a benchmark. Calls are timed in passes of their own, since reading the clock around
/// each would be most of a cheap one; these passes also warm the caches and the allocator.
template <TimerQueue Queue>
void measure(benchmark::State& state, const Input& input) {
  const Schedule& schedule = input.schedule;
  constexpr int kCallTimingPasses = 2;
  CallTimer calls;
  std::uint64_t expiries = 0;
  for (int pass = 0; pass < kCallTimingPasses; ++pass) {
    replay_and_prove<Queue>(input, [&](Replay<Queue>& replay, Prover& prover) {
      const std::uint64_t before = prover.proof().expiries;
      calls.start_over();
      calls.watch_for(prover);
      replay.run_until(schedule.measured_end, calls);
      expiries = prover.proof().expiries - before;
    });
  }

  double seconds = 0;
  for (auto _ : state) {
    replay_and_prove<Queue>(input, [&](Replay<Queue>& replay, Prover& prover) {
      const auto begin = std::chrono::steady_clock::now();
      replay.run_until(schedule.measured_end, prover);
      const auto end = std::chrono::steady_clock::now();
      const double taken = std::chrono::duration<double>(end - begin).count();
      state.SetIterationTime(taken);
      seconds += taken;
    });
  }

  const auto operations = static_cast<double>(schedule.operations);
  state.counters["ns_per_operation"] =
      seconds * 1e9 / (operations * static_cast<double>(state.iterations()));
  state.counters["operations"] = operations;
  state.counters["expiries"] = static_cast<double>(expiries);
  state.counters["expire_calls"] = static_cast<double>(calls.calls());
  state.counters["p999_expire_ns"] = calls.quantile(0.999);
  state.counters["worst_expire_ns"] = calls.quantile(1);
  if (!CanRearm<Queue> && schedule.rearms()) state.SetLabel("re-arm = cancel + insert");
}

}  // namespace timers::benches
