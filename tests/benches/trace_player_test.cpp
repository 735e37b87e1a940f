/// A trace is played to a service at its own times, and each timer is accounted for.

#include "benches/harness/services/trace_player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/traces/trace.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"
#include "tests/benches/simulation.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// A service on the simulation, which is late by a fixed time.
class Simulated {
 public:
  using Handle = std::size_t;
  static constexpr const char* name = "simulated";

  explicit Simulated(Simulation& simulation, Duration late = 0ns)
      : simulation_(simulation), late_(late) {}

  Handle schedule(Duration delay, TimerTask task) {
    const Handle handle = ++timers_;
    if (handle != lost_) pending_.emplace(handle, std::move(task));
    due_[handle] = simulation_.now() + delay;
    run_when_due(handle);
    return handle;
  }
  CancelResult cancel(Handle handle) {
    ++cancels_;
    return pending_.erase(handle) == 1 ? CancelResult::cancelled : CancelResult::gone;
  }
  std::size_t pending() const { return pending_.size(); }
  static Duration max_lateness() { return 0ns; }
  std::vector<TimerTask> stop() {
    std::vector<TimerTask> tasks;
    for (auto& [handle, task] : pending_) tasks.push_back(std::move(task));
    pending_.clear();
    return tasks;
  }

  void lose(Handle handle) { lost_ = handle; }
  std::size_t set() const { return timers_; }
  std::size_t cancels() const { return cancels_; }

 protected:
  bool move(Handle handle, Duration delay) {
    if (!pending_.contains(handle)) return false;
    due_[handle] = simulation_.now() + delay;
    run_when_due(handle);
    return true;
  }

 private:
  void run_when_due(Handle handle) {
    const Instant due = due_[handle];
    simulation_.run_at(due + late_, [this, handle, due] {
      if (due_[handle] != due) return;
      if (auto timer = pending_.extract(handle)) timer.mapped()();
    });
  }

  Simulation& simulation_;
  Duration late_;
  std::map<Handle, TimerTask> pending_;
  std::map<Handle, Instant> due_;
  std::size_t timers_ = 0;
  std::size_t cancels_ = 0;
  Handle lost_ = 0;
};

class SimulatedThatRearms : public Simulated {
 public:
  using Simulated::Simulated;
  bool rearm(const Handle& handle, Delay delay) { return move(handle, delay); }
};
static_assert(TimerService<Simulated> && !RearmingService<Simulated>);
static_assert(RearmingService<SimulatedThatRearms>);

constexpr std::int64_t kMs = 1'000'000;

/// Times are in ms. Three timers are set at the beginning: one runs, one is cancelled, and one is
/// put off twice and then runs. Another timer is set later, and stays pending.
Trace small_trace() {
  const auto operation = [](std::int64_t time, TraceVerb verb, std::uint32_t id,
                            std::int64_t deadline) {
    return TraceOperation{time * kMs, deadline * kMs, id, 0, verb};
  };
  return {.name = "small",
          .operations = {operation(0, TraceVerb::schedule, 0, 10),
                         operation(0, TraceVerb::schedule, 1, 20),
                         operation(0, TraceVerb::schedule, 2, 30),
                         operation(10, TraceVerb::observed_expiry, 0, 0),
                         operation(15, TraceVerb::cancel, 1, 0),
                         operation(20, TraceVerb::reschedule, 2, 40),
                         operation(25, TraceVerb::reschedule, 2, 50),
                         operation(30, TraceVerb::schedule, 0, 900),
                         operation(60, TraceVerb::schedule, 1, 900)},
          .ids = 3};
}

constexpr auto kNothing = [] {};

/// The deadlines, from the beginning of the trace on.
std::vector<Duration> due_after(const std::vector<Run>& runs, Instant begin) {
  std::vector<Duration> due;
  for (const Run& run : runs) due.push_back(run.due - begin);
  return due;
}

TEST(TracePlayer, SetsPutsOffAndCancelsWhenTheTraceSaysSo) {
  Simulation simulation;
  const Trace trace = small_trace();
  const Instant begin = simulation.now() + 5ms;
  SimulatedThatRearms service(simulation, 3us);
  TracePlayer player(simulation, trace, {.lead = 5ms});
  EXPECT_TRUE(player.play(service, kNothing));
  EXPECT_THAT(due_after(player.runs(), begin), ElementsAre(10ms, 50ms));
  EXPECT_THAT(lateness_of(player.runs()), Each(3us));
  EXPECT_EQ(player.calls().size(), 5u);
  EXPECT_EQ(service.set(), 5u);
  EXPECT_EQ(service.cancels(), 1u);
}

TEST(TracePlayer, CancelsAndSchedulesWhereAServiceCannotRearm) {
  Simulation simulation;
  const Trace trace = small_trace();
  const Instant begin = simulation.now() + 5ms;
  Simulated service(simulation);
  TracePlayer player(simulation, trace, {.lead = 5ms});
  EXPECT_TRUE(player.play(service, kNothing));
  EXPECT_THAT(due_after(player.runs(), begin), ElementsAre(10ms, 50ms));
  EXPECT_EQ(service.set(), 7u);
  EXPECT_EQ(service.cancels(), 3u);
}

TEST(TracePlayer, SetsATimerAnewThatRanBeforeItWasPutOff) {
  Simulation simulation;
  Trace trace = small_trace();
  trace.operations[2].deadline = 12 * kMs;  // before the timer is put off
  SimulatedThatRearms service(simulation);
  TracePlayer player(simulation, trace, {.lead = 5ms});
  EXPECT_TRUE(player.play(service, kNothing));
  EXPECT_EQ(service.set(), 6u);
  EXPECT_EQ(player.runs().size(), 3u);
}

TEST(TracePlayer, PlaysFaster) {
  Simulation simulation;
  const Trace trace = small_trace();
  const Instant begin = simulation.now() + 5ms;
  SimulatedThatRearms service(simulation);
  TracePlayer player(simulation, trace, {.speed = 4, .lead = 5ms});
  EXPECT_TRUE(player.play(service, kNothing));
  EXPECT_EQ(simulation.now(), begin + 15ms);
  EXPECT_THAT(due_after(player.runs(), begin), ElementsAre(2'500us, 12'500us));
}

TEST(TracePlayer, TellsOfTheMeasuredPartAlone) {
  Simulation simulation;
  const Trace trace = small_trace();
  const Instant begin = simulation.now() + 5ms;
  SimulatedThatRearms service(simulation);
  TracePlayer player(simulation, trace, {.lead = 5ms, .measured_from = 22ms});
  EXPECT_TRUE(player.play(service, kNothing));
  EXPECT_THAT(due_after(player.runs(), begin), ElementsAre(50ms));
  EXPECT_EQ(player.calls().size(), 3u);
}

TEST(TracePlayer, WaitsForWhatIsLateAndCountsWhatIsLater) {
  Simulation simulation;
  const Trace trace = small_trace();
  for (const auto& [late, shown] :
       {std::pair<Duration, Duration>(200ms, 200ms), std::pair<Duration, Duration>(10h, 310ms)}) {
    SimulatedThatRearms service(simulation, late);
    TracePlayer player(simulation, trace, {.lead = 5ms, .grace = 300ms});
    EXPECT_TRUE(player.play(service, kNothing));
    EXPECT_EQ(player.runs().size(), 2u);
    EXPECT_EQ(lateness_of(player.runs()).back(), shown);
  }
}

TEST(TracePlayer, NoticesAServiceThatFallsBehind) {
  for (const auto& [late, falls_behind] : {std::pair(5ms, false), std::pair(45ms, true)}) {
    Simulation simulation;
    const Trace trace = small_trace();
    SimulatedThatRearms service(simulation, late);
    TracePlayer player(simulation, trace, {.lead = 5ms, .falls_behind = 8ms});
    EXPECT_TRUE(player.play(service, kNothing));
    EXPECT_EQ(player.fell_behind(), falls_behind) << late.count();
  }
}

TEST(TracePlayer, NoticesCallsThatFallBehind) {
  class Slow : public SimulatedThatRearms {
   public:
    explicit Slow(Simulation& simulation)
        : SimulatedThatRearms(simulation), simulation_(simulation) {}
    Handle schedule(Duration delay, TimerTask task) {
      if (set() == 4) simulation_.run_until(simulation_.now() + 20ms);
      return SimulatedThatRearms::schedule(delay, std::move(task));
    }

   private:
    Simulation& simulation_;
  };
  Simulation simulation;
  const Trace trace = small_trace();
  Slow service(simulation);
  TracePlayer player(simulation, trace, {.lead = 5ms, .falls_behind = 8ms});
  EXPECT_TRUE(player.play(service, kNothing));
  EXPECT_TRUE(player.fell_behind());
}

TEST(TracePlayer, SaysSoIfItsTimeBeganTooEarly) {
  class Slow : public Simulated {
   public:
    explicit Slow(Simulation& simulation) : Simulated(simulation), simulation_(simulation) {}
    Handle schedule(Duration delay, TimerTask task) {
      simulation_.run_until(simulation_.now() + 1ms);
      return Simulated::schedule(delay, std::move(task));
    }

   private:
    Simulation& simulation_;
  };
  Simulation simulation;
  const Trace trace = small_trace();
  Slow service(simulation);
  TracePlayer player(simulation, trace, {.lead = 2ms});
  EXPECT_FALSE(player.play(service, kNothing));
}

TEST(TracePlayer, ATimerThatIsLostIsAnError) {
  Simulation simulation;
  const Trace trace = small_trace();
  SimulatedThatRearms service(simulation);
  service.lose(1);
  TracePlayer player(simulation, trace, {.lead = 5ms});
  EXPECT_THAT([&] { player.play(service, kNothing); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("of 5 timers 1 ran")));
}

TEST(TracePlayer, ATimerThatRunsTwiceIsAnError) {
  class Twice : public SimulatedThatRearms {
   public:
    using SimulatedThatRearms::SimulatedThatRearms;
    Handle schedule(Duration delay, const std::function<void()>& task) {
      if (set() == 0) SimulatedThatRearms::schedule(delay + 1ms, task);
      return SimulatedThatRearms::schedule(delay, task);
    }
  };
  Simulation simulation;
  const Trace trace = small_trace();
  Twice service(simulation);
  TracePlayer player(simulation, trace, {.lead = 5ms});
  EXPECT_THAT([&] { player.play(service, kNothing); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("1 ran twice")));
}

TEST(TracePlayer, LooksAtTheEndWhenNothingIsStoppedYet) {
  Simulation simulation;
  const Trace trace = small_trace();
  SimulatedThatRearms service(simulation);
  TracePlayer player(simulation, trace, {.lead = 5ms});
  std::size_t pending = 0;
  EXPECT_TRUE(player.play(service, [&] { pending = service.pending(); }));
  EXPECT_EQ(pending, 2u);
}

}  // namespace
}  // namespace timers::benches
