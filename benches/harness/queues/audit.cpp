#include "benches/harness/queues/audit.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace timers::benches {

namespace {

std::uint32_t last_line_of(const Schedule& schedule) {
  std::uint32_t last = 0;
  for (const Step& step : schedule.steps) last = std::max(last, step.line);
  return last;
}

}  // namespace

Auditor::Auditor(const Schedule& schedule, std::size_t end, const Promises& promises)
    : schedule_(schedule),
      promises_(promises),
      calls_(calls_of(schedule, end == schedule.measured_end ? schedule.steps.size() - 1 : end)),
      timers_(last_line_of(schedule) + std::size_t{1}),
      line_in_(schedule.slots, kNone) {
  calls_.push_back(last_tick_of(schedule, promises));
}

void Auditor::expired(Tick deadline, std::uint64_t task) {
  prover_.expired(deadline, task);
  if (task >= timers_.size() || !timers_[task].pending) {
    throw std::runtime_error(
        fmt::format("the timer of line {} ran at {}, but is not pending", task, now_));
  }
  Timer& timer = timers_[task];
  const Tick delay = timer.deadline - timer.set_at;
  const Tick last = saturating_sum(timer.deadline, promises_.max_lateness(delay));
  if (deadline != timer.deadline) {
    throw std::runtime_error(fmt::format("the timer of line {} ran for {}, but is due at {}", task,
                                         deadline, timer.deadline));
  }
  if (now_ < deadline) {
    throw std::runtime_error(
        fmt::format("the timer of line {} ran at {}, but is due at {}", task, now_, deadline));
  }
  if (now_ > first_call_from(last)) {
    throw std::runtime_error(
        fmt::format("the timer of line {} ran at {}, but {} is promised", task, now_, last));
  }
  // This excludes the last step, which jumps to a tick at which all timers are due. If calls are
  // rare, a timer may run later than promised; that excess is not the fault of the queue.
  if (now_ < schedule_.steps.back().tick) {
    const Tick exact = std::min(first_call_from(deadline), now_);
    late_runs_.add(std::min(now_ - exact, last - deadline), delay);
  }
  end(timer);
}

void Auditor::verb_ends(Step::Verb verb) {
  if (verb != Step::Verb::insert) return;
  while (schedule_.steps[next_insert_].verb() != Step::Verb::insert) ++next_insert_;
  inserted(schedule_.steps[next_insert_++]);
}

void Auditor::answered(const Step& step, bool answer) {
  prover_.answered(step, answer);
  const Line line = line_in_[step.slot()];
  const bool was_pending = line != kNone && timers_[line].pending;
  if (answer != was_pending) {
    throw std::runtime_error(fmt::format("the answer to line {} is {}, but its timer is {}",
                                         step.line, answer,
                                         was_pending ? "pending" : "not pending"));
  }
  if (step.verb() == Step::Verb::cancel) {
    if (was_pending) end(timers_[line]);
  } else if (was_pending) {
    set(timers_[line], step.tick);
  } else {
    inserted(step);
  }
}

void Auditor::check_that_all_ran() const {
  if (pending_ != 0)
    throw std::runtime_error(fmt::format("{} timers have not run at {}", pending_, now_));
}

void Auditor::inserted(const Step& step) {
  Timer& timer = timers_[step.line];
  line_in_[step.slot()] = step.line;
  timer.pending = true;
  ++pending_;
  set(timer, step.tick);
}

void Auditor::set(Timer& timer, Tick wanted) {
  timer.deadline = std::max(wanted, now_ + 1);
  timer.set_at = now_;
}

void Auditor::end(Timer& timer) {
  timer.pending = false;
  --pending_;
}

Tick Auditor::first_call_from(Tick tick) const {
  return *std::lower_bound(calls_.begin(), calls_.end(), tick);
}

}  // namespace timers::benches
