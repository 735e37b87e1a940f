#pragma once

/// The tasks that ran, and what the manual clock showed when they did.

#include <cstddef>
#include <functional>
#include <mutex>
#include <ostream>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// Task `id` began to run when the clock, which starts at 0, showed `at`.
struct Ran {
  int id;
  Duration at;
  friend bool operator==(const Ran&, const Ran&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Ran& run) {
    return out << run.id << "@" << run.at.count() << "ns";
  }
};

class RunLog {
 public:
  explicit RunLog(const ManualClock& clock) : clock_(clock) {}

  /// A task that records when it runs, and then calls `what`.
  TimerTask task(int id, std::function<void()> what = {}) {
    return [this, id, what = std::move(what)] {
      {
        const std::lock_guard lock(mutex_);
        runs_.push_back({id, clock_.now().time_since_epoch()});
      }
      if (what) what();
    };
  }

  /// The runs, in the order in which they began.
  std::vector<Ran> runs() const {
    const std::lock_guard lock(mutex_);
    return runs_;
  }

  std::size_t size() const { return runs().size(); }

 private:
  const ManualClock& clock_;
  mutable std::mutex mutex_;
  std::vector<Ran> runs_;
};

}  // namespace timers
