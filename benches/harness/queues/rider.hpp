#pragma once

/// A queue of any type on its ride through a schedule, behind one interface. So the code that
/// measures is compiled once, and not for each queue.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>

#include "benches/harness/absence.hpp"
#include "benches/harness/queues/audit.hpp"
#include "benches/harness/queues/call_times.hpp"
#include "benches/harness/queues/pass.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/harness/queues/set_timers.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Takes the measured steps as fast as the queue can, as most benches do. A *ride* like this one is
/// made for each pass through a schedule.
struct AllSteps {
  template <class Queue>
  static constexpr bool kCanBeTakenBy = true;
  static constexpr std::size_t kOperationsACall = 1;
  /// Whether a window represents all the steps.
  static constexpr bool kWindowIsLikeTheWhole = true;

  explicit AllSteps(const Schedule&) {}

  /// Takes steps until `end`, or until the budget is spent.
  template <class AnyPlayback, class Witness>
  Timing operator()(AnyPlayback& replay, std::size_t end, Seconds budget, Witness& witness) const {
    return with_absence([&] { return run_in_budget(replay, end, budget, witness); });
  }

  /// Adds further counters at the end of a schedule.
  template <class Queue>
  static void count(benchmark::UserCounters&, const Queue&) {}
};

/// A fresh queue, its pass through a schedule and its ride. Each call takes many steps, and reads
/// the clock itself. So the erased type costs nothing in a step.
class Rider {
 public:
  Rider() = default;
  Rider(const Rider&) = delete;
  Rider& operator=(const Rider&) = delete;
  virtual ~Rider() = default;

  virtual std::size_t position() const = 0;
  virtual bool is_at_the_end() const = 0;
  virtual std::size_t pending() = 0;  // timers
  virtual Prover& prover() = 0;

  /// Takes steps until `end`, or until the budget is spent, with the prover as witness. `set_up`
  /// takes the steps before the measured ones, and returns the seconds that they took.
  virtual double set_up(std::size_t end, Seconds budget) = 0;
  virtual Timing ride(std::size_t end, Seconds budget) = 0;
  /// Like `ride`, with a witness that times each call alone.
  virtual Timing ride(std::size_t end, Seconds budget, CallTimes& witness) = 0;

  /// Adds the counters of the ride at the end of a schedule.
  virtual void count(benchmark::UserCounters& counters) = 0;
  /// Takes the last step. Throws std::runtime_error if the queue did not show what is right for a
  /// queue that took the steps up to here.
  virtual void finish(const std::function<Proof(std::size_t end)>& right) = 0;
};

/// What is known of a type of queue and its ride.
struct RiderKind {
  std::size_t operations_a_call;
  bool window_is_like_the_whole;
  bool can_rearm;
  bool may_be_late;
  std::unique_ptr<Rider> (*make)(const Schedule&);
  /// Audits a queue that stops at step `end`. Only for queues that may be late.
  Audit (*audited)(const Schedule&, std::size_t end);
};

template <class Queue, class Ride>
class RiderOf final : public Rider {
 public:
  explicit RiderOf(const Schedule& schedule) : pass_(schedule), ride_(schedule) {}

  std::size_t position() const override { return pass_.playback().position(); }
  bool is_at_the_end() const override { return pass_.is_at_the_end(); }
  std::size_t pending() override { return pass_.playback().queue().size(); }
  Prover& prover() override { return pass_.prover(); }

  double set_up(std::size_t end, Seconds budget) override {
    return run_in_budget(pass_.playback(), end, budget, pass_.prover());
  }
  Timing ride(std::size_t end, Seconds budget) override {
    return ride_(pass_.playback(), end, budget, pass_.prover());
  }
  Timing ride(std::size_t end, Seconds budget, CallTimes& witness) override {
    return ride_(pass_.playback(), end, budget, witness);
  }

  void count(benchmark::UserCounters& counters) override {
    ride_.count(counters, pass_.playback().queue());
  }
  void finish(const std::function<Proof(std::size_t end)>& right) override { pass_.finish(right); }

 private:
  Pass<Queue> pass_;
  Ride ride_;
};

template <class Queue, class Ride>
constexpr RiderKind rider_kind_of() {
  RiderKind kind = {
      .operations_a_call = Ride::kOperationsACall,
      .window_is_like_the_whole = Ride::kWindowIsLikeTheWhole,
      .can_rearm = TimersOf<Queue>::kCanRearm,
      .may_be_late = kMayBeLate<Queue>,
      .make = [](const Schedule& schedule) -> std::unique_ptr<Rider> {
        return std::make_unique<RiderOf<Queue, Ride>>(schedule);
      },
      .audited = nullptr,
  };
  if constexpr (kMayBeLate<Queue>) {
    kind.audited = [](const Schedule& schedule, std::size_t end) {
      constexpr Seconds kNoBudget{std::numeric_limits<double>::infinity()};
      return audit<Queue>(schedule, end, [&](auto& playback, std::size_t to, auto& witness) {
        Ride ride(schedule);
        ride(playback, to, kNoBudget, witness);
      });
    };
  }
  return kind;
}

}  // namespace timers::benches
