#pragma once

/// A task as a ScheduledThreadPool holds it.

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "impls/clocks/instant.hpp"
#include "impls/services/parts/timer_node.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// This class has no future: the task runs once, and the handler of errors gets what it throws.
class ScheduledNode : public TimerNode<ScheduledNode> {
 public:
  explicit ScheduledNode(TimerTask&& task) noexcept : TimerNode(std::move(task)) {}
  virtual ~ScheduledNode() = default;

  static void destroy(ScheduledNode* node) noexcept { node->destroy(); }

  virtual void operator()() { TimerNode::operator()(); }

  virtual bool repeats() const { return false; }

  /// Called after a run. Returns when the next run is due, or none if there is no next run.
  virtual std::optional<Instant> next_deadline() { return std::nullopt; }

  /// The last run is over.
  virtual void complete() { finish(); }

  /// The pool revoked the task, and it will not run.
  virtual void abandon() { finish(); }

  /// The pool gives up its share, and the task if that is still pending.
  virtual TimerTask give_back() {
    const Handle share = adopt();
    return withdraw();
  }

 private:
  friend class ScheduledQueue;

  /// A derived node has no pool.
  virtual void destroy() noexcept { NodePool<ScheduledNode>::destroy(this); }

  static constexpr std::size_t kNotQueued = std::numeric_limits<std::size_t>::max();

  std::size_t position_ = kNotQueued;  // in the queue; the lock of the pool guards it
};

}  // namespace timers
