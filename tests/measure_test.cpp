#include "benches/measure.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "benches/workload.hpp"
#include "impls/catalog.hpp"

namespace timers::benches {
namespace {

using Reference = OrderedMap<Task>;

/// Forgets one timer in a million, and keeps counting it.
class Forgetful : public Reference {
 public:
  Handle insert(Tick deadline, Task task) {
    const Handle handle = Reference::insert(deadline, task);
    if (++inserts_ == 500'000) Reference::cancel(handle);
    return handle;
  }
  std::size_t size() const { return 0; }

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
    proved_pass<Queue>(input, [&](Replay<Queue>& replay, Prover& prover) {
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
  Replay<Reference> replay(schedule);
  Prover prover;
  run_in_budget(replay, schedule.measured_end, std::chrono::seconds(0), prover);
  EXPECT_GT(replay.position(), 0u);
  EXPECT_LT(replay.position(), 1'000u);
}

/// A pass whose time is up at the first look at the clock.
template <class Queue>
Pass window_of(const Input& input) {
  return proved_pass<Queue>(input, [&](Replay<Queue>& replay, Prover& prover) {
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

TEST(CallTimer, KeepsTheFastestOfACallSeenInSeveralPasses) {
  CallTimer timer;
  for (const int expiries : {5, 0, 3}) {
    Prover prover;
    timer.start_over(prover);
    for (Tick now = 1; now <= 10; ++now) {
      timer.call_begins(now);
      timer.call_ends(static_cast<std::size_t>(expiries));
    }
  }
  EXPECT_EQ(timer.passes(), 3u);
  EXPECT_EQ(timer.calls(), 10u);
  EXPECT_EQ(timer.most_expiries(), 5u);
  EXPECT_LE(timer.quantile(0), timer.quantile(0.5));
  EXPECT_LE(timer.quantile(0.5), timer.quantile(1));
}

}  // namespace
}  // namespace timers::benches
