#include "benches/harness/queues/pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/queues/ask_next_expiry.hpp"
#include "benches/harness/queues/input.hpp"
#include "benches/harness/queues/queue_contestant.hpp"
#include "benches/harness/queues/wake_at_next_expiry.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/catalog.hpp"
#include "tests/benches/proving_queues.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::benches {
namespace {

using Reference = OrderedMap<Task>;

constexpr std::size_t kMillion = conformance::share_of(1'000'000);

/// Forgets one timer in a million, and always says that no timer is pending.
class Forgetful : public Reference {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = Reference::insert(deadline, task);
    if (++inserts_ == kMillion / 2) Reference::cancel(handle);
    return handle;
  }

 private:
  std::size_t inserts_ = 0;
};

/// Runs one timer a tick early.
class Hasty : public Reference {
 public:
  Handle insert(Tick deadline, Task task) {
    return Reference::insert(task == 77 ? deadline - 1 : deadline, task);
  }
};

Input input_of(Schedule schedule) { return Input({std::move(schedule)}); }

/// Takes a queue through the schedule with `Ride`, up to step `end`. Returns the complaint of the
/// proof.
template <class Queue, class Ride = AllSteps>
std::string failure_of(const Input& input, std::size_t end) {
  const Schedule& schedule = input.schedules.front();
  Pass<Queue> pass(schedule);
  pass.playback().run_until(std::min(end, schedule.measured_begin), pass.prover());
  const auto take = [&](auto& playback, std::size_t step, auto& witness) {
    Ride ride(schedule);
    ride(playback, step, Seconds(60), witness);
  };
  try {
    if (end > schedule.measured_begin) take(pass.playback(), end, pass.prover());
    pass.finish([&](std::size_t step) {
      return right_proof<Queue>(schedule, step, input.expected.front(), take);
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

template <class Queue, class Ride = AllSteps>
std::string failure_of(const Input& input) {
  return failure_of<Queue, Ride>(input, input.schedules.front().measured_end);
}

TEST(Pass, FindsAQueueThatDropsOneTimerInAMillion) {
  const Input input = input_of(insert_growing(kMillion));
  EXPECT_EQ(failure_of<Reference>(input), "");
  EXPECT_EQ(failure_of<Forgetful>(input),
            std::to_string(kMillion - 1) + " timers expired, not " + std::to_string(kMillion));
}

TEST(Pass, FindsATimerThatRunsATickEarly) {
  const Input input = input_of(retry(300));
  EXPECT_EQ(failure_of<Reference>(input), "");
  EXPECT_NE(failure_of<Hasty>(input).find("wrong timers, times or answers"), std::string::npos);
}

TEST(Pass, StopsWhenTheTimeIsUp) {
  const Schedule schedule = insert_growing(1'000);
  Playback<Reference> replay(schedule);
  Prover prover;
  run_in_budget(replay, schedule.measured_end, Seconds(0), prover);
  EXPECT_GT(replay.position(), 0u);
  EXPECT_LT(replay.position(), 1'000u);
}

TEST(Pass, ProvesAQueueOfEachShapeWhereverItEnds) {
  for (const auto make : {&rpc, &tcp, &expire_within_a_minute, &idle, &cancel_random}) {
    const Input input = input_of(make(1'000, 1));
    const Schedule& schedule = input.schedules.front();
    for_each_type(ProvingQueues<Task>{}, [&]<class Queue>() {
      for (const std::size_t end : {schedule.measured_begin / 2, schedule.measured_begin,
                                    (schedule.measured_begin + schedule.measured_end) / 2}) {
        EXPECT_EQ(failure_of<Queue>(input, end), "") << Queue::name;
      }
    });
  }
}

TEST(Pass, FindsInAWindowWhatIsWrongBehindIt) {
  const Input input = input_of(insert_growing(1'000));
  EXPECT_EQ(failure_of<Reference>(input, 500), "");
  EXPECT_NE(failure_of<Hasty>(input, 500), "");
}

/// Says at the end that it is not empty.
struct NeverEmpty : Reference {
  std::size_t size() const { return 1; }
};

TEST(Pass, FindsAQueueThatIsNotEmptyInTheEnd) {
  EXPECT_EQ(failure_of<NeverEmpty>(input_of(insert_growing(10))),
            "timers are pending when all are due");
}

TEST(SleepUntilNextExpiry, CountsTheCallsInVain) {
  using Queue = HierarchicalWheel<Task, 8>;
  ScheduleBuilder builder;
  builder.insert(0, 76, 1);
  builder.insert(1, 300, 2);  // on level 1: the call at 256 only moves it down
  builder.move_time(76);
  builder.move_time(300);
  const Schedule schedule = std::move(builder).finish(Operation::expiry);
  SleepUntilNextExpiry sleep(schedule);
  Pass<Queue> pass(schedule);
  sleep(pass.playback(), schedule.measured_end, Seconds(60), pass.prover());
  benchmark::UserCounters counters;
  sleep.count(counters, pass.playback().queue());
  EXPECT_EQ(counters["empty_calls_per_timer"], 0.5);
  EXPECT_EQ(counters["moves_per_timer"], 0.5);
}

/// Has no next_expiry although a timer waits.
struct Sleepy : Reference {
  std::optional<Tick> next_expiry() const { return std::nullopt; }
};
/// Its next_expiry is in the past.
struct Restless : Reference {
  std::optional<Tick> next_expiry() const {
    return size() == 0 ? std::nullopt : std::optional<Tick>(0);
  }
};

TEST(SleepUntilNextExpiry, RefusesAQueueThatNamesNoTick) {
  const Input input = input_of(log_uniform(100));
  EXPECT_EQ((failure_of<Reference, SleepUntilNextExpiry>(input)), "");
  EXPECT_NE((failure_of<Sleepy, SleepUntilNextExpiry>(input)), "");
}

/// The complaint about a queue whose timer is due at 3.
template <class Queue>
std::string complaint_of_a_sleeper() {
  ScheduleBuilder builder;
  builder.insert(0, 3, 1);
  builder.move_time(3);
  const Schedule schedule = std::move(builder).finish(Operation::expiry);
  Playback<Queue> replay(schedule);
  Prover prover;
  try {
    SleepUntilNextExpiry sleep(schedule);
    sleep(replay, schedule.measured_end, Seconds(60), prover);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

/// Its next_expiry is too late.
struct Oversleeps : Reference {
  std::optional<Tick> next_expiry() const { return 8; }
};

TEST(SleepUntilNextExpiry, AllowsALaterTickOnlyToAQueueThatMayBeLate) {
  EXPECT_EQ((complaint_of_a_sleeper<LateQueue<Task, EveryEighthTick>>()), "");
  EXPECT_NE(complaint_of_a_sleeper<Oversleeps>(), "");
}

TEST(AskAfterEachTick, RefusesAWrongAnswer) {
  const Input input = input_of(first_second(100));
  for_each_type(ProvingQueues<Task>{}, [&]<class Queue>() {
    if constexpr (HasNextExpiry<Queue>) {
      EXPECT_EQ((failure_of<Queue, AskAfterEachTick>(input)), "") << Queue::name;
    }
  });
  EXPECT_NE((failure_of<Sleepy, AskAfterEachTick>(input)), "");
  EXPECT_NE((failure_of<Restless, AskAfterEachTick>(input)), "");
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

/// Simulates that the thread is off the processor while the first answers are timed.
int looks = 0;
Absence interrupted_once() { return {.switches = ++looks >= 2 ? 1 : 0}; }

/// Counts how often it is asked.
struct Asked : Reference {
  std::optional<Tick> next_expiry() const {
    ++questions;
    return Reference::next_expiry();
  }
  mutable std::size_t questions = 0;
};

TEST(AskAfterEachTick, AsksAgainWhereItWasInterrupted) {
  const Schedule schedule = first_second(100);
  Pass<Asked> pass(schedule);
  pass.playback().run_until(schedule.measured_begin, pass.prover());
  AskAfterEachTickBy<&interrupted_once> ask(schedule);
  looks = 0;
  const Timing timing =
      ask(pass.playback(), schedule.measured_begin + 3, Seconds(60), pass.prover());
  EXPECT_EQ(pass.playback().queue().questions, (3 + 1) * kQuestions);
  EXPECT_GT(timing.seconds, 0);
  EXPECT_EQ(timing.absence.switches, 0);
}

}  // namespace
}  // namespace timers::benches
