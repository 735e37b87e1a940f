#pragma once

/// The expiries of a trace as text: golden vectors (the form: traces/GOLDEN.md).

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Watches a replay and records what it sees.
class Scribe {
 public:
  void call_begins(Tick now) {
    now_ = now;
    prover_.call_begins(now);
  }
  void expired(Tick deadline, Task task) {
    fmt::format_to(std::back_inserter(text_), "e {} {} {}\n", task, deadline, now_);
    prover_.expired(deadline, task);
  }
  void call_ends(std::size_t returned) { prover_.call_ends(returned); }
  static void verb_begins() {}
  static void verb_ends(Step::Verb) {}
  void answered(const Step& step, bool answer) {
    const char verb = step.verb() == Step::Verb::cancel ? 'c' : 'r';
    fmt::format_to(std::back_inserter(text_), "{} {} {:d}\n", verb, step.line, answer);
    prover_.answered(step, answer);
  }

  const std::string& text() const { return text_; }
  const Proof& proof() const { return prover_.proof(); }

 private:
  std::string text_;
  Prover prover_;
  Tick now_ = 0;
};

/// What a queue of this type shows on the trace.
template <class Queue>
std::string expectation(const Trace& trace, std::int64_t tick_ns) {
  const Schedule schedule = schedule_of(trace, tick_ns);
  Scribe scribe;
  replay<Queue>(schedule, scribe);
  return fmt::format(
      "# timer-expectation 1\n# trace: {}\n# tick_ns: {}\n# operations: {}\n# last_expire: {}\n"
      "{}# expiries: {}\n# digest: {:016x}\n# order: {:016x}\n",
      trace.name, tick_ns, trace.operations.size(), schedule.steps.back().tick, scribe.text(),
      scribe.proof().expiries, scribe.proof().digest, scribe.proof().order);
}

}  // namespace timers::benches
