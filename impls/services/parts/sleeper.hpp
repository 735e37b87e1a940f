#pragma once

/// Lets the thread of a service sleep until something is due. Producers wake it only for an earlier
/// timer, and each time another 2^14 things wait for it.
///
/// The thread announces the tick until which it sleeps, looks once more at what has come, and then
/// waits. A producer first leaves its timer where the thread looks, and then reads the
/// announcement. If all four accesses are sequentially consistent, one side sees the other, and no
/// wake-up is lost. The two accesses to the announcement are. An inbox needs no such order: its two
/// accesses change the same word.

#include <atomic>
#include <concepts>
#include <cstddef>

#include "impls/clocks/clock.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// `Atomic` is std::atomic except in tests that control the order of accesses.
template <Clock ClockType, template <class> class Atomic = std::atomic>
class Sleeper {
 public:
  explicit Sleeper(ClockType& clock) : parker_(clock) {}

  /// Whether the thread should wake up to free memory: each time another 2^14 things were left for
  /// it.
  static constexpr bool is_another_many(std::size_t left) { return left % kMany == 0; }

  /// For a producer that has left something that is due in `tick`; `left` counts all that was left.
  /// Wakes the thread if it sleeps beyond that tick, or if `is_another_many(left)`.
  void wake_for(Tick tick, std::size_t left) {
    if (tick < announced_.load(std::memory_order_seq_cst) || is_another_many(left)) wake();
  }

  /// Wakes the thread, or keeps it from sleeping the next time.
  void wake() { parker_.unpark(); }

  /// For the thread: sleeps until `tick`, which begins at `instant`, or until it is woken. The last
  /// instant never comes. It stays awake if `has_come()`, which looks at what was left.
  template <std::predicate HasCome>
  void sleep_until(Tick tick, Instant instant, HasCome has_come) {
    announced_.store(tick, std::memory_order_seq_cst);
    if (!has_come()) park_until(parker_, instant);
    announced_.store(kAwake, std::memory_order_relaxed);
  }

 private:
  /// A thread that is awake announces this: it will look anyway, and nothing is due before tick 0.
  static constexpr Tick kAwake = 0;
  static constexpr std::size_t kMany = 1 << 14;

  Atomic<Tick> announced_ = kAwake;
  typename ClockType::Parker parker_;
};

}  // namespace timers
