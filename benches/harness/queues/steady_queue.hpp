#pragma once

/// A queue in the steady state, which is checked by counts and a digest.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/random.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// Throws if a count is not what it must be.
inline void check_count(std::uint64_t seen, std::uint64_t expected, const char* what) {
  if (seen != expected) {
    throw std::runtime_error(fmt::format("{} {}, not {}", seen, what, expected));
  }
}

/// Holds a constant number of timers: a timer that ends is set again, with a delay uniform over an
/// hour. Time moves in steps. The first timers are due in the second half hour, so that time can
/// move before anything expires. In the digest, a timer that runs in time has the step at which it
/// is due.
template <TimerQueue Queue>
class SteadyQueue {
 public:
  static constexpr Tick kHour = 3'600'000;  // in ticks of 1 ms
  static constexpr int kStepsAnHour = 8;

  static Tick random_delay(Random& random) { return 1 + random.next() % kHour; }

  explicit SteadyQueue(std::size_t pending) : timers_(pending) {
    for (Task slot = 0; slot < pending; ++slot)
      set(slot, kHour / 2 + (random_delay(random_) + 1) / 2);
  }

  /// Sets a timer a full hour ahead, after all others, and cancels it.
  void insert_and_cancel() {
    const Task task = timers_.size();
    cancelled_ += queue_.cancel(queue_.insert(now_ + kHour, task));
    ++inserts_;
    ++cancels_;
  }

  /// Cancels a random timer and sets it again.
  void cancel_and_insert() {
    const Task slot = random_.next() % timers_.size();
    const Timer& timer = timers_[slot];
    cancelled_ += queue_.cancel(timer.handle);
    ++cancels_;
    expected_ -= mix(slot, timer.deadline, step_of(timer.deadline));
    set(slot, random_delay(random_));
  }

  /// Moves time by a step. A timer that expires is set again in its callback.
  void move_time() {
    expire([this](Task slot) { set(slot, random_delay(random_)); });
  }

  std::uint64_t expiries() const { return expiries_; }

  /// Lets all pending timers expire. Throws if anything was wrong until then.
  void finish() {
    check_count(queue_.size(), timers_.size(), "timers are pending");
    const Tick last = now_ + kHour + max_lateness(kHour);
    while (now_ < last) expire([](Task) {});
    check_count(cancelled_, cancels_, "timers were cancelled");
    check_count(expiries_, inserts_ - cancels_, "timers expired");
    check_count(returned_, expiries_, "expiries were returned");
    check_count(queue_.size(), 0, "timers are pending when all are due");
    if (digest_ != expected_) {
      throw std::runtime_error(
          fmt::format("wrong timers or times: digest {:016x}, not {:016x}", digest_, expected_));
    }
  }

 private:
  static constexpr Tick kStep = kHour / kStepsAnHour;

  struct Timer {
    typename Queue::Handle handle;
    Tick deadline;
    Tick last;  // the last tick at which it may run

    /// Whether the timer is due at the step `now`, and did not have to run by the step before.
    bool runs_in_time(Tick now) const { return deadline <= now && now < last + kStep; }
  };

  static Tick max_lateness(Tick delay) { return promises_of<Queue>().max_lateness(delay); }

  /// The step at which a timer with this deadline expires.
  static Tick step_of(Tick deadline) { return (deadline + kStep - 1) / kStep * kStep; }

  /// Sets the timer of a slot. The number of the slot is its task.
  void set(Task slot, Tick delay) {
    const Tick deadline = now_ + delay;
    timers_[slot] = {queue_.insert(deadline, slot), deadline, deadline + max_lateness(delay)};
    ++inserts_;
    expected_ += mix(slot, deadline, step_of(deadline));
  }

  template <class Then>
  void expire(Then then) {
    now_ += kStep;
    returned_ += queue_.expire(now_, [&](Tick deadline, Task task) {
      if (task >= timers_.size()) throw std::runtime_error("a cancelled timer expired");
      digest_ += mix(task, deadline, timers_[task].runs_in_time(now_) ? step_of(deadline) : now_);
      ++expiries_;
      then(task);
    });
  }

  Random random_{1};
  Tick now_ = 0;
  std::vector<Timer> timers_;  // by slot
  Queue queue_;

  // What was requested …
  std::uint64_t inserts_ = 0;
  std::uint64_t cancels_ = 0;
  std::uint64_t expected_ = 0;  // the digest of all expiries, those to come included
  // … and the results.
  std::uint64_t cancelled_ = 0;
  std::uint64_t expiries_ = 0;
  std::uint64_t returned_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace timers::benches
