#pragma once

/// java.util.concurrent.ScheduledFuture: with it a user waits for the outcome of a task of a
/// ScheduledThreadPool.
///
/// A future stays good for ever, even when its pool is gone. But then no task runs any more. If
/// somebody keeps a task that `shutdown_now` returned, `get` waits until that task is run or
/// destroyed. See FutureNode.

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <type_traits>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/future_node.hpp"
#include "impls/services/parts/scheduled_node.hpp"

namespace timers {

/// A share in the outcome of a task. Copies ask about the same task.
template <class Result, Clock ClockType, class Pool>
class ScheduledFuture {
 public:
  using Node = std::conditional_t<std::is_void_v<Result>, FutureNode<ClockType, Pool>,
                                  ResultNode<Result, ClockType, Pool>>;

  /// For the pool: takes one of the two shares that the node was made with.
  explicit ScheduledFuture(Node* born) : node_(born, /*add_ref=*/false) {}

  /// Waits until the task is done. Returns its result, which lives as long as any future of the
  /// task; rethrows what it threw; throws CancelledTask if it was cancelled. A call from a task of
  /// a pool occupies a thread, perhaps the one that the awaited task needs.
  decltype(auto) get() const { return node_->get(); }

  /// Keeps the task from starting, or from starting again, and returns true, even while the
  /// task runs. Returns false if the task was done already.
  bool cancel() const {
    // This future may belong to the task, which dies in the call below.
    const boost::intrusive_ptr<Node> share = node_;
    return share->cancel();
  }

  /// Whether the task returned, threw or was cancelled. A task that is cancelled while it runs
  /// counts as done at once, and goes on to its end.
  bool is_done() const { return node_->is_done(); }

  bool is_cancelled() const { return node_->is_cancelled(); }

  /// For the pool: a share in the task.
  ScheduledNode::Handle share() const { return node_; }

  /// How long it is until the task is due, or due again; negative if it should have started.
  Duration get_delay() const { return node_->get_delay(); }

 private:
  boost::intrusive_ptr<Node> node_;
};

}  // namespace timers
