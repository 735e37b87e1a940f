#pragma once

/// Decides which of the threads that wait for one queue watches its first deadline.
///
/// Leader and followers (Schmidt, 2000), as in ScheduledThreadPoolExecutor: the leader waits until
/// the first deadline, the followers wait until somebody calls them. So a deadline wakes one
/// thread, however many wait. The lock of the queue guards all of this; nothing here waits or
/// wakes.
///
///     wait, to_call, successor_of    O(1)
///     leave                          O(n) for n threads that wait

#include <cstddef>
#include <utility>
#include <vector>

namespace timers {

/// `Thread` is any object that stands for a thread. Only its address is used.
template <class Thread>
class LeaderAndFollowers {
 public:
  /// Makes sure that `threads` threads can wait, and that no call of `wait` throws.
  void reserve(std::size_t threads) { followers_.reserve(threads); }

  /// The thread that waits for the first deadline, or was called to look at it; nullptr if none.
  Thread* leader() const { return leader_; }

  /// A thread begins to wait. Returns whether it leads.
  bool wait(Thread& self) {
    if (leader_ == nullptr) leader_ = &self;
    if (leader_ == &self) return true;
    followers_.push_back(&self);
    return false;
  }

  /// A follower woke up, and leaves the line. It still stands there if nobody called it, and its
  /// parker had an old token.
  void leave(Thread& follower) { std::erase(followers_, &follower); }

  /// The thread to call for a look at the first deadline. If no thread waits, there is none to
  /// call: each thread looks at the queue before it waits.
  Thread* to_call() {
    if (leader_ == nullptr && !followers_.empty()) {
      leader_ = followers_.back();
      followers_.pop_back();
    }
    return leader_;
  }

  /// The thread to call when `self` goes to run a task. There is none if another thread leads, or
  /// if there is nothing left to wait for.
  Thread* successor_of(const Thread& self, bool tasks_are_left) {
    if (leader_ == &self) leader_ = nullptr;
    return leader_ == nullptr && tasks_are_left ? to_call() : nullptr;
  }

 private:
  Thread* leader_ = nullptr;
  std::vector<Thread*> followers_;
};

}  // namespace timers
