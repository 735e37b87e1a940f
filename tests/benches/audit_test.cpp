/// The auditor finds faults of a queue that may be late, and measures how late a correct queue is.

#include "benches/harness/queues/audit.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "benches/harness/queues/prediction.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/queues/ordered_map.hpp"
#include "tests/benches/proving_queues.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::benches {
namespace {

using Exact = OrderedMap<Task>;
using Late = LateQueue<Task, EveryEighthTick>;
static_assert(kMayBeLate<Late> && !kMayBeLate<Exact>);

/// A single timer with this deadline, set at 0. Time moves tick by tick up to `last`.
Schedule of_one_timer(Tick deadline, Tick last) {
  ScheduleBuilder builder;
  builder.insert(0, deadline, 1);
  for (Tick tick = 1; tick <= last; ++tick) builder.move_time(tick);
  return std::move(builder).finish(Operation::expiry);
}

template <class Queue>
Audit audit_of(const Schedule& schedule) {
  return audit<Queue>(schedule, schedule.measured_end, kTakeSteps);
}

template <class Queue>
std::string objection_to(const Schedule& schedule) {
  try {
    audit_of<Queue>(schedule);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(Audit, SeesOfAnExactQueueWhatIsPredicted) {
  for (const auto make : {&rpc, &tcp, &idle, &retry, &expire_within_a_minute, &cancel_random}) {
    const Schedule schedule = make(300, 1);
    const Audit seen = audit_of<Exact>(schedule);
    EXPECT_EQ(seen.proof, predict(schedule));
    EXPECT_EQ(seen.late_runs.most(), 0);
  }
}

TEST(Audit, SeesOfAPassThatStopsWhatIsPredicted) {
  const Schedule schedule = tcp(300, 1);
  for (const std::size_t end : {schedule.measured_begin / 2, schedule.measured_begin,
                                (schedule.measured_begin + schedule.measured_end) / 2}) {
    EXPECT_EQ(audit<Exact>(schedule, end, kTakeSteps).proof, predict(schedule, end));
  }
}

TEST(Audit, IsContentWithALateQueueThatKeepsItsPromise) {
  for (const auto make : {&rpc, &tcp, &idle, &retry, &expire_within_a_minute, &cancel_random}) {
    EXPECT_EQ(objection_to<Late>(make(300, 1)), "");
  }
}

TEST(Audit, TellsHowLateTimersRan) {
  const LateRuns of_one = audit_of<Late>(of_one_timer(10, 20)).late_runs;
  EXPECT_DOUBLE_EQ(of_one.most(), 0.6);  // at 16, not at 10
  EXPECT_DOUBLE_EQ(of_one.mean(), 0.6);

  ScheduleBuilder builder;
  builder.insert(0, 5, 1);   // in time: the next call is at 8
  builder.insert(1, 10, 2);  // at 16 instead of 11
  builder.move_time(8);
  builder.move_time(11);
  builder.move_time(16);
  const LateRuns of_two = audit_of<Late>(std::move(builder).finish(Operation::expiry)).late_runs;
  EXPECT_DOUBLE_EQ(of_two.most(), 0.5);
  EXPECT_DOUBLE_EQ(of_two.mean(), 0.25);
}

TEST(Audit, AddsUpHowLateTimersRan) {
  LateRuns one;
  one.add(5, 10);
  LateRuns sum;
  sum.add(0, 10);
  sum.add(one);
  EXPECT_DOUBLE_EQ(sum.mean(), 0.25);
  EXPECT_DOUBLE_EQ(sum.most(), 0.5);
  EXPECT_EQ(LateRuns().mean(), 0);
}

// An exact queue has run both timers by 12. This queue has run neither.
TEST(Audit, ExpectsACancelBeforeALateRunToSucceed) {
  ScheduleBuilder builder;
  builder.insert(0, 10, 1);
  builder.insert(1, 11, 2);
  builder.move_time(12);
  builder.cancel(0, 3);
  builder.rearm(1, 20, 4);
  builder.move_time(24);
  const Schedule schedule = std::move(builder).finish(Operation::verb);
  EXPECT_EQ(audit_of<Late>(schedule).proof.expiries, 1u);
  EXPECT_EQ(audit_of<Exact>(schedule).proof.expiries, 3u);
}

/// Timers that are due in the last ticks of a schedule run after its end.
TEST(Audit, GivesALateQueueTheTimeThatItAsksFor) {
  EXPECT_EQ(audit_of<Late>(of_one_timer(10, 10)).proof.expiries, 1u);
}

struct Early : Late {
  Handle insert(Tick deadline, Task task) { return Late::insert(deadline - 4, task); }
};
struct AheadOfTime : Late {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return Late::expire(now + 4, on_expiry);
  }
};
struct LaterThanItPromises : Late {
  static constexpr Tick max_lateness(Tick) { return 3; }
};
struct Forgets : Late {
  Handle insert(Tick deadline, Task task) {
    const Handle handle = Late::insert(deadline, task);
    Late::cancel(handle);
    return handle;
  }
};
struct ConfusesTasks : Late {
  Handle insert(Tick deadline, Task task) { return Late::insert(deadline, task + 1); }
};
struct SaysYes : Late {
  bool cancel(Handle handle) {
    Late::cancel(handle);
    return true;
  }
};
struct SaysNo : Late {
  bool cancel(Handle handle) {
    Late::cancel(handle);
    return false;
  }
};

TEST(Audit, FindsATimerThatRunsEarlyOrForAnotherDeadline) {
  EXPECT_EQ(objection_to<Early>(of_one_timer(20, 30)),
            "the timer of line 1 ran for 16, but is due at 20");
  EXPECT_EQ(objection_to<AheadOfTime>(of_one_timer(16, 30)),
            "the timer of line 1 ran at 12, but is due at 16");
}

TEST(Audit, FindsATimerThatIsLaterThanPromised) {
  EXPECT_EQ(objection_to<LaterThanItPromises>(of_one_timer(10, 30)),
            "the timer of line 1 ran at 16, but 13 is promised");
  EXPECT_EQ(objection_to<LaterThanItPromises>(of_one_timer(13, 30)), "");
}

TEST(Audit, ExcusesATimerIfNobodyCalledInTime) {
  ScheduleBuilder builder;
  builder.insert(0, 10, 1);
  builder.move_time(12);
  builder.move_time(16);
  EXPECT_EQ(objection_to<LaterThanItPromises>(std::move(builder).finish(Operation::expiry)), "");
}

TEST(Audit, FindsATimerThatNeverRan) {
  EXPECT_EQ(objection_to<Forgets>(of_one_timer(10, 20)), "1 timers have not run at 28");
}

TEST(Audit, FindsATimerThatNobodySet) {
  EXPECT_EQ(objection_to<ConfusesTasks>(of_one_timer(10, 20)),
            "the timer of line 2 ran at 16, but is not pending");
}

TEST(Audit, FindsAWrongAnswer) {
  ScheduleBuilder builder;
  builder.insert(0, 10, 1);
  builder.cancel(0, 2);
  builder.cancel(0, 3);
  const Schedule schedule = std::move(builder).finish(Operation::verb);
  EXPECT_EQ(objection_to<SaysYes>(schedule),
            "the answer to line 3 is true, but its timer is not pending");
  EXPECT_EQ(objection_to<SaysNo>(schedule),
            "the answer to line 2 is false, but its timer is pending");
}

}  // namespace
}  // namespace timers::benches
