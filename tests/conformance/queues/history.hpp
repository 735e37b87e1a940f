#pragma once

/// Histories: what a test does with a timer queue, as plain values that can be drawn at random, run
/// on any queue, made smaller and printed.
///
///     const History history{
///         insert(0, after(5), {cancel(1)}),
///         insert(1, after(5)),
///         expire(after(7)),
///     };
///     EXPECT_EQ(run(history, kind), std::nullopt);

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"

namespace timers::conformance {

/// Names a timer in a history. Labels are small numbers. An operation on a label that names no
/// timer (yet) is skipped, so that any operation can be taken out of a history.
using Label = std::uint32_t;

/// A point in time: so many ticks after now, or a tick.
struct When {
  bool relative = false;
  Tick ticks = 0;
  friend bool operator==(const When&, const When&) = default;
};

struct Operation {
  enum class Verb { insert, cancel, rearm, expire, throws, move_queue };

  Verb verb = Verb::throws;
  Label label = 0;                        // of insert, cancel and rearm
  When when;                              // of insert, rearm and expire
  std::size_t limit = kNoLimit;           // of expire
  std::vector<Operation> on_expiry;       // of insert: what the callback does
  std::vector<Operation> on_destruction;  // of insert: what the destructor of the task does

  friend bool operator==(const Operation&, const Operation&) = default;
};

std::ostream& operator<<(std::ostream& out, Operation::Verb verb);
/// As C++.
std::ostream& operator<<(std::ostream& out, const Operation& operation);

using History = std::vector<Operation>;

// The words that histories are written in.

When after(Tick ticks);
When at(Tick tick);
Operation insert(Label label, When deadline, std::vector<Operation> on_expiry = {},
                 std::vector<Operation> on_destruction = {});
Operation cancel(Label label);
Operation rearm(Label label, When deadline);
Operation expire(When now, std::size_t limit = kNoLimit);
/// Ends a callback with an exception. Does nothing elsewhere.
Operation throws();
/// Goes on with a queue moved from this one. Does nothing in callbacks and destructors.
Operation move_queue();

/// How a queue differs from the contract.
struct Divergence {
  std::size_t operation;  // its index in the history; the size of the history for the end
  std::string message;    // the law, what was expected and what was seen
  friend bool operator==(const Divergence&, const Divergence&) = default;
};
std::ostream& operator<<(std::ostream& out, const Divergence& divergence);

/// Runs a history on a fresh queue, and destroys that. Adds the inserts, cancels, re-arms and
/// expiries to `operations`.
std::optional<Divergence> run(const History& history, const QueueKind& kind,
                              std::uint64_t* operations = nullptr);

/// The history as C++, to be pasted into a test.
std::string to_cpp(const History& history);

}  // namespace timers::conformance
