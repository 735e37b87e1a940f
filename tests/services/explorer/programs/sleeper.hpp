#pragma once

/// Programs for the explorer: a thread goes to sleep, and another one has something for it.

#include <array>
#include <atomic>
#include <string>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/inbox.hpp"
#include "impls/timer_queue.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/inbox.hpp"

namespace timers::programs {

/// Thrown where a thread would wait: then the rest of the thread does not run.
struct Waits {};

/// A clock with one parker. It shows whether a thread waits on it for ever. Its memory orders are
/// those that every clock promises.
struct StepwiseClock {
  struct Parker {
    explicit Parker(StepwiseClock& of) : clock(of) {}
    void park() {
      if (clock.token.exchange(false, std::memory_order_acquire)) return;
      clock.is_waited_on = true;
      throw Waits();
    }
    bool park_until(Instant) {
      park();
      return true;
    }
    void unpark() { clock.token.exchange(true, std::memory_order_release); }

    StepwiseClock& clock;
  };
  struct Thread {
    Thread(StepwiseClock&, void (*)()) {}
    void join() {}
  };

  static constexpr OverSuspend over_suspend = OverSuspend::stands_still;
  static constexpr bool moves_with_the_wall_clock = false;
  static Instant now() { return {}; }
  bool is_waited_on_for_ever() const { return is_waited_on && !token; }

  StepwiseAtomic<bool> token = false;
  bool is_waited_on = false;
};
static_assert(Clock<StepwiseClock>);

/// A place for one number. A new number replaces the old one.
struct Note {
  StepwiseAtomic<int> number = 0;
  void leave(int one) { number = one; }
  int take() { return number.exchange(0); }
};

/// A place for the numbers 1 to 3, of which the last one counts.
struct Letters {
  std::array<Letter, 3> letters;
  Inbox<Letter, StepwiseAtomic> inbox;
  void leave(int number) { inbox.push(&letters[static_cast<std::size_t>(number - 1)]); }
  int take() {
    int last = 0;
    for (Letter* letter = inbox.take_all(); letter != nullptr; letter = letter->next_in_inbox) {
      last = static_cast<int>(letter - letters.data()) + 1;
    }
    return last;
  }
};

/// A thread that takes what another thread leaves for it. It sleeps when there is nothing.
template <class SleeperType, class Place>
struct Driver {
  /// The other thread calls it.
  void leave(int number) {
    constexpr Tick kSoon = 1;
    place.leave(number);
    sleeper.wake_for(kSoon, 1);
  }
  void stop() {
    stopped.store(true, std::memory_order_relaxed);
    sleeper.wake();
  }

  void drive() {
    try {
      while (!stopped.load(std::memory_order_relaxed)) {
        take();
        sleeper.sleep_until(kEndOfTime, Instant::max(), [this] { return take(); });
      }
    } catch (const Waits&) {
    }
  }
  bool take() {
    const int number = place.take();
    if (number > 0) taken = number;
    return number > 0;
  }

  StepwiseClock clock;
  SleeperType sleeper{clock};
  Place place;
  StepwiseAtomic<bool> stopped = false;
  int taken = 0;
};

/// Three letters would take 300,000 runs, so tests leave three notes, but two letters.
template <class SleeperType, class Place = Note, int kLast = 3>
struct LeaveAgainstSleep : Driver<SleeperType, Place> {
  void first() { this->drive(); }
  void second() {
    for (int number = 1; number <= kLast; ++number) this->leave(number);
  }
  std::string fault() const {
    const bool is_left = this->taken < kLast && this->clock.is_waited_on_for_ever();
    return is_left ? "something is left, and nobody comes" : "";
  }
};

template <class SleeperType, class Place = Note, int kLast = 2>
struct StopAgainstSleep : Driver<SleeperType, Place> {
  void first() { this->drive(); }
  void second() {
    for (int number = 1; number <= kLast; ++number) this->leave(number);
    this->stop();
  }
  std::string fault() const {
    return this->clock.is_waited_on_for_ever() ? "a thread that was stopped sleeps on" : "";
  }
};

}  // namespace timers::programs
