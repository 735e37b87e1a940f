#pragma once

/// What is done to a queue in a measurement: a flat list of steps, made before its clock starts.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/traces/trace.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// One thing that is done to a queue, in 16 bytes: schedules are long, and stream through the cache
/// that is measured.
class Step {
 public:
  enum class Verb : std::uint8_t {
    expire,  // moves time to `tick`
    insert,  // of a timer with deadline `tick` and task `line`, whose handle is kept in `slot`
    rearm,   // of the timer in `slot` to deadline `tick`; if it is gone, an insert instead
    cancel,  // of the timer in `slot`; if it is gone, the answer is false
  };

  /// `step_slot` is below 2^30.
  Step(Verb step_verb, std::uint32_t step_slot, Tick step_tick, std::uint32_t step_line)
      : tick(step_tick),
        line(step_line),
        slot_and_verb_(step_slot << 2 | static_cast<unsigned>(step_verb)) {}

  Verb verb() const { return static_cast<Verb>(slot_and_verb_ & 3); }
  std::uint32_t slot() const { return slot_and_verb_ >> 2; }

  Tick tick;
  std::uint32_t line;  // names the step; 0 for `expire`

 private:
  std::uint32_t slot_and_verb_;
};

/// What is counted as one operation of a schedule.
enum class Operation : std::uint8_t {
  insert,  // a timer's whole life: what ends it comes with it
  verb,    // an insert, re-arm or cancel
  expiry,  // a timer that runs
  call,    // of `expire`
};

struct Schedule {
  std::vector<Step> steps;
  std::uint32_t slots = 0;

  /// The steps that are timed. Those before them make the steady state; those behind them run what
  /// is pending still, so that a lost timer is missed.
  std::size_t measured_begin = 0;
  std::size_t measured_end = 0;

  Operation counted = Operation::verb;

  /// How many operations the steps from `begin` to `end` are, when so many timers run in them.
  std::size_t operations_between(std::size_t begin, std::size_t end, std::uint64_t expiries) const;

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

  /// What follows is not measured.
  void end_measurement();

  /// Adds one `expire` by which every timer is due; ends the measurement before, if nobody did.
  Schedule finish(Operation counted) &&;

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
/// at other instants than a queue on virtual time.
///
/// What happens from `measured_from_ns` on is measured.
Schedule schedule_of(const Trace& trace, std::int64_t tick_ns, std::int64_t measured_from_ns = 0);

}  // namespace timers::benches
