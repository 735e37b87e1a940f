#pragma once

/// A timer that runs again and again, over any timer service.
///
/// Each run is a new timer of the service, set when the previous run has ended. So two runs never
/// overlap, each run sees what the previous run wrote, and what the service promises for a timer
/// holds for every run. No lock is held while the body runs.
///
///     timers::Periodic periodic(timer, clock);
///     auto heartbeat = periodic.schedule(1s, {10s, CountsFrom::plan}, [] { send_heartbeat(); });
///     periodic.restart(heartbeat);    // there was traffic: the next run is 10 s from now
///     periodic.cancel(heartbeat);
///
///     schedule, a run         a `schedule` of the service
///     restart                 a `cancel` and a `schedule`
///     cancel                  a `cancel`
///     set_period, next_run    O(1)
///
/// Choose it for a service without periods, or for a period that has to change or to restart. It
/// has one weakness: if the rate is faster than the ticks of a wheel, runs come in bursts or are
/// left out.

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/periodic_timer.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/timer_service.hpp"

namespace timers {

/// Gives a service periods. It has no state, so copies are as good as the original. The service and
/// the clock must outlive it.
template <TimerService Service, Clock ClockType>
class Periodic {
  using Timer = PeriodicTimer<Service, ClockType>;

 public:
  /// A share in a periodic timer. It is good for ever. A default-constructed one stands for a timer
  /// that never was.
  using Handle = std::shared_ptr<Timer>;

  /// `clock` is the clock of `service`.
  Periodic(Service& service, ClockType& clock) : service_(service), clock_(clock) {}

  /// Runs `body()`, or `body(run)` with a PeriodicRun, `first` from now and then as `repetition`
  /// says, until the timer is cancelled or the service takes no more timers.
  ///
  /// What a body throws goes to the service's handler of errors, and the timer goes on. If a body
  /// throws in a burst, the rest of the burst follows as soon as the service can run it. A run that
  /// would come after the last instant never comes. If the service refuses the next run, because it
  /// is full, was stopped or has no memory, the timer is over. The handler of errors gets the
  /// refusal, in place of what the body threw.
  ///
  /// Throws std::invalid_argument if there is no body, or no time passes in the period, and what
  /// the service throws.
  template <class Body>
  requires(std::invocable<Body&> || std::invocable<Body&, const PeriodicRun&>) Handle
      schedule(Delay first, Repetition repetition, Body body,
               CatchUp catch_up = CatchUp::coalesce) {
    require_period(repetition.period);
    const auto timer = std::make_shared<Timer>(service_, clock_, repetition, catch_up);
    timer->start(deadline_after(clock_.now(), first), std::move(body));
    return timer;
  }

  /// No run begins from now on. Returns `cancelled` if no run is going on. Then the body is
  /// destroyed. The handle is passed by value: the caller's own handle may belong to the body,
  /// which dies in this call.
  CancelResult cancel(Handle timer) { return timer ? timer->cancel() : CancelResult::gone; }

  /// Puts the next run a full period from now, also while a run is going on. Returns false if the
  /// timer is over. Throws what the service throws; then the timer is over.
  bool restart(Handle timer) { return timer && timer->restart(); }

  /// Changes the period. The next run stays where it is, unless the timer is restarted. Returns
  /// false if the timer is over. Throws std::invalid_argument if no time passes in the period.
  bool set_period(const Handle& timer, Duration period) {
    require_period(period);
    return timer && timer->set_period(period);
  }

  /// The instant for which the next run is planned. During a run, the instant for which that run
  /// was planned. None if the timer is over.
  std::optional<Instant> next_run(const Handle& timer) const {
    return timer ? timer->next_run() : std::nullopt;
  }

 private:
  Service& service_;
  ClockType& clock_;
};

}  // namespace timers
