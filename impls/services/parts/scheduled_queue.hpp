#pragma once

/// The queue of a ScheduledThreadPool: a heap whose tasks know where they stand in it.
///
/// The DelayedWorkQueue of java.util.concurrent. But the pool waits, and not the queue. Of tasks
/// with one deadline the one that came first goes first. A task that was revoked is dead; its entry
/// stays until it is removed or due, or until all dead entries are purged. The lock of the pool
/// guards the queue. No task runs or dies in here.
///
///     insert, put_back, start_due, remove     O(log n)
///     revoke                                  O(1)
///     revoke_if, purge, take_all              O(n)

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "impls/clocks/instant.hpp"
#include "impls/parts/position_heap.hpp"
#include "impls/services/parts/scheduled_node.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/timer_service.hpp"

namespace timers {

class ScheduledQueue {
 public:
  using Handle = ScheduledNode::Handle;

  /// A deadline reaches this instant only by saturation. It never comes, even if the clock gets
  /// there: otherwise a fixed rate would run for ever at that instant.
  static constexpr Instant kNever = Instant::max();

  /// Owns one share in the node; the user's handle owns the other.
  struct Entry {
    Instant deadline;
    std::uint64_t number;
    ScheduledNode* node;

    bool before(const Entry& other) const {
      return deadline == other.deadline ? number < other.number : deadline < other.deadline;
    }
  };

  /// How many entries there are, dead ones included.
  std::size_t size() const { return heap_.size(); }
  std::size_t pending() const { return heap_.size() - dead_; }

  bool contains(const ScheduledNode& node) const {
    return node.position_ != ScheduledNode::kNotQueued;
  }

  /// The deadline of the first entry, dead or not; `kNever` if there is none.
  Instant next_deadline() const { return heap_.size() == 0 ? kNever : heap_.front().deadline; }

  /// Makes sure that the next `more` tasks can be put in without a throw.
  void reserve(std::size_t more) { heap_.reserve(more); }

  /// Puts in a new task, and takes `share` of it. Returns whether it is the first one.
  bool insert(Instant deadline, Handle share) {
    return put_back({deadline, next_number_++, share.detach()});
  }

  /// Puts in a task that was taken out, and keeps its number. Returns whether it is the first one.
  bool put_back(const Entry& entry) {
    heap_.push(entry, kNotePosition);
    return entry.node->position_ == 0;
  }

  /// Takes out the first task that is due at `now`, and starts it. None if no task is due.
  std::optional<Entry> start_due(Instant now) {
    while (next_deadline() <= now && next_deadline() != kNever) {
      const Entry first = take(0);
      if (first.node->start()) return first;
      bury(first);
    }
    return std::nullopt;
  }

  /// Cancels a task, wherever it is. If this returns `cancelled`, the caller has to finish it.
  CancelResult revoke(ScheduledNode& node) {
    const CancelResult result = node.revoke();
    if (result == CancelResult::cancelled && contains(node)) ++dead_;
    return result;
  }

  /// Takes out a dead task, if it is here.
  void remove(const ScheduledNode& node) {
    if (contains(node)) bury(take(node.position_));
  }

  /// Takes out all dead tasks, and returns how many there were.
  std::size_t purge() {
    const auto is_buried = [this](const Entry& entry) {
      if (!is_dead(entry)) return false;
      entry.node->position_ = ScheduledNode::kNotQueued;
      bury(entry);
      return true;
    };
    return dead_ == 0 ? 0 : heap_.remove_if(is_buried, kNotePosition);
  }

  /// Revokes all pending tasks for which `is_unwanted(entry)`, takes them out with the dead, and
  /// appends them to `revoked`, which must have room for all entries of the queue.
  template <class IsUnwanted>
  void revoke_if(IsUnwanted is_unwanted, std::vector<Handle>& revoked) {
    heap_.for_each([&](const Entry& entry) {
      if (is_dead(entry) || !is_unwanted(entry)) return;
      revoke(*entry.node);
      revoked.emplace_back(entry.node);
    });
    purge();
  }

  /// Takes out all entries, in no order, with their shares.
  std::vector<Entry> take_all() {
    dead_ = 0;
    heap_.for_each([](const Entry& entry) { entry.node->position_ = ScheduledNode::kNotQueued; });
    return heap_.take_all();
  }

 private:
  static constexpr auto kNotePosition = [](const Entry& entry, std::size_t position) {
    entry.node->position_ = position;
  };

  static bool is_dead(const Entry& entry) { return entry.node->state() != TimerState::pending; }

  Entry take(std::size_t position) {
    const Entry entry = heap_.remove(position, kNotePosition);
    entry.node->position_ = ScheduledNode::kNotQueued;
    return entry;
  }

  /// Gives up the share in a dead task that was taken out.
  void bury(const Entry& entry) {
    --dead_;
    const Handle last_share = entry.node->adopt();
  }

  PositionHeap<Entry> heap_;
  std::size_t dead_ = 0;
  std::uint64_t next_number_ = 0;
};

}  // namespace timers
