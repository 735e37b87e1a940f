#pragma once

/// How the thread of a service sleeps until something is due, and is woken only for what is due
/// before that.
///
/// The thread announces the tick until which it sleeps, looks once more at what has come, and then
/// waits. A producer first leaves its timer where the thread looks, and then reads the
/// announcement. One of the two sees the other, and no wake-up is lost, if the four accesses are
/// sequentially consistent. The two of the announcement are. An inbox does even without that: its
/// two accesses change one word.

#include <atomic>
#include <concepts>
#include <cstddef>

#include "impls/clocks/clock.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// `Atomic` is another than std::atomic only in tests that order its accesses.
template <Clock ClockType, template <class> class Atomic = std::atomic>
class Sleeper {
 public:
  explicit Sleeper(ClockType& clock) : parker_(clock) {}

  /// Whether the thread should come by for the sake of memory: at each such number of things that
  /// were left.
  static constexpr bool are_many(std::size_t left) { return left % kMany == 0; }

  /// For one who has left something that is due in `tick`, as one of `left`: wakes the thread if it
  /// sleeps beyond that, or if there are many.
  void wake_for(Tick tick, std::size_t left) {
    if (tick < announced_.load(std::memory_order_seq_cst) || are_many(left)) wake();
  }

  /// Wakes the thread, or keeps it from sleeping the next time.
  void wake() { parker_.unpark(); }

  /// For the thread: sleeps until `tick`, which is at `instant`, or until it is woken; the last
  /// instant never comes. It does not sleep if `has_come()`, which looks at what was left.
  template <std::predicate HasCome>
  void sleep_until(Tick tick, Instant instant, HasCome has_come) {
    announced_.store(tick, std::memory_order_seq_cst);
    if (!has_come()) park_until(instant);
    announced_.store(kAwake, std::memory_order_relaxed);
  }

 private:
  /// Announced by a thread that is about to look anyway: nothing is due before it.
  static constexpr Tick kAwake = 0;
  static constexpr std::size_t kMany = 1 << 14;

  void park_until(Instant instant) {
    if (instant == Instant::max()) {
      parker_.park();
    } else {
      parker_.park_until(instant);
    }
  }

  Atomic<Tick> announced_ = kAwake;
  typename ClockType::Parker parker_;
};

}  // namespace timers
