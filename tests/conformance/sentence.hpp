#pragma once

/// A test of the kit: a sentence about every timer queue, and how to find out whether it is true.
///
///     //
///     const Sentence inclusive("RunsATimerAtItsDeadline", [](Scenario& queue) {
///       queue.insert(1, 5);
///       EXPECT_EQ(queue.expire(5), 1u);
///     });
///
/// A sentence that makes its queues itself takes a `const QueueKind&` instead. Defining one adds it
/// to the kit; there is no list to keep.

#include <functional>
#include <string>
#include <vector>

#include "tests/conformance/any_queue.hpp"
#include "tests/conformance/scenario.hpp"

namespace timers::conformance {

class Sentence {
 public:
  Sentence(const char* name, void (*body)(Scenario&), const char* file = __builtin_FILE(),
           int line = __builtin_LINE());
  Sentence(const char* name, void (*body)(const QueueKind&), const char* file = __builtin_FILE(),
           int line = __builtin_LINE());
  Sentence(const Sentence&) = delete;
  Sentence& operator=(const Sentence&) = delete;

  const char* name() const { return name_; }
  const char* file() const { return file_; }
  int line() const { return line_; }

  /// Runs the test as the body of a Google test.
  void test(const QueueKind& kind) const { test_(kind); }

  /// All sentences that are linked in.
  static const std::vector<const Sentence*>& all() { return registry(); }

 private:
  static std::vector<const Sentence*>& registry();

  const char* name_;
  const char* file_;
  int line_;
  std::function<void(const QueueKind&)> test_;
};

}  // namespace timers::conformance
