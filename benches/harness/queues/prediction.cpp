#include "benches/harness/queues/prediction.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace timers::benches {

namespace {

struct Expiry {
  Tick now;
  Tick deadline;
  std::size_t set_at;  // the number of the step
  std::uint32_t task;
};

struct Timer {
  Tick deadline = 0;
  std::size_t set_at = 0;
  std::uint32_t task = 0;
  bool pending = false;
};

}  // namespace

std::vector<Tick> calls_of(const Schedule& schedule, std::size_t cut) {
  std::vector<Tick> calls;
  for (std::size_t i = 0; i < cut; ++i) {
    const Step& step = schedule.steps[i];
    if (step.verb() == Step::Verb::expire) calls.push_back(step.tick);
  }
  calls.push_back(schedule.steps.back().tick);
  return calls;
}

Tick last_tick_of(const Schedule& schedule, const Promises& promises) {
  const Tick last = schedule.steps.back().tick;
  return saturating_sum(last, promises.max_lateness(last));
}

Proof predict(const Schedule& schedule) { return predict(schedule, schedule.steps.size() - 1); }

Proof predict(const Schedule& schedule, std::size_t cut) {
  const std::vector<Tick> calls = calls_of(schedule, cut);
  std::vector<Timer> timers(schedule.slots);
  std::vector<Expiry> expiries;
  Prover prover;
  Tick now = 0;

  const auto expire = [&](Timer& timer) {
    const Tick call = *std::lower_bound(calls.begin(), calls.end(), timer.deadline);
    expiries.push_back({call, timer.deadline, timer.set_at, timer.task});
    timer.pending = false;
  };

  for (std::size_t i = 0; i < cut; ++i) {
    const Step& step = schedule.steps[i];
    if (step.verb() == Step::Verb::expire) {
      now = step.tick;
      continue;
    }
    Timer& timer = timers[step.slot()];
    // If a later timer uses the same slot, nobody has a handle of this timer any more: it will
    // expire.
    const bool forgotten = step.verb() == Step::Verb::insert;
    if (timer.pending && (forgotten || timer.deadline <= now)) expire(timer);
    const bool was_pending = timer.pending;
    if (step.verb() != Step::Verb::insert) prover.answered(step, was_pending);
    timer.pending = step.verb() != Step::Verb::cancel;
    timer.deadline = std::max(step.tick, now + 1);
    timer.set_at = i;
    if (!was_pending) timer.task = step.line;
  }
  for (Timer& timer : timers) {
    if (timer.pending) expire(timer);
  }

  std::sort(expiries.begin(), expiries.end(), [](const Expiry& one, const Expiry& other) {
    return std::tie(one.now, one.deadline, one.set_at) <
           std::tie(other.now, other.deadline, other.set_at);
  });
  for (std::size_t i = 0; i < expiries.size(); ++i) {
    if (i == 0 || expiries[i].now != expiries[i - 1].now) prover.call_begins(expiries[i].now);
    prover.expired(expiries[i].deadline, expiries[i].task);
    prover.call_ends(1);
  }
  return prover.proof();
}

}  // namespace timers::benches
