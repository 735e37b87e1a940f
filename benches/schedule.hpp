#pragma once

/// What is done to a queue in a measurement: a flat list of steps, made before its clock starts.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/trace.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

struct Step {
  enum class Verb : std::uint8_t {
    expire,  // moves time to `tick`
    insert,  // of a timer with deadline `tick` and task `line`, whose handle is kept in `slot`
    rearm,   // of the timer in `slot` to deadline `tick`; if it is gone, an insert instead
    cancel,  // of the timer in `slot`; if it is gone, the answer is false
  };

  Tick tick = 0;
  std::uint32_t line = 0;  // names the step; 0 for `expire`
  std::uint32_t slot = 0;
  Verb verb = Verb::expire;
};

struct Schedule {
  std::vector<Step> steps;
  std::uint32_t slots = 0;

  /// The steps that are timed. Those before them make the steady state; those behind them run what
  /// is pending still, so that a lost timer is missed.
  std::size_t measured_begin = 0;
  std::size_t measured_end = 0;

  /// How many operations the measured steps are, as users count them.
  std::size_t operations = 0;

  /// Whether there is a re-arm among the steps.
  bool rearms() const;
};

/// Builds a schedule: time comes with the steps, and an `expire` precedes each of a later tick.
class ScheduleBuilder {
 public:
  void move_time(Tick tick);
  void insert(std::uint32_t slot, Tick deadline, std::uint32_t line);
  void rearm(std::uint32_t slot, Tick deadline, std::uint32_t line);
  void cancel(std::uint32_t slot, std::uint32_t line);

  /// What follows is measured; without it, everything is.
  void begin_measurement();

  /// Ends the measurement, and adds one `expire` by which every timer is due.
  Schedule finish(std::size_t operations) &&;

 private:
  void add(Step step);

  Schedule schedule_;
  Tick now_ = 0;
  Tick last_deadline_ = 0;
};

/// The schedule of a trace whose times are counted in ticks of `tick_ns` nanoseconds: times round
/// down, deadlines round up, negative ones are 0.
///
/// The task of a timer is the number of the line that armed it. A timer that was observed to expire
/// is only forgotten, its handle is: the queue expires it by itself, since recorded systems do so
/// at other instants than a queue on virtual time. An operation is a line of the trace.
Schedule schedule_of(const Trace& trace, std::int64_t tick_ns);

}  // namespace timers::benches
