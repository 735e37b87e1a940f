#pragma once

/// A red-black tree whose nodes are the cells of the timers. It knows its first timer.
///
/// Scheme 3 of Varghese & Lauck (trees and heaps), as in kernels and servers: Linux keeps its
/// hrtimers in this way, and nginx all its timers. The links of the tree are in the timer's cell,
/// beside its deadline. So a timer needs no other memory, and a cancel does not search. The tree is
/// from Boost.Intrusive. Cells never move, so plain pointers name them. A timer that is due after
/// all others goes to the end of the tree without a search.
///
///     insert       O(log n), O(1) amortised if the timer is due after all others
///     cancel       O(log n), O(1) on average
///     re-arm       a cancel and an insert
///     expire       O(1) amortised a timer
///     next_expiry  O(1), exact
///
/// It is here because people know it from Linux and nginx: we found no load on which it is surely
/// the best (results/other_machine.md). But none of its calls is long: nothing is ever swept,
/// sorted or moved to a larger array. It expires a burst in less time than a heap. Its weakness is
/// the way from the root down to a leaf, which an insert takes unless its timer is due last: each
/// level is a cache miss, and a branch that is hard to predict.

#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <optional>
#include <utility>

#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class TaskType>
class RbTree : public StayingTimers<RbTree<TaskType>, TaskType> {
  friend StayingTimers<RbTree, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = "rb_tree";

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    const Index index = timers_.acquire(std::move(task));
    add(index, deadline);
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      remove(index);
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) { move(index, deadline); });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now) || !is_due()) return 0;
    return time_.run(limit, [&] {
      if (!is_due()) return false;
      const Node& first = *tree_.begin();
      const Index index = timers_.index_of(first);
      const Tick deadline = first.deadline;
      tree_.erase(tree_.begin());
      this->run(index, deadline, on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!tree_.empty()) return tree_.begin()->deadline;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  /// The deadline of a timer that was set at the end of time, and is not in the tree. No other
  /// timer has it, because a deadline is after the time at which it is set.
  static constexpr Tick kNever = 0;

  // Three pointers, one of which also holds the colour. Nobody checks whether they are in use.
  using Links =
      boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>,
                                      boost::intrusive::link_mode<boost::intrusive::normal_link>>;
  struct Node : Links {
    Tick deadline;
    friend bool operator<(const Node& one, const Node& other) {
      return one.deadline < other.deadline;
    }
  };
  /// `insert` puts a timer behind all that have its deadline.
  using Multiset = boost::intrusive::multiset<Node, boost::intrusive::constant_time_size<false>>;
  struct Tree : Multiset {
    Tree() = default;
    Tree(Tree&&) noexcept = default;
    Tree& operator=(Tree&& other) noexcept {
      this->clear();  // Boost would swap the trees. The old nodes die with their slab.
      this->swap(other);
      return *this;
    }
    ~Tree() = default;
  };
  using Timers = TimerSlab<Task, Node>;
  using Index = typename Timers::Index;

  bool is_due() const { return !tree_.empty() && tree_.begin()->deadline <= time_.now(); }

  Timers& slab() { return timers_; }

  bool arm_cell(Index index, Tick deadline) {
    if (timers_.is_pending(index)) {
      move(index, deadline);
      return true;
    }
    add(index, deadline);
    timers_.arm(index);
    return false;
  }

  void disarm_cell(Index index) {
    remove(index);
    timers_.disarm(index);
  }

  /// Places a timer that is nowhere.
  void add(Index index, Tick deadline) {
    Node& node = timers_.queue_data(index);
    node.deadline = time_.has_ended() ? kNever : time_.deadline_for(deadline);
    if (node.deadline == kNever) return;
    if (node.deadline >= latest_) {
      latest_ = node.deadline;
      tree_.push_back(node);
    } else {
      tree_.insert(node);
    }
  }

  void remove(Index index) {
    Node& node = timers_.queue_data(index);
    if (node.deadline != kNever) tree_.erase(tree_.iterator_to(node));
  }

  void move(Index index, Tick deadline) {
    remove(index);
    add(index, deadline);
  }

  VirtualTime time_;
  Tree tree_;
  Tick latest_ = 0;  // no timer in the tree is due after this tick
  Timers timers_;
};

}  // namespace timers
