// Of all due timers, the one that was set last runs first. A task that sets itself again keeps all
// others waiting.
//
// In Node two intervals whose callbacks took longer than their period blocked the loop for all
// others: when one had run, the other one was due again.
//
// Seen in: https://github.com/nodejs/node/issues/15068
// Caught by: RunsOthersWhileATaskSetsItselfAnew

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class NewestDueFirst : public RightTimer {
  void run_first(Lock& lock) override {
    const auto due_end = tasks_.upper_bound({Clock::now(), kNumbers});
    const auto came_before = [](const auto& one, const auto& other) {
      return one.first.second < other.first.second;
    };
    const auto newest = std::max_element(tasks_.begin(), due_end, came_before);
    if (newest == due_end) return;
    auto task = tasks_.extract(newest);
    run(lock, std::move(task.mapped()));
  }

  static constexpr std::uint64_t kNumbers = std::numeric_limits<std::uint64_t>::max();
};

const RealTimeExhibit<NewestDueFirst> newest_due_first;

}  // namespace
}  // namespace timers::museum
