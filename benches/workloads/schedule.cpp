#include "benches/workloads/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace timers::benches {

bool Schedule::rearms() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return step.verb() == Step::Verb::rearm; });
}

std::size_t Schedule::operations_between(std::size_t begin, std::size_t end,
                                         std::uint64_t expiries) const {
  const auto count = [&](auto is_operation) {
    return static_cast<std::size_t>(
        std::count_if(steps.data() + begin, steps.data() + end, is_operation));
  };
  switch (counted) {
    case Operation::insert:
      return count([](const Step& step) { return step.verb() == Step::Verb::insert; });
    case Operation::verb:
      return count([](const Step& step) { return step.verb() != Step::Verb::expire; });
    case Operation::call:
      return count([](const Step& step) { return step.verb() == Step::Verb::expire; });
    case Operation::expiry:
      break;
  }
  return expiries;
}

void ScheduleBuilder::move_time(Tick tick) {
  if (tick <= now_) return;
  now_ = tick;
  schedule_.steps.emplace_back(Step::Verb::expire, 0, tick, 0);
}

void ScheduleBuilder::insert(std::uint32_t slot, Tick deadline, std::uint32_t line) {
  add({Step::Verb::insert, slot, deadline, line});
}

void ScheduleBuilder::rearm(std::uint32_t slot, Tick deadline, std::uint32_t line) {
  add({Step::Verb::rearm, slot, deadline, line});
}

void ScheduleBuilder::cancel(std::uint32_t slot, std::uint32_t line) {
  add({Step::Verb::cancel, slot, 0, line});
}

void ScheduleBuilder::begin_measurement() { schedule_.measured_begin = schedule_.steps.size(); }

void ScheduleBuilder::end_measurement() { schedule_.measured_end = schedule_.steps.size(); }

Schedule ScheduleBuilder::finish(Operation counted) && {
  if (schedule_.measured_end == 0) end_measurement();
  schedule_.counted = counted;
  // A timer that is set for the past is due one tick after it is set.
  move_time(std::max(last_deadline_, now_ + 1));
  return std::move(schedule_);
}

void ScheduleBuilder::add(Step step) {
  schedule_.slots = std::max(schedule_.slots, step.slot() + 1);
  last_deadline_ = std::max(last_deadline_, step.tick);
  schedule_.steps.push_back(step);
}

namespace {

Tick rounded_down(std::int64_t time, std::int64_t tick_ns) {
  return static_cast<Tick>(time / tick_ns);
}

Tick rounded_up(std::int64_t deadline, std::int64_t tick_ns) {
  if (deadline <= 0) return 0;
  return static_cast<Tick>((deadline - 1) / tick_ns + 1);
}

}  // namespace

Schedule schedule_of(const Trace& trace, std::int64_t tick_ns, std::int64_t measured_from_ns) {
  ScheduleBuilder builder;
  bool is_measured = false;
  for (const TraceOperation& operation : trace.operations) {
    if (!is_measured && operation.time >= measured_from_ns) {
      builder.begin_measurement();
      is_measured = true;
    }
    builder.move_time(rounded_down(operation.time, tick_ns));
    const Tick deadline = rounded_up(operation.deadline, tick_ns);
    switch (operation.verb) {
      case TraceVerb::schedule:
        builder.insert(operation.id, deadline, operation.line);
        break;
      case TraceVerb::reschedule:
        builder.rearm(operation.id, deadline, operation.line);
        break;
      case TraceVerb::cancel:
        builder.cancel(operation.id, operation.line);
        break;
      case TraceVerb::observed_expiry:
        break;  // The next operation with this id is a schedule, which overwrites the handle.
    }
  }
  return std::move(builder).finish(Operation::verb);
}

}  // namespace timers::benches
