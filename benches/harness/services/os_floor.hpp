#pragma once

/// The floor of the operating system: how late a thread is that only sleeps until each deadline. It
/// takes turns with the services, has the same deadlines, and sleeps in the way in which most
/// services sleep. At the same time a caller wakes when timers would be scheduled, but makes no
/// call: a core that is woken often sleeps less deeply. So only the lateness beyond the floor
/// belongs to a service.

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

/// Sleeps until each deadline of a plan. Returns when it was awake, for the deadlines in the
/// window. A deadline that passed before the thread slept again is late, as in a service.
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

/// Sleeps until each call of a plan, except the calls at the beginning.
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

  /// Writes its results to `lateness`, for itself and for the others. Removes former contents,
  /// which are of an earlier contest.
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
