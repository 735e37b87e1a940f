#pragma once

/// A plain wheel of linked lists whose nodes are the user's own, as in kernels and event loops.
///
/// Wheels within wheels (wheel_levels.hpp), with a doubly linked list for each bucket. A timer is a
/// node inside of an object of the user. So nothing is looked up, and nothing protects the timer:
/// if it is destroyed while it is pending, it still counts in `size`. If a wheel is destroyed
/// before its timers, these stay linked to each other. It has only timers that stay, and no
/// handles. So it shows what our queues pay for safety.
///
///     arm, disarm    O(1)
///     expire         O(1) a timer, plus O(1) for each of its cascades, at most one a level
///     next_expiry    O(1), early by at most one wake a level
///
/// Source: the idea is that of Linux's kernel/time/timer.c before 4.8, the code is our own.

#include <array>
#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>

#include "impls/queues/parts/occupancy_bits.hpp"
#include "impls/queues/parts/wheel_levels.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class TaskType>
class IntrusiveWheel {
  using Levels = WheelLevels<8>;

  struct Node {
    Node* next = this;
    Node* prev = this;

    Node() = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ~Node() { unlink(); }

    bool is_linked() const { return next != this; }

    void unlink() {
      next->prev = prev;
      prev->next = next;
      next = prev = this;
    }

    void append(Node& node) {
      node.next = this;
      node.prev = prev;
      prev->next = &node;
      prev = &node;
    }

    /// Appends all nodes of another list, which is empty then.
    void take_all(Node& list) {
      if (!list.is_linked()) return;
      list.next->prev = prev;
      prev->next = list.next;
      list.prev->next = this;
      prev = list.prev;
      list.next = list.prev = &list;
    }
  };

 public:
  using Task = TaskType;
  static constexpr const char* name = "intrusive_wheel";
  static constexpr Tick max_wakes(Tick delay) { return Levels::level_of(delay) + 2; }

  /// The user's object, or a part of it. It may move while it is not pending.
  class Timer : Node {
   public:
    Timer() = default;
    Timer(Timer&& other) noexcept : task_(std::move(other.task_)) { assert(!other.is_linked()); }
    Timer& operator=(Timer&& other) noexcept {
      assert(!this->is_linked() && !other.is_linked());
      task_ = std::move(other.task_);
      return *this;
    }

   private:
    friend IntrusiveWheel;
    explicit Timer(Task&& task) : task_(std::move(task)) {}

    Tick deadline_ = 0;
    Task task_{};
  };

  Timer make(Task task) { return Timer(std::move(task)); }

  bool arm(Timer& timer, Tick deadline) {
    const bool was_pending = disarm(timer);
    timer.deadline_ = time_.deadline_for(deadline);
    place(timer);
    ++size_;
    return was_pending;
  }

  Task& task(Timer& timer) { return timer.task_; }

  bool disarm(Timer& timer) {
    if (!timer.is_linked()) return false;
    timer.unlink();
    --size_;
    return true;
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    collect_due();
    return time_.run(limit, [&] {
      if (!due_.is_linked()) return false;
      auto& timer = static_cast<Timer&>(*due_.next);
      disarm(timer);
      on_expiry(timer.deadline_, timer.task_);
      return true;
    });
  }

  std::optional<Tick> next_expiry() {
    if (due_.is_linked()) return static_cast<Timer&>(*due_.next).deadline_;
    const auto first = first_in_use();
    return first ? std::optional(start_of(*first)) : std::nullopt;
  }

  std::size_t size() const { return size_; }

 private:
  using Bucket = typename Levels::Bucket;

  Tick start_of(Bucket bucket) const { return Levels::start_of(bucket, cursor_); }

  void place(Timer& timer) {
    const Bucket bucket = Levels::bucket_for(timer.deadline_, cursor_);
    if (!buckets_[bucket].is_linked()) in_use_.set(bucket);
    buckets_[bucket].append(timer);
  }

  /// A timer that is disarmed leaves the bit of its bucket set. This call clears such bits.
  std::optional<Bucket> first_in_use() {
    while (const auto first = in_use_.first()) {
      if (buckets_[*first].is_linked()) return static_cast<Bucket>(*first);
      in_use_.clear(*first);
    }
    return std::nullopt;
  }

  /// Moves the cursor to now, and what is due to due_, in order.
  void collect_due() {
    while (cursor_ < time_.now()) {
      const auto bucket = first_in_use();
      if (!bucket || start_of(*bucket) > time_.now()) break;
      cursor_ = start_of(*bucket);
      in_use_.clear(*bucket);
      if (*bucket < Levels::kSlots) {
        due_.take_all(buckets_[*bucket]);
      } else {
        cascade(buckets_[*bucket]);
      }
    }
    cursor_ = time_.now();
  }

  void cascade(Node& list) {
    Node passed;
    passed.take_all(list);
    while (passed.is_linked()) {
      auto& timer = static_cast<Timer&>(*passed.next);
      timer.unlink();
      if (timer.deadline_ == cursor_) {
        due_.append(timer);
      } else {
        place(timer);
      }
    }
  }

  VirtualTime time_;
  Tick cursor_ = 0;
  std::size_t size_ = 0;
  Node due_;
  OccupancyBits<Levels::kBuckets> in_use_;
  std::array<Node, Levels::kBuckets> buckets_;
};

}  // namespace timers
