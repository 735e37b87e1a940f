#pragma once

/// Histories: what a test does with a timer queue, as plain values. A history can be drawn at
/// random, run on any queue, made smaller, and printed.
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

/// Names a timer in a history. Labels are small numbers. An operation is skipped if its label names
/// no timer (yet). So any operation can be taken out of a history.
using Label = std::uint32_t;

/// A point in time: a number of ticks after now, or a tick.
struct When {
  bool relative = false;
  Tick ticks = 0;
  friend bool operator==(const When&, const When&) = default;
};

struct Operation {
  enum class Verb { insert, cancel, rearm, expire, throws, move_queue };

  Verb verb = Verb::throws;
  Label label = 0;                        // for insert, cancel and rearm
  When when;                              // for insert, rearm and expire
  std::size_t limit = kNoLimit;           // for expire
  std::vector<Operation> on_expiry;       // for insert: what the callback does
  std::vector<Operation> on_destruction;  // for insert: what the destructor of the task does

  friend bool operator==(const Operation&, const Operation&) = default;
};

std::ostream& operator<<(std::ostream& out, Operation::Verb verb);
/// Prints an operation as C++.
std::ostream& operator<<(std::ostream& out, const Operation& operation);

using History = std::vector<Operation>;

// The functions with which a history is written.

When after(Tick ticks);
When at(Tick tick);
Operation insert(Label label, When deadline, std::vector<Operation> on_expiry = {},
                 std::vector<Operation> on_destruction = {});
Operation cancel(Label label);
Operation rearm(Label label, When deadline);
Operation expire(When now, std::size_t limit = kNoLimit);
/// Ends a callback with an exception. Does nothing elsewhere.
Operation throws();
/// Moves the queue and goes on with the new one. Does nothing in callbacks and destructors.
Operation move_queue();

/// How a queue differs from the contract.
struct Divergence {
  std::size_t operation;  // its index in the history; at the end of the run, the size of the
                          // history
  std::string message;    // the law, what was expected and what was seen
  friend bool operator==(const Divergence&, const Divergence&) = default;
};
std::ostream& operator<<(std::ostream& out, const Divergence& divergence);

/// Runs a history on a fresh queue, and destroys the queue. Adds the number of inserts, cancels,
/// re-arms and expiries to `operations`.
std::optional<Divergence> run(const History& history, const QueueKind& kind,
                              std::uint64_t* operations = nullptr);

/// The history as C++, to be pasted into a test.
std::string to_cpp(const History& history);

}  // namespace timers::conformance
