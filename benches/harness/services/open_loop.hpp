#pragma once

/// Lets a service run timers by a plan, and records when each ran.
///
/// The plan is fixed, whatever the service does: a generator that falls behind catches up, and no
/// deadline moves. A call asks for the delay that is left. So all lateness is relative to the plan.
/// No lateness is hidden because the generator waited for a slow service, which would be
/// coordinated omission. The lag of the generator is also recorded.

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

/// The body of a task that only records its start.
struct DoNothing {
  void operator()(std::size_t) const {}
};

/// One run of a plan. The plan must outlive the loop. The loop must outlive the service, because
/// tasks of the service write to the loop. All memory of the loop is allocated before the run. The
/// results are about the window: the timers that are due in the window, and the calls and the
/// processor time from its beginning to its end. If the window has no end, the processor time ends
/// when the service has been stopped.
template <class ClockType>
class OpenLoop {
 public:
  OpenLoop(ClockType& clock, const Plan& plan, Window window = {})
      : clock_(clock),
        parker_(clock),
        plan_(plan),
        window_(window),
        runs_(plan.size()),
        lags_(plan.size()) {}
  OpenLoop(const OpenLoop&) = delete;
  OpenLoop& operator=(const OpenLoop&) = delete;

  /// Runs all timers that are due before the window ends, and stops the service. Timers that are
  /// due later, and timers that were pending before, must still be pending then. The task of timer
  /// i ends with `body(i)`. Throws if a timer did not run, or ran twice.
  template <class Service, class Body = DoNothing>
  void run(Service& service, const Body& body = {}) {
    const TimerSlack slack(kLeastSlack);
    const std::size_t staying = service.pending() + count_staying();
    const Instant begin = clock_.now();
    for (std::size_t i = 0; i < plan_.size(); ++i) runs_[i].due = begin + plan_[i].due;
    generate(service, begin, body);
    const bool has_end = window_.end != Duration::max();
    if (has_end) {
      parker_.park_until(begin + window_.end);
      window_ends();
    }
    wait(service, staying);
    const std::size_t returned = service.stop().size();
    if (!has_end) window_ends();
    prove(returned, staying);
    keep_what_is_in_the_window();
  }

  /// When each timer was due, and when it ran.
  const std::vector<Run>& runs() const { return runs_; }

  /// For each call, its lag: from the planned time of the call until the call has returned.
  const std::vector<Duration>& lags() const { return lags_; }

  /// Whether a timer was due before the service had it. That is not the fault of the service.
  bool generator_lagged() const { return generator_lagged_; }

  /// Whether all timers that the plan schedules at the beginning were scheduled before any was due.
  bool began_in_time() const { return began_in_time_; }

  /// The processor use of the service's threads in the window, and how long this took.
  const ProcessorUse& use() const { return use_; }
  Duration took() const { return took_; }

 private:
  template <class Service, class Body>
  void generate(Service& service, Instant begin, const Body& body) {
    Instant now = clock_.now();
    bool is_in_window = false;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (!is_in_window && plan_[i].call >= window_.begin) {
        is_in_window = true;
        use_before_ = use_of_other_threads();
        window_began_ = now;
      }
      const Instant call = begin + plan_[i].call;
      if (now < call) {
        parker_.park_until(call);
        now = clock_.now();
      }
      // A service may refuse a negative delay.
      const Duration left = std::max(runs_[i].due - now, Duration::zero());
      service.schedule(left, [this, i, &body] {
        start(i);
        body(i);
      });
      now = clock_.now();
      lags_[i] = now - call;
      generator_lagged_ |= now > runs_[i].due;
    }
  }

  void window_ends() {
    use_ = use_of_other_threads() - use_before_;
    took_ = clock_.now() - window_began_;
  }

  /// The first thing that a task does.
  void start(std::size_t timer) {
    const Instant now = clock_.now();
    if (runs_[timer].started != Instant()) second_runs_.fetch_add(1, std::memory_order_relaxed);
    runs_[timer].started = now;
  }

  /// Waits until only `staying` timers are pending, as long as their number decreases each minute.
  template <class Service>
  void wait(const Service& service, std::size_t staying) {
    constexpr Duration kPatience = std::chrono::minutes(1);
    constexpr Duration kPause = std::chrono::milliseconds(10);
    Instant last{};
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (!stays(i)) last = std::max(last, runs_[i].due);
    }
    parker_.park_until(last);
    std::size_t fewest = service.pending();
    Instant limit = last + kPatience;
    for (std::size_t pending = fewest; pending > staying && clock_.now() < limit;
         pending = service.pending()) {
      if (pending < fewest) {
        fewest = pending;
        limit = clock_.now() + kPatience;
      }
      parker_.park_until(clock_.now() + kPause);
    }
  }

  bool stays(std::size_t timer) const { return plan_[timer].due >= window_.end; }

  std::size_t count_staying() const {
    return static_cast<std::size_t>(
        std::count_if(plan_.begin(), plan_.end(),
                      [this](const PlannedTimer& timer) { return timer.due >= window_.end; }));
  }

  void prove(std::size_t returned, std::size_t staying) const {
    std::size_t lost = 0;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (!stays(i) && runs_[i].started == Instant()) ++lost;
    }
    if (lost == 0 && second_runs_ == 0 && returned == staying) return;
    throw std::runtime_error(fmt::format(
        "of {} timers {} did not run and {} ran again; {} others were pending, and {} came back",
        runs_.size(), lost, second_runs_.load(), staying, returned));
  }

  void keep_what_is_in_the_window() {
    const Duration first_due = std::min_element(plan_.begin(), plan_.end(), is_due_before)->due;
    std::size_t runs = 0;
    std::size_t lags = 0;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (plan_[i].call == Duration::zero()) began_in_time_ &= lags_[i] <= first_due;
      if (plan_[i].call >= window_.begin) lags_[lags++] = lags_[i];
      if (plan_[i].due >= window_.begin && !stays(i)) runs_[runs++] = runs_[i];
    }
    runs_.resize(runs);
    lags_.resize(lags);
  }

  ClockType& clock_;
  typename ClockType::Parker parker_;
  const Plan& plan_;
  const Window window_;
  std::vector<Run> runs_;
  std::vector<Duration> lags_;
  std::atomic<std::size_t> second_runs_ = 0;
  bool generator_lagged_ = false;
  bool began_in_time_ = true;
  ProcessorUse use_before_;
  Instant window_began_;
  ProcessorUse use_;
  Duration took_{};
};

}  // namespace timers::benches
