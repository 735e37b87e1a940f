#include "benches/harness/queues/measure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/queues/ask_next_expiry.hpp"
#include "benches/harness/queues/wake_at_next_expiry.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/catalog.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::benches {
namespace {

using Reference = OrderedMap<Task>;

/// Forgets one timer in a million, and always says that none is pending.
class Forgetful : public Reference {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = Reference::insert(deadline, task);
    if (++inserts_ == 500'000) Reference::cancel(handle);
    return handle;
  }

 private:
  int inserts_ = 0;
};

/// Runs one timer a tick early.
class Hasty : public Reference {
 public:
  Handle insert(Tick deadline, Task task) {
    return Reference::insert(task == 77 ? deadline - 1 : deadline, task);
  }
};

/// Takes all measured steps, in no time.
double in_no_time(auto& replay, Prover& prover, const Schedule& schedule) {
  replay.run_until(schedule.measured_end, prover);
  return 0;
}

template <class Queue>
std::string failure_of(const Input& input) {
  try {
    proved_pass<Queue>(input, [&](Playback<Queue>& replay, Prover& prover) {
      return in_no_time(replay, prover, input.schedule);
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(Measure, FindsAQueueThatDropsOneTimerInAMillion) {
  const Input input(insert_growing(1'000'000));
  EXPECT_EQ(failure_of<Reference>(input), "");
  EXPECT_EQ(failure_of<Forgetful>(input), "999999 timers expired, not 1000000");
}

TEST(Measure, FindsATimerThatRunsATickEarly) {
  const Input input(retry(300));
  EXPECT_EQ(failure_of<Reference>(input), "");
  EXPECT_NE(failure_of<Hasty>(input).find("wrong timers, times or answers"), std::string::npos);
}

TEST(Measure, StopsWhenTheTimeIsUp) {
  const Schedule schedule = insert_growing(1'000);
  Playback<Reference> replay(schedule);
  Prover prover;
  run_in_budget(replay, schedule.measured_end, std::chrono::seconds(0), prover);
  EXPECT_GT(replay.position(), 0u);
  EXPECT_LT(replay.position(), 1'000u);
}

/// A pass whose time is up at the first look at the clock.
template <class Queue>
Pass window_of(const Input& input) {
  return proved_pass<Queue>(input, [&](Playback<Queue>& replay, Prover& prover) {
    return run_in_budget(replay, input.schedule.measured_end, std::chrono::seconds(0), prover);
  });
}

TEST(Measure, ProvesAWindowOfEveryQueue) {
  for (const auto make : {&rpc, &tcp, &expire_within_a_minute, &idle, &cancel_random}) {
    const Input input(make(1'000));
    for_each_type(TimerQueues<Task>{}, [&]<class Queue>() {
      const Pass pass = window_of<Queue>(input);
      EXPECT_GT(pass.end, input.schedule.measured_begin);
      EXPECT_LT(pass.end, input.schedule.measured_end);
    });
  }
}

TEST(Measure, FindsInAWindowWhatIsWrongBehindIt) {
  const Input input(insert_growing(1'000));
  EXPECT_NO_THROW(window_of<Reference>(input));
  EXPECT_THROW(window_of<Hasty>(input), std::runtime_error);
}

TEST(Measure, CountsTheOperationsOfAWindowOnly) {
  const Input input(insert_growing(1'000));
  const Pass pass = window_of<Reference>(input);
  EXPECT_EQ(operations_of(input.schedule, pass), pass.end);
  EXPECT_EQ(operations_of(input.schedule, Pass{.end = 0}), 0u);
}

TEST(Measure, GivesUpASetUpThatTakesTooLong) {
  const Input input(cancel_random(1'000));
  const auto never = [](Playback<Reference>&, Prover&) -> double {
    throw std::logic_error("never");
  };
  const Pass pass = proved_pass<Reference>(input, never, std::chrono::seconds(0));
  EXPECT_LT(pass.end, input.schedule.measured_begin);
  EXPECT_EQ(operations_of(input.schedule, pass), 0u);
  EXPECT_DOUBLE_EQ(bound_of(input, pass), pass.seconds * 1e9 / 2'000);
}

TEST(Measure, WaitsLongerForALongerSetUp) {
  using namespace std::chrono_literals;
  Schedule schedule;
  for (const auto& [steps, budget] :
       {std::pair(0u, 10s), {4'000'000u, 20s}, {1'000'000'000u, 120s}}) {
    schedule.measured_begin = steps;
    EXPECT_EQ(set_up_budget_of(schedule), budget);
  }
}

TEST(Measure, BoundsAnOperationByTheTimeInWhichNoneWasDone) {
  const Input input(expire_within_a_minute(1'000));
  const Pass pass{.seconds = 2, .expiries = 0, .end = input.schedule.measured_begin + 1};
  EXPECT_DOUBLE_EQ(bound_of(input, pass), 2e9 / 1'000);
}

/// Denies at the end that it is empty.
struct NeverEmpty : Reference {
  std::size_t size() const { return 1; }
};

TEST(Measure, FindsAQueueThatIsNotEmptyInTheEnd) {
  EXPECT_EQ(failure_of<NeverEmpty>(Input(insert_growing(10))),
            "timers are pending when all are due");
}

TEST(Measure, TimesCallsApartUnlessTheyAreFew) {
  EXPECT_TRUE(has_few_calls(cancel_random(1'000)));
  EXPECT_TRUE(has_few_calls(one_tick(1'000)));
  EXPECT_FALSE(has_few_calls(rpc(1'000)));
  EXPECT_FALSE(has_few_calls(expire_within_a_minute(1'000)));
}

TEST(SleepUntilNextExpiry, CountsTheCallsInVain) {
  using Queue = HashedWheel<Task, 512>;
  const Input input([] {
    ScheduleBuilder builder;
    builder.insert(0, 1'100, 1);  // in the third turn: called at 76 and 588 in vain
    builder.move_time(1'100);
    return std::move(builder).finish(Operation::expiry);
  }());
  const SleepUntilNextExpiry sleep;
  proved_pass<Queue>(input, [&](Playback<Queue>& replay, Prover& prover) {
    return sleep(replay, input.schedule.measured_end, prover);
  });
  EXPECT_EQ(sleep.wakes().empty_calls, 2u);
  EXPECT_EQ(sleep.wakes().moves, 2u);
}

/// Does not know when it is to be called.
struct Sleepy : Reference {
  std::optional<Tick> next_expiry() const { return std::nullopt; }
};
/// Names the past.
struct Restless : Reference {
  std::optional<Tick> next_expiry() const {
    return size() == 0 ? std::nullopt : std::optional<Tick>(0);
  }
};

template <class Queue, class Run>
void run_on(const Input& input, Run run) {
  proved_pass<Queue>(input, [&](Playback<Queue>& replay, Prover& prover) {
    return run(replay, input.schedule.measured_end, prover);
  });
}

TEST(SleepUntilNextExpiry, RefusesAQueueThatNamesNoTick) {
  const Input input(log_uniform(100));
  EXPECT_NO_THROW(run_on<Reference>(input, SleepUntilNextExpiry()));
  EXPECT_THROW(run_on<Sleepy>(input, SleepUntilNextExpiry()), std::runtime_error);
}

/// What a queue says of a timer that is due at 3.
template <class Queue>
std::string complaint_of_a_sleeper() {
  ScheduleBuilder builder;
  builder.insert(0, 3, 1);
  builder.move_time(3);
  const Schedule schedule = std::move(builder).finish(Operation::expiry);
  Playback<Queue> replay(schedule);
  Prover prover;
  try {
    SleepUntilNextExpiry()(replay, schedule.measured_end, prover);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

/// Names a tick that is too late.
struct Oversleeps : Reference {
  std::optional<Tick> next_expiry() const { return 8; }
};

TEST(SleepUntilNextExpiry, AllowsALaterTickOnlyToAQueueThatMayBeLate) {
  EXPECT_EQ((complaint_of_a_sleeper<LateQueue<Task, EveryEighthTick>>()), "");
  EXPECT_NE(complaint_of_a_sleeper<Oversleeps>(), "");
}

TEST(AskAfterEachTick, RefusesAWrongAnswer) {
  const Input input(first_second(100));
  const std::vector<Tick> deadlines = sorted_deadlines(input.schedule);
  for_each_type(TimerQueues<Task>{}, [&]<class Queue>() {
    if constexpr (HasNextExpiry<Queue>) {
      EXPECT_NO_THROW(run_on<Queue>(input, AskAfterEachTick{deadlines})) << Queue::name;
    }
  });
  EXPECT_THROW(run_on<Sleepy>(input, AskAfterEachTick{deadlines}), std::runtime_error);
  EXPECT_THROW(run_on<Restless>(input, AskAfterEachTick{deadlines}), std::runtime_error);
}

TEST(AskAfterEachTick, AllowsALateQueueToNameTheTickOfItsBucket) {
  using Late = LateQueue<Task, EveryEighthTick>;
  EXPECT_TRUE(is_right<Late>(8, 3, 2, 1));
  EXPECT_TRUE(is_right<Late>(10, 3, 2, 1));
  EXPECT_FALSE(is_right<Late>(11, 3, 2, 1));
  EXPECT_FALSE(is_right<Late>(2, 3, 2, 1));
  EXPECT_TRUE(is_right<Late>(8, std::nullopt, 5, 1)) << "the timer of tick 3 has not run";
  EXPECT_FALSE(is_right<Late>(8, std::nullopt, 5, 0));
  EXPECT_FALSE(is_right<Late>(std::nullopt, 3, 2, 1));
  EXPECT_FALSE(is_right<Reference>(4, 3, 2, 1));
  EXPECT_FALSE(is_right<Reference>(8, std::nullopt, 5, 1));
}

/// Time that the test moves.
struct TestClock {
  static std::chrono::nanoseconds now() { return current; }
  static inline std::chrono::nanoseconds current{};
};

TEST(CallTimer, KeepsTheFastestOfACallSeenInSeveralPasses) {
  CallTimerBy<TestClock> timer;
  const auto pass = [&](std::initializer_list<int> durations) {
    Prover prover;
    timer.start_over(prover);
    for (const int ns : durations) {
      timer.call_begins(1);
      TestClock::current += std::chrono::nanoseconds(ns);
      timer.call_ends(static_cast<std::size_t>(ns) / 10);
    }
  };
  pass({50, 20, 90});
  pass({40, 70, 60, 10});
  EXPECT_EQ(timer.passes(), 2u);
  EXPECT_EQ(timer.calls(), 4u);
  EXPECT_EQ(timer.most_expiries(), 9u);
  EXPECT_EQ(timer.quantile(0), 10);  // of 10, 20, 40, 60
  EXPECT_EQ(timer.quantile(0.5), 40);
  EXPECT_EQ(timer.quantile(1), 60);
}

}  // namespace
}  // namespace timers::benches
