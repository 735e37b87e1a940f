#pragma once

/// Has a service run timers by a plan, and records when each ran.
///
/// The plan stands, whatever the service does: a generator that falls behind catches up, and no
/// deadline moves. What a call asks for is the delay that is left. So all lateness is against the
/// plan, and none is hidden because the generator waited for a slow service, which is known as
/// coordinated omission. How far it was behind is recorded beside it.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "benches/harness/machine/ways_to_sleep.hpp"
#include "benches/harness/services/processor_use.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// What a task does that only notes its start.
struct DoNothing {
  void operator()(std::size_t) const {}
};

/// One run of a plan, which must outlive it. All memory that it needs is there before it begins. It
/// must outlive the service, whose tasks write to it.
template <class ClockType>
class OpenLoop {
 public:
  OpenLoop(ClockType& clock, const Plan& plan)
      : clock_(clock), parker_(clock), plan_(plan), runs_(plan.size()), lags_(plan.size()) {}
  OpenLoop(const OpenLoop&) = delete;
  OpenLoop& operator=(const OpenLoop&) = delete;

  /// Runs all timers of the plan, and stops the service. What was pending before must be pending
  /// then. The task of timer i goes on with `body(i)`. Throws if a timer did not run, or ran twice.
  template <class Service, class Body = DoNothing>
  void run(Service& service, const Body& body = {}) {
    const TimerSlack slack(kLeastSlack);
    const std::size_t others = service.pending();
    const ProcessorUse before = use_of_other_threads();
    const Instant begin = clock_.now();
    for (std::size_t i = 0; i < plan_.size(); ++i) runs_[i].due = begin + plan_[i].due;
    generate(service, begin, body);
    wait(service, others);
    const std::size_t returned = service.stop().size();
    use_ = use_of_other_threads() - before;
    took_ = clock_.now() - begin;
    prove(returned, others);
  }

  /// When each timer was due, and when it ran.
  const std::vector<Run>& runs() const { return runs_; }

  /// From when each timer was to be scheduled until it was.
  const std::vector<Duration>& lags() const { return lags_; }

  /// Whether a timer may have been due before the service had it, for which the service can do
  /// nothing.
  bool generator_lagged() const {
    return *std::max_element(lags_.begin(), lags_.end()) > least_delay(plan_);
  }

  /// What the threads of the service took, from the first call until it was stopped.
  const ProcessorUse& use() const { return use_; }
  Duration took() const { return took_; }

 private:
  template <class Service, class Body>
  void generate(Service& service, Instant begin, const Body& body) {
    Instant now = clock_.now();
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const Instant call = begin + plan_[i].call;
      if (now < call) {
        parker_.park_until(call);
        now = clock_.now();
      }
      // A service may refuse a delay that is negative.
      const Duration left = std::max(runs_[i].due - now, Duration::zero());
      service.schedule(left, [this, i, &body] {
        start(i);
        body(i);
      });
      now = clock_.now();
      lags_[i] = now - call;
    }
  }

  /// What a task does first.
  void start(std::size_t timer) {
    const Instant now = clock_.now();
    if (runs_[timer].started != Instant()) second_runs_.fetch_add(1, std::memory_order_relaxed);
    runs_[timer].started = now;
  }

  /// Waits until no more than the others are pending, for as long as there become fewer each
  /// minute.
  template <class Service>
  void wait(const Service& service, std::size_t others) {
    constexpr Duration kPatience = std::chrono::minutes(1);
    constexpr Duration kPause = std::chrono::milliseconds(10);
    const auto last = std::max_element(runs_.begin(), runs_.end(),
                                       [](const Run& a, const Run& b) { return a.due < b.due; });
    parker_.park_until(last->due);
    std::size_t fewest = service.pending();
    Instant limit = last->due + kPatience;
    for (std::size_t pending = fewest; pending > others && clock_.now() < limit;
         pending = service.pending()) {
      if (pending < fewest) {
        fewest = pending;
        limit = clock_.now() + kPatience;
      }
      parker_.park_until(clock_.now() + kPause);
    }
  }

  void prove(std::size_t returned, std::size_t others) const {
    const auto lost = std::count_if(runs_.begin(), runs_.end(),
                                    [](const Run& run) { return run.started == Instant(); });
    if (lost == 0 && second_runs_ == 0 && returned == others) return;
    throw std::runtime_error(fmt::format(
        "of {} timers {} did not run and {} ran again; {} others were pending, and {} came back",
        runs_.size(), lost, second_runs_.load(), others, returned));
  }

  ClockType& clock_;
  typename ClockType::Parker parker_;
  const Plan& plan_;
  std::vector<Run> runs_;
  std::vector<Duration> lags_;
  std::atomic<std::size_t> second_runs_ = 0;
  ProcessorUse use_;
  Duration took_{};
};

}  // namespace timers::benches
