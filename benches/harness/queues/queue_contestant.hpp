#pragma once

/// A queue that takes turns with others on the same input, and is checked on all of it.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "benches/harness/absence.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/queues/audit.hpp"
#include "benches/harness/queues/call_times.hpp"
#include "benches/harness/queues/input.hpp"
#include "benches/harness/queues/pass.hpp"
#include "benches/harness/queues/rider.hpp"
#include "benches/harness/queues/segment_times.hpp"
#include "benches/harness/queues/turns.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// How long the measured steps of a schedule may take in one pass. A slower queue is measured as
/// far as it gets: in a *window*.
inline constexpr Seconds kBudget{2};

/// How long the set-up steps before them may take. A queue that needs more than a few microseconds
/// for each is not worth the wait.
inline Seconds set_up_budget_of(const Schedule& schedule) {
  constexpr double kAStep = 5e-6;
  return Seconds(std::clamp(static_cast<double>(schedule.measured_begin) * kAStep, 2.0, 120.0));
}

/// What is timed in a pass without blocks. Segments and calls alternate until the calls were timed
/// often enough; after that only segments are timed.
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

/// Three passes time every segment twice. With blocks, each pass times calls, and not segments, in
/// a third of its steps. Without blocks, the second pass times calls.
inline Extent extent_of(const Input& input) {
  return {.turns = most_turns(input), .least_passes = 3};
}

/// A queue of any type. All that depends on the type is in its rider.
class RiderContestant : public Contestant {
 public:
  /// The input must outlive it.
  RiderContestant(const Input& input, const RiderKind& kind);

  void take_turn(std::size_t pass, std::size_t turn) override;
  void report(benchmark::State& state) const override;

 private:
  void take(const Stretch& stretch);
  void back_new_pages(const Turn& turn) const;
  void begin_pass(std::size_t pass);
  void end_timed_pass();
  void begin(std::size_t schedule);
  void end();
  Proof right_proof_at(std::size_t step);
  template <class... Witness>
  Timing ride(std::size_t end, Witness&... witness);
  void time_segments(std::size_t end);
  void bound_operation(double& least_ns);
  double least_ns() const;
  std::size_t operations_of(std::size_t number) const;
  std::size_t all_operations() const;
  void report_calls(benchmark::State& state) const;
  void report_late_runs(benchmark::State& state) const;

  const Input& input_;
  RiderKind kind_;
  std::vector<std::size_t> first_segment_;    // for each schedule
  std::vector<std::optional<Audit>> audits_;  // for each schedule, if the queue may be late
  std::size_t passes_ = 0;                    // passes in which segments are timed
  SegmentTimes times_;
  CallTimes calls_;
  benchmark::UserCounters counters_;

  // About the current schedule.
  std::size_t schedule_ = 0;
  std::unique_ptr<Rider> rider_;  // nullptr between schedules
  Seconds set_up_{0};
  Seconds measured_before_{0};  // its value when the schedule began

  // About the current pass.
  std::vector<Turn> turns_;
  Seconds measured_{0};
  std::size_t taken_ = 0;  // the number of measured steps

  double share_ = 1;           // the share of the measured steps that every timed pass took
  double least_ns_ = 0;        // a lower bound for the time of an operation
  double least_timed_ns_ = 0;  // the same from passes in which calls were timed
};

template <class Queue, class Ride = AllSteps>
class QueueContestant final : public RiderContestant {
 public:
  explicit QueueContestant(const Input& input)
      : RiderContestant(input, rider_kind_of<Queue, Ride>()) {}
};

}  // namespace timers::benches
