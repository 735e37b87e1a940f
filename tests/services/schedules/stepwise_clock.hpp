#pragma once

/// A clock whose threads take turns. With it the threads of a service run in a given schedule.
///
/// Time stands still until a thread of the program moves it. A move of time is a step, too.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "tests/services/schedules/turns.hpp"

namespace timers::schedules {

class StepwiseClock {
 public:
  class Parker;
  class Thread;

  static constexpr OverSuspend over_suspend = OverSuspend::stands_still;
  static constexpr bool moves_with_the_wall_clock = false;

  StepwiseClock() = default;
  StepwiseClock(const StepwiseClock&) = delete;
  StepwiseClock& operator=(const StepwiseClock&) = delete;

  Instant now() const;

  /// The same for a ledger: it is no step.
  Instant time() const { return now_; }

  /// Moves time forward by `span`, and continues.
  void advance_by(Duration span);

  /// For a program with no other thread of its own: waits until no thread can go on, then moves
  /// time to the next instant for which one waits, and so on until `span` is over.
  void run_for(Duration span);

 private:
  Instant first_deadline() const;

  Instant now_{};
  std::vector<const Parker*> parked_;
};

class StepwiseClock::Parker {
 public:
  explicit Parker(StepwiseClock& clock) : clock_(clock) {}
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  void park();
  bool park_until(Instant deadline);
  void unpark();

 private:
  friend StepwiseClock;

  StepwiseClock& clock_;
  bool token_ = false;
  Instant deadline_{};
};

class StepwiseClock::Thread {
 public:
  /// A thread of a service.
  template <std::invocable Body>
  Thread(StepwiseClock&, Body body) : Thread("service", std::move(body)) {}
  /// A thread of the program, with a name.
  template <std::invocable Body>
  Thread(std::string name, Body body)
      : number_(Turns::here()->start(std::move(name), std::move(body))) {}
  Thread(Thread&& other) noexcept : number_(std::exchange(other.number_, kJoined)) {}
  Thread& operator=(Thread&&) = delete;
  ~Thread() { join(); }

  void join();

 private:
  static constexpr std::size_t kJoined = static_cast<std::size_t>(-1);

  std::size_t number_;
};

}  // namespace timers::schedules
