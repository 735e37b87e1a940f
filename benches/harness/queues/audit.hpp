#pragma once

/// The proof of a queue that may be late.
///
/// What an exact queue shows on a schedule can be predicted. A queue that may be late has many
/// right results: a timer may run anywhere within the promise, and a cancel that comes before the
/// run succeeds. So an auditor watches such a queue take the schedule once more, without a clock.
/// The auditor knows each timer, and checks every expiry and every answer against the contract and
/// the promise. A queue does the same each time. So the result of the audit is what the queue must
/// show, to the last bit, when it is timed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/prediction.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// How late timers ran before the last step of a schedule. Lateness counts from the step at which
/// an exact queue would have run them, as a share of their delays.
class LateRuns {
 public:
  void add(Tick late, Tick delay) {
    const double share = static_cast<double>(late) / static_cast<double>(delay);
    sum_ += share;
    most_ = std::max(most_, share);
    ++timers_;
  }
  void add(const LateRuns& more) {
    sum_ += more.sum_;
    most_ = std::max(most_, more.most_);
    timers_ += more.timers_;
  }

  /// Over all timers that ran, including those that were not late.
  double mean() const { return timers_ == 0 ? 0 : sum_ / static_cast<double>(timers_); }
  double most() const { return most_; }

 private:
  double sum_ = 0;
  double most_ = 0;
  std::uint64_t timers_ = 0;
};

/// A witness that throws std::runtime_error as soon as a queue breaks a rule: it runs a timer that
/// is not pending, with another deadline, early, or later than promised; or it gives a wrong
/// answer.
class Auditor {
 public:
  /// Watches a pass that takes the measured steps up to `end`.
  Auditor(const Schedule& schedule, std::size_t end, const Promises& promises);

  void call_begins(Tick now) {
    now_ = now;
    prover_.call_begins(now);
  }
  void expired(Tick deadline, std::uint64_t task);
  void call_ends(std::size_t returned) { prover_.call_ends(returned); }
  static void verb_begins() {}
  void verb_ends(Step::Verb verb);
  void answered(const Step& step, bool answer);

  /// Throws if a timer has not run that should have run.
  void check_that_all_ran() const;

  const Proof& proof() const { return prover_.proof(); }
  const LateRuns& late_runs() const { return late_runs_; }

 private:
  struct Timer {
    Tick deadline = 0;
    Tick set_at = 0;
    bool pending = false;
  };
  using Line = std::uint32_t;
  static constexpr Line kNone = std::numeric_limits<Line>::max();

  void inserted(const Step& step);
  void set(Timer& timer, Tick wanted);
  void end(Timer& timer);
  Tick first_call_from(Tick tick) const;

  const Schedule& schedule_;
  Promises promises_;
  std::vector<Tick> calls_;      // calls of `expire`, in ascending order
  std::vector<Timer> timers_;    // by the line that set a timer, which is also its task
  std::vector<Line> line_in_;    // for each slot, the line of its last timer
  std::size_t next_insert_ = 0;  // no insert is between the current step and this one
  std::size_t pending_ = 0;
  Tick now_ = 0;
  LateRuns late_runs_;
  Prover prover_;
};

/// Takes the steps that follow the point at which a pass stopped. If the pass stopped within the
/// measured steps, only the very last step remains, by which all timers are due. A queue that may
/// be late gets the extra time that it needs.
template <class Queue, class Witness>
void run_out(Playback<Queue>& playback, const Schedule& schedule, Witness& witness) {
  if (playback.position() != schedule.measured_end) playback.skip_to(schedule.steps.size() - 1);
  playback.run_until(schedule.steps.size(), witness);
  if constexpr (kMayBeLate<Queue>) {
    playback.expire(last_tick_of(schedule, promises_of<Queue>()), witness);
  }
}

struct Audit {
  std::size_t end;  // where the pass stopped
  Proof proof;
  LateRuns late_runs;
};

/// Audits a fresh queue. `take(playback, end, witness)` takes the measured steps.
template <class Queue, class Take>
Audit audit(const Schedule& schedule, std::size_t end, Take take) {
  Auditor auditor(schedule, end, promises_of<Queue>());
  Playback<Queue> playback(schedule);
  playback.run_until(std::min(end, schedule.measured_begin), auditor);
  if (end > schedule.measured_begin) take(playback, end, auditor);
  run_out(playback, schedule, auditor);
  auditor.check_that_all_ran();
  return {end, auditor.proof(), auditor.late_runs()};
}

/// What a queue of this type must show if it stops at step `end`. `predicted` is for all steps.
template <class Queue, class Take>
Proof right_proof(const Schedule& schedule, std::size_t end, const Proof& predicted, Take take) {
  if constexpr (kMayBeLate<Queue>) return audit<Queue>(schedule, end, take).proof;
  return predicted_proof(schedule, end, predicted);
}

}  // namespace timers::benches
