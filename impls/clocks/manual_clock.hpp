#pragma once

/// Time that stands still until somebody moves it.
///
/// The clock counts the threads that are at work. Services make threads of its type `Thread`. Such
/// a thread is at work from its start to its end, except while it is parked. Any other thread is at
/// work only from the moment when it is woken until it is back from `park`. When no thread is at
/// work, all is *quiet*: nothing more will happen before time moves or somebody calls. A move
/// begins when all is quiet, and returns when all is quiet again.
///
/// A thread of the clock that moves the clock gets std::logic_error. Such a thread must only wait
/// on parkers. If it waits in another way for a call that comes after a move, the move hangs.

#include <algorithm>
#include <atomic>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/instant.hpp"

namespace timers {

class ManualClock {
 public:
  class Parker;
  class Thread;

  static constexpr OverSuspend over_suspend = OverSuspend::stands_still;
  static constexpr bool moves_with_the_wall_clock = false;

  explicit ManualClock(Instant start = Instant{}) : now_(start) {}
  ManualClock(const ManualClock&) = delete;
  ManualClock& operator=(const ManualClock&) = delete;

  Instant now() const { return now_.load(std::memory_order_acquire); }

  /// Moves time to `target` in one jump, when all is quiet, and returns when all is quiet again.
  /// Throws std::invalid_argument if `target` is in the past.
  void advance_to(Instant target) {
    move([=](Instant) { return target; }, &ManualClock::jump_to);
  }

  /// The same with a span.
  void advance_by(Duration span) {
    move([=](Instant now) { return after(now, span); }, &ManualClock::jump_to);
  }

  /// Moves time to `target`. On the way it stops at each instant until which a thread waits,
  /// because real time would pass these instants, too.
  void run_until(Instant target) {
    move([=](Instant) { return target; }, &ManualClock::walk_to);
  }

  /// The same with a span.
  void run_for(Duration span) {
    move([=](Instant now) { return after(now, span); }, &ManualClock::walk_to);
  }

  /// Returns when all is quiet.
  void settle() {
    Lock lock(mutex_);
    wait_before_a_move(lock);
  }

  /// Whether all is quiet now.
  bool is_quiet() const {
    const Lock lock(mutex_);
    return at_work_ == 0;
  }

  /// Returns when the clock has been moved on by `span`. A task calls this to take time.
  void sleep_for(Duration span);

  /// How often a thread was woken from a parker so far.
  std::size_t wakes() const {
    const Lock lock(mutex_);
    return wakes_;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  bool is_of_this_clock() const { return clock_of_thread_ == this; }

  void wait_before_a_move(Lock& lock) {
    if (is_of_this_clock()) {
      throw std::logic_error("a thread for which a manual clock waits cannot move the clock");
    }
    wait_for_quiet(lock);
  }

  /// Waits until all is quiet. Then moves time to `target_from(now())` in the given way.
  template <class TargetFrom>
  void move(TargetFrom target_from, void (ManualClock::*way)(Instant, Lock&)) {
    Lock lock(mutex_);
    wait_before_a_move(lock);
    const Instant target = target_from(now());
    if (target < now()) {
      throw std::invalid_argument("a clock cannot be moved from " + in_words(now()) + " back to " +
                                  in_words(target));
    }
    (this->*way)(target, lock);
  }

  static std::string in_words(Instant instant) {
    return std::to_string(instant.time_since_epoch().count()) + " ns";
  }

  void wait_for_quiet(Lock& lock) {
    quiet_.wait(lock, [this] { return at_work_ == 0; });
  }

  void jump_to(Instant target, Lock& lock);
  void walk_to(Instant target, Lock& lock) {
    for (auto next = first_deadline(); next && *next <= target; next = first_deadline()) {
      jump_to(*next, lock);
    }
    jump_to(target, lock);
  }
  std::optional<Instant> first_deadline() const;
  void wake(Parker& parker);

  void begins_work() { ++at_work_; }
  void ends_work() {
    if (--at_work_ == 0) quiet_.notify_all();
  }

  static inline thread_local const ManualClock* clock_of_thread_ = nullptr;

  std::atomic<Instant> now_;
  mutable std::mutex mutex_;
  std::condition_variable quiet_;
  std::size_t at_work_ = 0;
  std::size_t wakes_ = 0;
  std::vector<Parker*> parked_;  // the parkers on which a thread waits, without a token
};

class ManualClock::Parker {
 public:
  explicit Parker(ManualClock& clock) : clock_(clock) {}
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  void park() { wait(std::nullopt); }
  bool park_until(Instant deadline) { return wait(deadline); }

  void unpark() {
    const Lock lock(clock_.mutex_);
    token_ = true;
    if (parked_) clock_.wake(*this);
  }

 private:
  friend ManualClock;

  bool wait(std::optional<Instant> deadline) {
    Lock lock(clock_.mutex_);
    if (!token_ && !(deadline && *deadline <= clock_.now())) {
      clock_.parked_.push_back(this);
      parked_ = true;
      deadline_ = deadline;
      if (clock_.is_of_this_clock()) clock_.ends_work();
      woken_.wait(lock, [this] { return !parked_; });
      if (!clock_.is_of_this_clock()) clock_.ends_work();
    }
    return std::exchange(token_, false);
  }

  ManualClock& clock_;
  std::condition_variable woken_;
  bool token_ = false;
  bool parked_ = false;
  std::optional<Instant> deadline_;
};

class ManualClock::Thread {
 public:
  template <std::invocable Body>
  Thread(ManualClock& clock, Body body)
      : clock_(&clock),
        end_(std::make_unique<Parker>(clock)),
        thread_([work = Work(clock, *end_), body = std::move(body)]() mutable {
          clock_of_thread_ = work.clock();
          body();
        }) {}
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&&) = delete;
  ~Thread() {
    if (thread_.joinable()) join();
  }

  void join() {
    // A thread of the clock waits on a parker, as always, so that time can move meanwhile.
    if (clock_->is_of_this_clock()) end_->park();
    thread_.join();
  }

 private:
  /// Counts the thread as at work, from before the thread starts until a thread that waits for its
  /// end counts as at work. So there is no gap in which all seems quiet.
  class Work {
   public:
    Work(ManualClock& clock, Parker& end) : clock_(&clock), end_(&end) {
      const Lock lock(clock_->mutex_);
      clock_->begins_work();
    }
    Work(Work&& other) noexcept : clock_(std::exchange(other.clock_, nullptr)), end_(other.end_) {}
    Work& operator=(Work&&) = delete;
    ~Work() {
      if (clock_ == nullptr) return;
      end_->unpark();
      const Lock lock(clock_->mutex_);
      clock_->ends_work();
    }

    const ManualClock* clock() const { return clock_; }

   private:
    ManualClock* clock_;
    Parker* end_;
  };

  ManualClock* clock_;
  std::unique_ptr<Parker> end_;
  std::jthread thread_;
};

inline void ManualClock::sleep_for(Duration span) {
  Parker alarm(*this);
  alarm.park_until(after(now(), span));
}

inline void ManualClock::jump_to(Instant target, Lock& lock) {
  // Another thread may have moved the clock further while this thread waited for quiet.
  now_.store(std::max(now(), target), std::memory_order_release);
  for (std::size_t i = parked_.size(); i-- > 0;) {
    if (parked_[i]->deadline_ && *parked_[i]->deadline_ <= target) wake(*parked_[i]);
  }
  wait_for_quiet(lock);
}

inline std::optional<Instant> ManualClock::first_deadline() const {
  std::optional<Instant> first;
  for (const Parker* parker : parked_) {
    if (parker->deadline_ && (!first || *parker->deadline_ < *first)) first = parker->deadline_;
  }
  return first;
}

inline void ManualClock::wake(Parker& parker) {
  parked_.erase(std::find(parked_.begin(), parked_.end(), &parker));
  parker.parked_ = false;
  ++wakes_;
  begins_work();
  // Must be under the lock: the woken thread may destroy its parker as soon as it gets the lock.
  parker.woken_.notify_one();
}

}  // namespace timers
