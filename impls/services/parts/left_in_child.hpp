#pragma once

/// A member of a service that a forked child leaves as it is.
///
/// A fork copies the memory of a process, but of its threads only the one that calls it. In the
/// child the threads of a service are gone, wherever they were: a list may be half changed, a lock
/// may be held for ever, and such a thread cannot be joined. So the child must not touch what other
/// threads could write to, not even in the destructor of the service. What such a member holds
/// stays allocated in the child.

#include <pthread.h>

#include <memory>
#include <utility>

namespace timers {

/// Counts the forks that lead from the first process of the program to this one.
class ForkCount {
 public:
  static unsigned get() { return count_; }

 private:
  static inline unsigned count_ = 0;  // written while the child has only one thread
  // The process id would not do: in a pid namespace of its own a child may have its parent's id.
  static inline const int kRegistered =
      pthread_atfork(/*prepare=*/nullptr, /*parent=*/nullptr, /*child=*/[] { ++count_; });
};

/// Holds a `Value`, and destroys it only in the process that made it.
template <class Value>
class LeftInChild {
 public:
  template <class... Arguments>
  explicit LeftInChild(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}
  LeftInChild(const LeftInChild&) = delete;
  LeftInChild& operator=(const LeftInChild&) = delete;
  ~LeftInChild() {
    if (!is_left()) std::destroy_at(&value_);
  }

  /// Whether this process is a child of the one that made the value.
  bool is_left() const { return made_after_ != ForkCount::get(); }

  Value& operator*() { return value_; }
  const Value& operator*() const { return value_; }
  Value* operator->() { return &value_; }
  const Value* operator->() const { return &value_; }

 private:
  union {
    Value value_;  // NOLINT(readability-identifier-naming): private, as the union is
  };
  const unsigned made_after_ = ForkCount::get();
};

}  // namespace timers
