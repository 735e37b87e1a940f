#pragma once

/// A timer that runs again and again, over any timer service.
///
/// Each run is a timer of the service of its own, set when the one before has ended. So two runs
/// never overlap, each sees what the one before wrote, and what the service promises for a timer
/// holds for every run. It costs the body no lock, and nothing that the service does not do for
/// all.
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
/// Choose it where the service has no periods, or where a period has to change or start anew. Its
/// weakness: a rate that is faster than the ticks of a wheel comes in bursts, or is thinned out.

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// What happens to the runs of a fixed rate that are due together, because the one before took
/// long, or the machine slept.
enum class CatchUp {
  coalesce,  ///< The last of them takes place and is told how many it stands for.
  burst      ///< All take place, at once and one after the other, as in java.util.Timer.
};

/// What a body may ask to know of its run.
struct PeriodicRun {
  Instant planned;       ///< When it was due.
  std::uint64_t missed;  ///< How many runs do not take place because this one does.
};

/// Gives a service periods. It has no state, and its copies are the same; the service and the clock
/// must outlive it.
template <TimerService Service, Clock ClockType>
class Periodic {
  class Timer;

 public:
  /// A share in a periodic timer. It is good for ever; a default-constructed one is that of a timer
  /// that never was.
  using Handle = std::shared_ptr<Timer>;

  /// `clock` is the one of `service`.
  Periodic(Service& service, ClockType& clock) : service_(service), clock_(clock) {}

  /// Runs `body()`, or `body(run)` with a PeriodicRun, `first` from now and then as `repetition`
  /// says, until the timer is cancelled or the service takes no timers any more.
  ///
  /// What a body throws goes to the service's handler of errors, and the timer goes on; it cuts a
  /// burst short, whose rest follows as soon as the service can. A first run or a period that leads
  /// beyond the last instant never ends. If the service refuses the next run, because it is full or
  /// was stopped, the timer is over, and the handler of errors gets the refusal.
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

  /// No run begins any more. Says `cancelled` if none is going on, and the body is destroyed. The
  /// handle comes by value: the one of the caller may belong to the body, which dies in here.
  CancelResult cancel(Handle timer) { return timer ? timer->cancel() : CancelResult::gone; }

  /// The next run is a full period from now; if one is going on, from now and not from its end or
  /// plan. Returns false if the timer is over. Throws what the service throws; then the timer is
  /// over.
  bool restart(Handle timer) { return timer && timer->restart(); }

  /// Changes the period. The next run stays where it is, unless the timer is restarted. Returns
  /// false if the timer is over. Throws std::invalid_argument if no time passes in the period.
  bool set_period(const Handle& timer, Duration period) {
    require_period(period);
    return timer && timer->set_period(period);
  }

  /// When the next run is due, or the one that is going on was; none if the timer is over.
  std::optional<Instant> next_run(const Handle& timer) const {
    return timer ? timer->next_run() : std::nullopt;
  }

 private:
  Service& service_;
  ClockType& clock_;
};

template <TimerService Service, Clock ClockType>
class Periodic<Service, ClockType>::Timer
    : public std::enable_shared_from_this<typename Periodic<Service, ClockType>::Timer> {
 public:
  Timer(Service& service, ClockType& clock, Repetition repetition, CatchUp catch_up)
      : service_(service), clock_(clock), catch_up_(catch_up), repetition_(repetition) {}

  template <class Body>
  void start(Instant first, Body body) {
    body_ = bind(std::move(body));
    require_task(body_);
    planned_ = first;
    arm(Lock(mutex_));
  }

  CancelResult cancel() {
    Lock lock(mutex_);
    switch (state_) {
      case TimerState::pending:
        break;
      case TimerState::running:
        state_ = TimerState::last_run;
        return CancelResult::running;
      case TimerState::last_run:
        return CancelResult::running;
      default:
        return CancelResult::gone;
    }
    const ServiceHandle armed = end(std::move(lock));
    service_.cancel(armed);
    return CancelResult::cancelled;
  }

  bool restart() {
    Lock lock(mutex_);
    if (state_ == TimerState::running) {
      restarted_ = clock_.now();
    } else if (state_ == TimerState::pending) {
      planned_ = after(clock_.now(), repetition_.period);
      arm(std::move(lock));
    } else {
      return false;
    }
    return true;
  }

  bool set_period(Duration period) {
    const Lock lock(mutex_);
    repetition_.period = period;
    return goes_on();
  }

  std::optional<Instant> next_run() const {
    const Lock lock(mutex_);
    return goes_on() ? std::optional(planned_) : std::nullopt;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using ServiceHandle = typename Service::Handle;

  /// The task of the service. It has a number, by which it knows whether the timer still wants it:
  /// what a cancel or a restart comes too late to take from the service does nothing.
  class NextRun {
   public:
    NextRun(std::shared_ptr<Timer> timer, std::uint64_t number)
        : timer_(std::move(timer)), number_(number) {}
    NextRun(NextRun&&) noexcept = default;
    NextRun& operator=(NextRun&&) = delete;
    ~NextRun() {
      if (timer_) timer_->give_up(number_);
    }

    void operator()() { timer_->run(number_); }

   private:
    std::shared_ptr<Timer> timer_;
    std::uint64_t number_;
  };

  /// Nothing is set for later than that: a service may refuse what leads to the last instant, and
  /// reads the clock a moment later.
  static constexpr Instant kLatest = Instant::max() - std::chrono::hours(1);

  template <class Body>
  TimerTask bind(Body body) {
    if constexpr (std::invocable<Body&>) {
      return TimerTask(std::move(body));
    } else {
      if constexpr (requires { body == nullptr; }) {
        if (body == nullptr) return nullptr;
      }
      return [body = std::move(body), &run = std::as_const(run_)]() mutable { body(run); };
    }
  }

  bool goes_on() const { return state_ == TimerState::pending || state_ == TimerState::running; }

  /// Has the service run the timer when it is planned, and not when it was planned before.
  void arm(Lock lock) {
    const std::uint64_t number = ++number_;
    const ServiceHandle former = std::exchange(armed_, ServiceHandle());
    const Duration delay = span(clock_.now(), std::min(planned_, kLatest));
    lock.unlock();
    service_.cancel(former);  // first, so that a service that is full has room
    const ServiceHandle armed = service_.schedule(std::max(delay, Duration::zero()),
                                                  NextRun(this->shared_from_this(), number));
    lock.lock();
    if (number == number_) {
      armed_ = armed;
      return;
    }
    // The run has begun already; or the timer was cancelled or restarted, and this is too late.
    lock.unlock();
    service_.cancel(armed);
  }

  void run(std::uint64_t number) {
    Lock lock(mutex_);
    if (number != number_) return;
    ++number_;
    armed_ = ServiceHandle();
    state_ = TimerState::running;
    // Read once: what becomes due during a burst waits until others had their turn.
    const Instant now = clock_.now();
    std::exception_ptr error;
    do {
      error = run_body(now, lock);
    } while (!error && state_ == TimerState::running && bursts() && planned_ <= now);
    if (state_ == TimerState::running) {
      state_ = TimerState::pending;
      arm(std::move(lock));
    } else {
      lock.unlock();
      body_ = nullptr;
      lock.lock();
      state_ = TimerState::done;
    }
    if (error) std::rethrow_exception(error);
  }

  bool bursts() const {
    return repetition_.from == CountsFrom::plan && catch_up_ == CatchUp::burst;
  }

  /// Runs the body once, without the lock, and plans the next run. Returns what it throws.
  std::exception_ptr run_body(Instant now, Lock& lock) {
    run_ = {planned_, 0};
    if (repetition_.from == CountsFrom::plan && catch_up_ == CatchUp::coalesce && now > planned_) {
      const Duration late = span(planned_, now);
      run_.missed = static_cast<std::uint64_t>(late / repetition_.period);
      run_.planned += late - late % repetition_.period;
      planned_ = run_.planned;
    }
    lock.unlock();
    std::exception_ptr error;
    const Instant started = clock_.now();
    try {
      body_();
    } catch (...) {
      error = std::current_exception();
    }
    const Instant ended = clock_.now();
    lock.lock();
    planned_ = repetition_.next(run_.planned, started, ended);
    if (restarted_) planned_ = after(*std::exchange(restarted_, {}), repetition_.period);
    return error;
  }

  /// The service destroys the task of a run that did not take place. If it is still wanted, the
  /// service was stopped, or refused it.
  void give_up(std::uint64_t number) {
    Lock lock(mutex_);
    if (number == number_) end(std::move(lock));
  }

  /// There is no other run. Returns the timer of the service, and destroys the body.
  ServiceHandle end(Lock lock) {
    state_ = TimerState::done;
    ++number_;
    ServiceHandle armed = std::exchange(armed_, ServiceHandle());
    const TimerTask body = std::move(body_);
    lock.unlock();
    return armed;
  }

  Service& service_;
  ClockType& clock_;
  const CatchUp catch_up_;
  TimerTask body_;
  PeriodicRun run_{};  // the one that is going on

  mutable std::mutex mutex_;  // guards the rest
  TimerState state_ = TimerState::pending;
  Repetition repetition_;
  Instant planned_;
  std::optional<Instant> restarted_;  // when that was, if during the run that is going on
  ServiceHandle armed_;               // leads to the next run
  std::uint64_t number_ = 0;          // of the task that may begin it
};

}  // namespace timers
