#pragma once

/// One timer of Periodic: after each run it sets itself anew, as a timer of the service.
///
/// Its mutex guards its state and its plan. The mutex is not held while the body runs or dies, nor
/// in a call of the service. So the service may still have a run that the timer no longer wants:
/// each run has a number, and only the run with the current number does anything.

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

/// What happens to the runs of a fixed rate that are due together, because the previous run took
/// long or the machine slept.
enum class CatchUp {
  coalesce,  ///< Only the last of them takes place. It is told how many runs were left out.
  burst      ///< All take place, one right after the other, as in java.util.Timer.
};

/// What a body may learn about its run.
struct PeriodicRun {
  Instant planned;       ///< When it was due.
  std::uint64_t missed;  ///< How many runs do not take place because this one does.
};

template <TimerService Service, Clock ClockType>
class PeriodicTimer : public std::enable_shared_from_this<PeriodicTimer<Service, ClockType>> {
 public:
  PeriodicTimer(Service& service, ClockType& clock, Repetition repetition, CatchUp catch_up)
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

  /// The task that the service runs. Its number tells whether the timer still wants it. If a cancel
  /// or a restart came too late to take the task out of the service, the task does nothing.
  class NextRun {
   public:
    NextRun(std::shared_ptr<PeriodicTimer> timer, std::uint64_t number)
        : timer_(std::move(timer)), number_(number) {}
    NextRun(NextRun&&) noexcept = default;
    NextRun& operator=(NextRun&&) = delete;
    ~NextRun() {
      if (timer_) timer_->give_up(number_);
    }

    void operator()() { timer_->run(number_); }

   private:
    std::shared_ptr<PeriodicTimer> timer_;
    std::uint64_t number_;
  };

  /// Before this instant, no timer is set for a later one: a service may refuse a delay that leads
  /// to the last instant, and the service reads the clock a moment later than we do.
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

  /// Sets a timer in the service for the planned instant, and cancels the one that was set before.
  void arm(Lock lock) {
    const Instant now = clock_.now();
    if (now >= kLatest && planned_ == Instant::max()) {  // It never comes.
      service_.cancel(end(std::move(lock)));
      return;
    }
    const std::uint64_t number = ++number_;
    const ServiceHandle former = std::exchange(armed_, ServiceHandle());
    const Duration delay = span(now, now < kLatest ? std::min(planned_, kLatest) : planned_);
    lock.unlock();
    service_.cancel(former);  // first, so that a service that is full has room
    const ServiceHandle armed = service_.schedule(std::max(delay, Duration::zero()),
                                                  NextRun(this->shared_from_this(), number));
    lock.lock();
    if (number == number_) {
      armed_ = armed;
      return;
    }
    // The run has begun already, or the timer was cancelled or restarted meanwhile.
    lock.unlock();
    service_.cancel(armed);
  }

  void run(std::uint64_t number) {
    Lock lock(mutex_);
    if (number != number_) return;
    armed_ = ServiceHandle();
    // Read once: a run that becomes due during a burst waits until other timers had their turn.
    const Instant now = clock_.now();
    if (planned_ > kLatest && planned_ > now) {  // The timer was set for kLatest.
      arm(std::move(lock));
      return;
    }
    ++number_;
    state_ = TimerState::running;
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

  /// The service has destroyed the task of a run that did not take place. If the timer still wants
  /// that run, the service was stopped, or it refused the run.
  void give_up(std::uint64_t number) {
    Lock lock(mutex_);
    if (number == number_) end(std::move(lock));
  }

  /// No run follows. Destroys the body, and returns the handle of the timer that is set in the
  /// service.
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
  std::optional<Instant> restarted_;  // the instant of a restart during the present run
  ServiceHandle armed_;               // the timer that is set in the service
  std::uint64_t number_ = 0;          // the number of the task that may begin the next run
};

}  // namespace timers
