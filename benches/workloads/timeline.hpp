#pragma once

/// Makes a schedule of what happens to timers, told in any order.

#include <cstdint>
#include <vector>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// So many ticks, rounded up to whole turns of a level of 256: cascades have their share of what is
/// measured.
constexpr Tick whole_turns(double ticks) {
  constexpr Tick kTurn = 256;
  return (static_cast<Tick>(ticks) / kTurn + 1) * kTurn;
}

/// The loop that uses the timers calls `expire` in every tick; then it cancels, re-arms and inserts
/// what has to be by then, each in the order of time. Times are in ticks, and may be fractions.
///
/// The handle of a timer is kept in a slot, as a program keeps it in the object that the timer is
/// for; when a timer ends, the next new one takes its slot, as memory is used again.
class Timeline {
 public:
  using Timer = std::uint32_t;

  /// Tells of a new timer; `deadline` is behind the tick of `time`.
  Timer insert(double time, Tick deadline);
  void rearm(double time, Timer timer, Tick deadline);
  void cancel(double time, Timer timer);
  /// Tells that a timer runs at its deadline: so ends each that is not cancelled.
  void expires(Tick deadline, Timer timer);

  /// Everything up to tick `end`, measured from behind tick `begin`. Throws std::logic_error if
  /// something was told of a timer that is not pending then; one is from the tick after its insert
  /// on.
  Schedule schedule(Tick begin, Tick end, Operation counted) &&;

 private:
  enum class Kind : std::uint32_t { expiry, cancel, rearm, insert };  // their order within a tick
  struct Entry {
    std::uint64_t when;  // tick, kind and fraction of the tick, in this order of weight
    Tick deadline;
    Timer timer;
    Kind kind;
  };

  void add(double time, Kind kind, Timer timer, Tick deadline);

  std::vector<Entry> entries_;
  Timer timers_ = 0;
};

}  // namespace timers::benches
