#pragma once

/// The contract of a clock: where timer services get the time from, and how they wait for it.
///
/// SteadyClock shows real time. On ManualClock time stands still until somebody moves it. The move
/// returns when every thread of the service waits again. So a test of threads and time is exact,
/// takes microseconds and never sleeps. It is made for tests of programs that use timers, too:
///
///     timers::ManualClock clock;
///     timers::HashedWheelTimer timer(clock);
///     bool closed = false;
///     timer.schedule(30s, [&] { closed = true; });
///     clock.advance_by(29s);      // returns when nothing is left to do: closed is false
///     clock.advance_by(2s);       // closed is true

#include <concepts>
#include <functional>

#include "impls/clocks/instant.hpp"
#include "impls/clocks/manual_clock.hpp"
#include "impls/clocks/steady_clock.hpp"

namespace timers {

/// What every clock offers.
///
/// `now()` is the time. It never goes back.
///
/// A clock states two properties that a test cannot find out.
///   - `over_suspend`: whether the clock goes on while the machine sleeps; see OverSuspend.
///   - `moves_with_the_wall_clock`: whether the clock moves when somebody sets the time of day.
///     Then timers may be early or late by as much as the time of day was changed. If it was set
///     back, the clock stands still until the time of day has caught up.
///
/// `Parker(clock)` makes a parker, a binary token. One thread at a time may wait on it, and any
/// thread may give the token. All threads of a service wait on a parker and on nothing else: a
/// driver, a worker of a pool, a thread that takes an element.
///   - `park()` waits until the token is there, and takes the token. If the token was given before,
///     `park()` does not wait.
///   - `park_until(deadline)` does the same and returns true, or returns false at the deadline if
///     the token was not given by then.
///   - `unpark()` gives the token; given twice, it is one. What was written before is visible to
///     the thread that takes it. A parker may be destroyed as soon as its token is taken.
///
/// `Thread(clock, body)` runs `body()` on a thread of its own. `join()` waits for its end, and so
/// does the destructor. The constructor throws std::system_error if the system gives no thread.
template <class Type>
concept Clock = requires(const Type& view, typename Type::Parker& parker,
                         typename Type::Thread& thread, Instant deadline) {
  { view.now() } -> std::same_as<Instant>;
  { Type::over_suspend } -> std::convertible_to<OverSuspend>;
  { Type::moves_with_the_wall_clock } -> std::convertible_to<bool>;
  { parker.park() } -> std::same_as<void>;
  { parker.park_until(deadline) } -> std::same_as<bool>;
  { parker.unpark() } -> std::same_as<void>;
  { thread.join() } -> std::same_as<void>;
}
&&std::constructible_from<typename Type::Parker, Type&>&&
    std::constructible_from<typename Type::Thread, Type&, void (*)()>;

/// Parks until the token is there, or the deadline comes. The last instant never comes.
template <class Parker>
void park_until(Parker& parker, Instant deadline) {
  if (deadline == Instant::max()) {
    parker.park();
  } else {
    parker.park_until(deadline);
  }
}

static_assert(Clock<SteadyClock> && Clock<ManualClock>);

}  // namespace timers
