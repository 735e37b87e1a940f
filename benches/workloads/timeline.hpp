#pragma once

/// Makes a schedule from events of timers, which are given in any order.

#include <cstdint>
#include <vector>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// A number of ticks, rounded up to whole turns of a level of 256. So cascades have their share in
/// what is measured.
constexpr Tick whole_turns(double ticks) {
  constexpr Tick kTurn = 256;
  return (static_cast<Tick>(ticks) / kTurn + 1) * kTurn;
}

/// The simulated program calls `expire` in every tick. Then it makes the cancels, re-arms and
/// inserts of the past tick, each kind in the order of time. Times are in ticks, and may be
/// fractions.
///
/// The handle of a timer is kept in a slot, as a program keeps it in the object that uses the
/// timer. When a timer ends, the next new timer gets its slot, as memory is reused.
class Timeline {
 public:
  using Timer = std::uint32_t;

  /// Adds a new timer; `deadline` is after the tick of `time`.
  Timer insert(double time, Tick deadline);
  void rearm(double time, Timer timer, Tick deadline);
  void cancel(double time, Timer timer);
  /// Says that a timer runs at its deadline: each timer that is not cancelled ends so.
  void expires(Tick deadline, Timer timer);

  /// Everything up to tick `end`. The part after tick `begin` is measured. Throws std::logic_error
  /// if an event is about a timer that is not pending at that time; a timer is pending from the
  /// tick after its insert on.
  Schedule schedule(Tick begin, Tick end, Operation counted) &&;

 private:
  enum class Kind : std::uint32_t { expiry, cancel, rearm, insert };  // their order within a tick
  struct Entry {
    std::uint64_t when;  // tick, kind and fraction of the tick, from the most significant on
    Tick deadline;
    Timer timer;
    Kind kind;
  };

  void add(double time, Kind kind, Timer timer, Tick deadline);

  std::vector<Entry> entries_;
  Timer timers_ = 0;
};

}  // namespace timers::benches
