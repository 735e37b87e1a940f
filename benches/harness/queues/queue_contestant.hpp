#pragma once

/// A queue that takes turns with others on the same input, and is proved right on all of it.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "benches/harness/absence.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/queues/audit.hpp"
#include "benches/harness/queues/call_times.hpp"
#include "benches/harness/queues/input.hpp"
#include "benches/harness/queues/pass.hpp"
#include "benches/harness/queues/segment_times.hpp"
#include "benches/harness/queues/turns.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// How long the measured steps of a schedule may take in one pass. What is slower is measured as
/// far as it comes: in a *window*.
inline constexpr Seconds kBudget{2};

/// How long the steps before them may take: a queue that needs more than some microseconds for each
/// is not worth the wait.
inline Seconds set_up_budget_of(const Schedule& schedule) {
  constexpr double kAStep = 5e-6;
  return Seconds(std::clamp(static_cast<double>(schedule.measured_begin) * kAStep, 2.0, 120.0));
}

/// Takes the measured steps as fast as the queue can: how most benches take them. Such a *ride* is
/// made for each pass through a schedule.
struct AllSteps {
  template <class Queue>
  static constexpr bool kCanBeTakenBy = true;
  static constexpr std::size_t kOperationsACall = 1;
  /// Whether what a window shows is true of all the steps.
  static constexpr bool kWindowIsLikeTheWhole = true;

  explicit AllSteps(const Schedule&) {}

  /// Takes steps until `end`, or until the budget is spent.
  template <class AnyPlayback, class Witness>
  Timing operator()(AnyPlayback& replay, std::size_t end, Seconds budget, Witness& witness) const {
    return with_absence([&] { return run_in_budget(replay, end, budget, witness); });
  }

  /// Counts what else can be told, when the schedule is over.
  template <class Queue>
  static void count(benchmark::UserCounters&, const Queue&) {}
};

/// What is timed of a pass without blocks. Segments and calls alternate until the calls were timed
/// often enough; then only segments are.
constexpr Timed timed_in(std::size_t pass) {
  constexpr std::size_t kPassesOfCalls = 3;
  return pass % 2 == 1 && pass < 2 * kPassesOfCalls ? Timed::calls : Timed::segments;
}

inline bool times_segments(const Input& input, std::size_t pass) {
  return has_blocks(input) || timed_in(pass) == Timed::segments;
}

inline std::vector<Turn> turns_of(const Input& input, std::size_t pass) {
  if (has_blocks(input)) return pass_in_blocks(input.schedules.front(), pass);
  return {whole_pass(input, timed_in(pass))};
}

/// Three passes time every segment twice: with blocks, a third of the steps of each pass bring the
/// cache back; without, the second pass times calls.
inline Extent extent_of(const Input& input) {
  return {.turns = most_turns(input), .least_passes = 3};
}

template <class Queue, class Ride = AllSteps>
class QueueContestant final : public Contestant {
 public:
  /// The input outlives it.
  explicit QueueContestant(const Input& input) : input_(input), audits_(input.schedules.size()) {
    std::size_t segments = 0;
    for (const Schedule& schedule : input.schedules) {
      first_segment_.push_back(segments);
      segments += (schedule.measured_end - schedule.measured_begin) / kStepsOfASegment + 1;
    }
  }

  void take_turn(std::size_t pass, std::size_t turn) override {
    if (turn == 0) begin_pass(pass);
    if (turn >= turns_.size()) return;
    for (const Stretch& stretch : turns_[turn]) take(stretch);
    if (turn + 1 == turns_.size() && times_segments(input_, pass)) end_timed_pass();
  }

  void report(benchmark::State& state) const override {
    const double seconds = times_.seconds();
    const std::size_t operations = times_.operations() * Ride::kOperationsACall;
    const bool is_bound = operations == 0 || (share_ < 1 && !Ride::kWindowIsLikeTheWhole);
    const double ns = seconds * 1e9;
    state.SetIterationTime(seconds);
    state.counters = counters_;
    state.counters["window_share"] = share_;
    state.counters["seconds"] = seconds;
    state.counters["passes"] = static_cast<double>(passes_);
    state.counters["interrupted_segments"] = static_cast<double>(times_.interruptions());
    state.counters["segments"] = static_cast<double>(times_.size());
    state.counters["operations"] = static_cast<double>(operations);
    if (is_bound) state.counters["slower_than"] = 1;
    state.counters["ns_per_operation"] =
        is_bound ? std::max(least_ns(), ns / static_cast<double>(all_operations()))
                 : ns / static_cast<double>(operations);
    report_calls(state);
    if (kMayBeLate<Queue>) report_late_runs(state);
    if (!TimersOf<Queue>::kCanRearm && input_.schedules.front().rearms()) {
      state.SetLabel("re-arm = cancel + insert");
    }
  }

 private:
  void take(const Stretch& stretch) {
    if (stretch.begin == 0 && measured_ < kBudget) begin(stretch.schedule);
    if (!pass_) return;  // its time was up in a stretch before
    const Schedule& schedule = input_.schedules[schedule_];
    Playback<Queue>& playback = pass_->playback();
    if (stretch.end <= schedule.measured_begin) {
      const Seconds left = set_up_budget_of(schedule) - set_up_;
      set_up_ += Seconds(run_in_budget(playback, stretch.end, left, pass_->prover()));
    } else if (stretch.timed == Timed::segments) {
      time_segments(stretch.end);
    } else if (stretch.timed == Timed::nothing) {
      ride(stretch.end, pass_->prover());
    } else {
      const auto which =
          stretch.timed == Timed::calls ? CallTimes::Which::all : CallTimes::Which::long_ones;
      calls_.start_over({schedule_, stretch.begin}, which, pass_->prover());
      ride(stretch.end, calls_);
    }
    if (playback.position() != stretch.end) {
      bound_operation(stretch.timed == Timed::calls ? least_timed_ns_ : least_ns_);
      end();
    } else if (pass_->is_at_the_end()) {
      ride_->count(counters_, playback.queue());
      end();
    }
  }

  void begin_pass(std::size_t pass) {
    turns_ = turns_of(input_, pass);
    measured_ = Seconds(0);
    taken_ = 0;
  }

  void end_timed_pass() {
    ++passes_;
    std::size_t all = 0;
    for (const Schedule& schedule : input_.schedules) {
      all += schedule.measured_end - schedule.measured_begin;
    }
    share_ =
        std::min(share_, static_cast<double>(std::min(taken_, all)) / static_cast<double>(all));
  }

  void begin(std::size_t schedule) {
    schedule_ = schedule;
    set_up_ = Seconds(0);
    measured_before_ = measured_;
    pass_.reset();  // before the next one takes memory
    pass_ = std::make_unique<Pass<Queue>>(input_.schedules[schedule]);
    ride_.emplace(input_.schedules[schedule]);
  }

  /// What was seen, as far as the queue came, must be right.
  void end() {
    pass_->finish([this](std::size_t step) { return right_proof_at(step); });
    pass_.reset();
  }

  Proof right_proof_at(std::size_t step) {
    const Schedule& schedule = input_.schedules[schedule_];
    if constexpr (kMayBeLate<Queue>) {
      std::optional<Audit>& known = audits_[schedule_];
      if (!known || known->end != step) {
        constexpr Seconds kNoBudget{std::numeric_limits<double>::infinity()};
        known = audit<Queue>(schedule, step, [&](auto& playback, std::size_t end, auto& witness) {
          Ride ride(schedule);
          ride(playback, end, kNoBudget, witness);
        });
      }
      return known->proof;
    }
    return predicted_proof(schedule, step, input_.expected[schedule_]);
  }

  template <class Witness>
  Timing ride(std::size_t end, Witness& witness) {
    const std::size_t begin = pass_->playback().position();
    const Timing timing = (*ride_)(pass_->playback(), end, kBudget - measured_, witness);
    measured_ += Seconds(timing.seconds);
    taken_ += pass_->playback().position() - begin;
    return timing;
  }

  void time_segments(std::size_t end) {
    const Schedule& schedule = input_.schedules[schedule_];
    const Playback<Queue>& playback = pass_->playback();
    const Proof& proof = pass_->prover().proof();
    while (playback.position() != end && measured_ < kBudget) {
      const std::size_t begin = playback.position();
      const std::size_t segment = (begin - schedule.measured_begin) / kStepsOfASegment;
      const std::size_t segment_end =
          std::min(schedule.measured_begin + (segment + 1) * kStepsOfASegment, end);
      const std::uint64_t expiries = proof.expiries;
      const Timing timing = ride(segment_end, pass_->prover());
      const std::size_t operations =
          schedule.operations_between(begin, playback.position(), proof.expiries - expiries);
      const bool is_whole = playback.position() == segment_end;
      // Of a queue that comes no further, a part of the first segment tells more than nothing.
      if (is_whole || (times_.size() == 0 && operations > 0)) {
        times_.add(first_segment_[schedule_] + segment, timing, operations);
      }
    }
  }

  /// If the queue came to the end of no operation, an operation takes longer than if it came to the
  /// end of all now. Of the steps before the measured ones, each counts as an operation.
  void bound_operation(double& least_ns) {
    const std::size_t begin = input_.schedules[schedule_].measured_begin;
    const bool is_set_up = pass_->playback().position() >= begin;
    const Seconds spent = is_set_up ? measured_ - measured_before_ : set_up_;
    const std::size_t operations =
        is_set_up ? operations_of(schedule_) : input_.schedules[schedule_].measured_end;
    least_ns = std::max(least_ns, spent.count() * 1e9 / static_cast<double>(operations));
  }

  /// To time a call takes time of its own, which is no matter where not one segment was timed: most
  /// of the operations were still to come, and would have taken far longer.
  double least_ns() const {
    return times_.size() == 0 ? std::max(least_ns_, least_timed_ns_) : least_ns_;
  }

  /// The measured ones of a schedule.
  std::size_t operations_of(std::size_t number) const {
    const Schedule& schedule = input_.schedules[number];
    return schedule.operations_between(schedule.measured_begin, schedule.measured_end,
                                       input_.expected[number].expiries) *
           Ride::kOperationsACall;
  }

  std::size_t all_operations() const {
    std::size_t sum = 0;
    for (std::size_t number = 0; number < input_.schedules.size(); ++number) {
      sum += operations_of(number);
    }
    return sum;
  }

  void report_calls(benchmark::State& state) const {
    constexpr std::array kVerbs = {
        std::pair(Step::Verb::insert, "insert"), std::pair(Step::Verb::rearm, "rearm"),
        std::pair(Step::Verb::cancel, "cancel"), std::pair(Step::Verb::expire, "expire")};
    constexpr std::array kQuantiles = {std::pair(0.5, "p50"), std::pair(0.99, "p99"),
                                       std::pair(0.999, "p999")};
    for (const auto& [verb, verb_name] : kVerbs) {
      const std::vector<double> sorted = calls_.sorted(verb);
      if (sorted.empty()) continue;
      state.counters[fmt::format("{}_calls", verb_name)] = static_cast<double>(sorted.size());
      for (const auto& [share, quantile_name] : kQuantiles) {
        const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
        state.counters[fmt::format("{}_{}_ns", quantile_name, verb_name)] =
            sorted[std::min(rank, sorted.size() - 1)];
      }
      state.counters[fmt::format("worst_{}_ns", verb_name)] =
          std::max(sorted.back(), calls_.longest(verb));
    }
    state.counters["most_expiries_per_call"] = static_cast<double>(calls_.most_expiries());
    state.counters["interrupted_calls"] = static_cast<double>(calls_.interruptions());
  }

  void report_late_runs(benchmark::State& state) const {
    LateRuns late_runs;
    for (const std::optional<Audit>& known : audits_) {
      if (known) late_runs.add(known->late_runs);
    }
    state.counters["late_mean_percent"] = 100 * late_runs.mean();
    state.counters["late_most_percent"] = 100 * late_runs.most();
  }

  const Input& input_;
  std::vector<std::size_t> first_segment_;    // of each schedule
  std::vector<std::optional<Audit>> audits_;  // of each schedule, if the queue may be late
  std::size_t passes_ = 0;                    // in which segments are timed
  SegmentTimes times_;
  CallTimes calls_;
  benchmark::UserCounters counters_;

  // Of the schedule on which the queue is.
  std::size_t schedule_ = 0;
  std::unique_ptr<Pass<Queue>> pass_;  // none between schedules
  std::optional<Ride> ride_;
  Seconds set_up_{0};
  Seconds measured_before_{0};  // when the schedule began

  // Of the pass.
  std::vector<Turn> turns_;
  Seconds measured_{0};
  std::size_t taken_ = 0;  // measured steps

  double share_ = 1;           // of the measured steps that every timed pass took
  double least_ns_ = 0;        // that an operation takes, if it took less
  double least_timed_ns_ = 0;  // the same where its calls were timed
};

}  // namespace timers::benches
