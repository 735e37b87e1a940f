#pragma once

/// A clock for code that calls a service by a plan.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

#include "impls/clocks/instant.hpp"
#include "impls/timer_task.hpp"

namespace timers::benches {

/// Time that moves only when a caller waits. So a whole run takes no real time, and is the same
/// each time.
class Simulation {
 public:
  class Parker {
   public:
    explicit Parker(Simulation& simulation) : simulation_(simulation) {}
    bool park_until(Instant deadline) { return simulation_.run_until(deadline); }

   private:
    Simulation& simulation_;
  };

  Instant now() const { return now_; }

  void run_at(Instant instant, TimerTask task) { tasks_.emplace(instant, std::move(task)); }
  std::size_t tasks() const { return tasks_.size(); }

  /// Runs all tasks up to `end`. Returns false: the token of a parker never comes.
  bool run_until(Instant end) {
    while (!tasks_.empty() && tasks_.begin()->first <= end) {
      auto first = tasks_.extract(tasks_.begin());
      now_ = std::max(now_, first.key());
      first.mapped()();
    }
    now_ = std::max(now_, end);
    return false;
  }

 private:
  Instant now_{std::chrono::hours(1)};
  std::multimap<Instant, TimerTask> tasks_;
};

}  // namespace timers::benches
