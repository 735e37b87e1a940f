#pragma once

/// Programs for the explorer, in which the threads of a pool do what ScheduledThreadPool does: they
/// take the tasks that are due, call their successors, and wait as leader or as followers.

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "impls/services/parts/leader_and_followers.hpp"
#include "tests/services/explorer/explorer.hpp"

namespace timers::programs {

/// `Line` is LeaderAndFollowers. All tasks are due when some thread has waited for them. The first
/// task ends only after the second one has run, so two threads have to run them.
template <template <class> class Line>
class SmallPool {
 protected:
  struct Worker {
    StepwiseAtomic<bool> token = false;

    void unpark() { token.exchange(true, std::memory_order_release); }
    void park() { token.await(true, false, std::memory_order_acquire); }
    /// Returns false if the time is up. Without a token it always is.
    bool park_until_due() { return token.exchange(false, std::memory_order_acquire); }
  };

  SmallPool() { line_.reserve(workers_.size()); }

  void schedule() {
    mutex_.lock();
    tasks_ = tasks_ + 1;
    Worker* const called = tasks_ == 1 ? line_.to_call() : nullptr;
    mutex_.unlock();
    if (called != nullptr) called->unpark();
  }
  void shut_down() {
    mutex_.lock();
    is_shut_down_ = true;
    wake_all_if_over();
    mutex_.unlock();
  }

  void work(std::size_t number) {
    Worker& self = workers_[number];
    mutex_.lock();
    while (!is_over()) {
      if (tasks_ > 0 && is_due_) {
        run(self);
      } else {
        wait(self);
      }
    }
    wake_all_if_over();
    mutex_.unlock();
  }

  int ran() const { return ran_; }

 private:
  bool is_over() const { return is_shut_down_ && tasks_ == 0 && active_ == 0; }

  void wake_all_if_over() {
    if (!is_over()) return;
    for (Worker& worker : workers_) worker.unpark();
  }

  void run(Worker& self) {
    tasks_ = tasks_ - 1;
    active_ = active_ + 1;
    const int number = started_;
    started_ = number + 1;
    Worker* const successor = line_.successor_of(self, tasks_ > 0);
    mutex_.unlock();
    if (successor != nullptr) successor->unpark();
    if (number == 0) second_has_run_.await(true, true, std::memory_order_acquire);
    if (number == 1) second_has_run_.store(true, std::memory_order_release);
    mutex_.lock();
    active_ = active_ - 1;
    ran_ = ran_ + 1;
    wake_all_if_over();
  }

  void wait(Worker& self) {
    const bool leads = line_.wait(self);
    const bool is_for_ever = !leads || tasks_ == 0;
    mutex_.unlock();
    bool is_late = false;
    if (is_for_ever) {
      self.park();
    } else {
      is_late = !self.park_until_due();
    }
    mutex_.lock();
    if (is_late) is_due_ = true;
    if (!leads) line_.leave(self);
  }

  StepwiseMutex mutex_;  // guards all of these
  Checked<int> tasks_ = 0;
  Checked<bool> is_due_ = false;
  Checked<bool> is_shut_down_ = false;
  Checked<int> active_ = 0;
  Checked<int> started_ = 0;
  Checked<int> ran_ = 0;
  Line<Worker> line_;

  std::array<Worker, 2> workers_;
  StepwiseAtomic<bool> second_has_run_ = false;
};

/// Two worker threads, and three tasks that were scheduled before.
template <template <class> class Line>
struct TwoWorkers : SmallPool<Line> {
  TwoWorkers() {
    for (int i = 0; i < 3; ++i) this->schedule();
    this->shut_down();
  }
  void first() { this->work(0); }
  void second() { this->work(1); }
  std::string fault() const { return this->ran() == 3 ? "" : "a task is left"; }
};

/// Two worker threads, and a third thread that schedules two tasks and shuts the pool down.
template <template <class> class Line>
struct TwoWorkersAndUser : SmallPool<Line> {
  void first() { this->work(0); }
  void second() { this->work(1); }
  void third() {
    this->schedule();
    this->schedule();
    this->shut_down();
  }
  std::string fault() const { return this->ran() == 2 ? "" : "a task is left"; }
};

}  // namespace timers::programs
