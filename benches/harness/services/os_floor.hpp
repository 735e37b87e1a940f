#pragma once

/// The floor of the operating system: how late a thread is that does nothing but sleep until each
/// deadline. It takes its turns among the services, on the same deadlines, in the way in which most
/// of them sleep. Beside it a caller wakes when timers would be scheduled, and makes no call: a
/// core that is woken often sleeps less deeply. So what a service is late beyond the floor is its
/// own.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "benches/harness/contest.hpp"
#include "benches/harness/machine/ways_to_sleep.hpp"
#include "benches/harness/services/lateness.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// Sleeps until each deadline of a plan. Returns when it was awake for those in the window. What
/// passed before it came back to sleep is late, as it is in a service.
template <class ClockType, class WayToSleep>
std::vector<Run> sleep_through(const ClockType& clock, WayToSleep& way, const Piece& piece) {
  Plan plan = piece.plan;
  std::sort(plan.begin(), plan.end(), is_due_before);
  std::vector<Run> runs;
  runs.reserve(plan.size());
  const Instant begin = clock.now();
  for (const PlannedTimer& timer : plan) {
    if (timer.due >= piece.window.end) break;
    const Instant due = begin + timer.due;
    if (clock.now() < due) way.sleep_until(due);
    if (timer.due >= piece.window.begin) runs.push_back({due, clock.now()});
  }
  return runs;
}

/// Sleeps until each call of a plan that is not at once.
template <class ClockType, class WayToSleep>
void wake_for_calls(const ClockType& clock, WayToSleep& way, const Plan& plan) {
  const Instant begin = clock.now();
  for (const PlannedTimer& timer : plan) {
    const Instant call = begin + timer.call;
    if (clock.now() < call) way.sleep_until(call);
  }
}

class OsFloor final : public Contestant {
 public:
  using MakePiece = std::function<Piece(std::size_t pass)>;

  /// What it finds goes into `lateness`, for itself and for the others. What was there goes: it is
  /// of a contest before.
  OsFloor(MakePiece make_piece, FigureAt figure, std::shared_ptr<Lateness> lateness,
          Duration slack = SteadyClock::kLeastSlack)
      : make_piece_(std::move(make_piece)),
        figure_(figure),
        lateness_(std::move(lateness)),
        slack_(static_cast<unsigned long>(slack.count())) {
    *lateness_ = Lateness();
  }

  void take_turn(std::size_t pass, std::size_t) override {
    const Piece piece = make_piece_(pass);
    const SteadyClock clock;
    const std::jthread caller([&] {
      Futex way;
      wake_for_calls(clock, way, piece.plan);
    });
    Futex way(slack_);
    lateness_->add(sleep_through(clock, way, piece));
  }

  void report(benchmark::State& state) const override {
    report_lateness(state, *lateness_, {}, figure_);
  }

 private:
  MakePiece make_piece_;
  FigureAt figure_;
  std::shared_ptr<Lateness> lateness_;
  unsigned long slack_;
};

}  // namespace timers::benches
