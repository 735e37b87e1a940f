#pragma once

/// What a measurement does with a queue: a flat list of steps, made before the clock starts.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/traces/trace.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// One operation on a queue, in 16 bytes. It is small because schedules are long, and share the
/// cache with the queue that is measured.
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
  std::uint32_t line;  // identifies the step; 0 for `expire`

 private:
  std::uint32_t slot_and_verb_;
};

/// Which steps count as one operation of a schedule.
enum class Operation : std::uint8_t {
  insert,  // the whole life of a timer: its end is included
  verb,    // an insert, re-arm or cancel
  expiry,  // a timer that runs
  call,    // a call of `expire`
};

struct Schedule {
  std::vector<Step> steps;
  std::uint32_t slots = 0;

  /// The range of steps that is timed. Earlier steps lead to the steady state. Later steps run the
  /// timers that are still pending, so that a lost timer is noticed.
  std::size_t measured_begin = 0;
  std::size_t measured_end = 0;

  Operation counted = Operation::verb;

  /// How many operations the steps from `begin` to `end` are, if so many timers run in them.
  std::size_t operations_between(std::size_t begin, std::size_t end, std::uint64_t expiries) const;

  /// Whether there is a re-arm among the steps.
  bool rearms() const;
};

/// Builds a schedule. Time follows the steps: if a step has a later tick, an `expire` is put before
/// it.
class ScheduleBuilder {
 public:
  void move_time(Tick tick);
  void insert(std::uint32_t slot, Tick deadline, std::uint32_t line);
  void rearm(std::uint32_t slot, Tick deadline, std::uint32_t line);
  void cancel(std::uint32_t slot, std::uint32_t line);

  /// The following steps are measured. If this is never called, all steps are.
  void begin_measurement();

  /// The following steps are not measured.
  void end_measurement();

  /// Adds one `expire` by which every timer is due. First ends the measurement, if nobody did.
  Schedule finish(Operation counted) &&;

 private:
  void add(Step step);

  Schedule schedule_;
  Tick now_ = 0;
  Tick last_deadline_ = 0;
};

/// The schedule of a trace, with times in ticks of `tick_ns` nanoseconds. Times are rounded down,
/// deadlines are rounded up, and negative ones become 0.
///
/// The task of a timer is the number of the line that armed it. If the trace observed an expiry,
/// only the handle is forgotten: the queue runs the timer by itself. The recorded systems ran it at
/// another instant than a queue on virtual time does.
///
/// The operations from `measured_from_ns` on are measured.
Schedule schedule_of(const Trace& trace, std::int64_t tick_ns, std::int64_t measured_from_ns = 0);

}  // namespace timers::benches
