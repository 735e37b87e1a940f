#pragma once

/// The reference: a std::multimap from deadline to timer.
///
/// A balanced tree keeps the timers sorted, so that the earliest is the first and equal deadlines
/// stay in the order of their insertion; the standard library does the rest. Scheme 3 of Varghese &
/// Lauck (trees and heaps). rb_tree.hpp is the tree that kernels have.
///
///     insert       O(log n), one allocation (the node)
///     cancel       O(log n)
///     re-arm       O(log n), moves the node: no allocation
///     expire       O(1) amortised a timer
///     next_expiry  O(1), exact
///
/// Choose it to have a correct queue at once; it is the reference for all other queues here. It
/// costs a cache miss for each level of the tree, and a node of its own for each timer.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class TaskType>
class OrderedMap {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = "ordered_map";

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    Position position;
    if (!time_.has_ended()) position = map_.emplace(time_.deadline_for(deadline), timers_.next());
    return timers_.handle(timers_.acquire(std::move(task), position));
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      if (const Position position = timers_.queue_data(index)) map_.erase(*position);
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      Position& position = timers_.queue_data(index);
      if (!position) return;
      auto node = map_.extract(*position);
      position.reset();
      if (time_.has_ended()) return;
      node.key() = time_.deadline_for(deadline);
      position = map_.insert(std::move(node));
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    return time_.run(limit, [&] {
      const auto first = map_.begin();
      if (first == map_.end() || first->first > time_.now()) return false;
      const auto [deadline, index] = *first;
      map_.erase(first);
      on_expiry(deadline, timers_.release(index));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!map_.empty()) return map_.begin()->first;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Map = std::multimap<Tick, std::uint32_t>;
  using Position =
      std::optional<Map::iterator>;  // none for a timer that was set at the end of time
  using Timers = TimerSlab<Task, Position>;
  using Index = typename Timers::Index;

  VirtualTime time_;
  Map map_;
  Timers timers_;
};

}  // namespace timers
