#pragma once

/// Queues that promise and offer as little as the contract allows. They show that the kit accepts
/// such queues. They are correct; only their promises are weak, and they make use of that.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "impls/queues/ordered_map.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"

namespace timers {

/// A queue without any optional ability.
template <class TaskType>
class PlainQueue {
 public:
  using Task = TaskType;
  using Handle = typename OrderedMap<Task>::Handle;
  static constexpr const char* name = "plain";

  Handle insert(Tick deadline, Task task) { return queue_.insert(deadline, std::move(task)); }
  bool cancel(Handle handle) { return queue_.cancel(handle); }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return queue_.expire(now, on_expiry);
  }
  std::size_t size() const { return queue_.size(); }

 private:
  OrderedMap<Task> queue_;
};

/// Visits its timers only at every eighth tick.
struct EveryEighthTick {
  static constexpr const char* name = "late";
  static constexpr bool fifo = true;
  static constexpr Tick grain_of(Tick) { return 8; }
};

/// Like Linux's timer wheel since 4.8: delays below 64 are exact, and each level is 8 times as
/// coarse as the level below it. If timers of one deadline are set at different times, they may be
/// on different levels, and then do not keep their order.
struct CoarseLevels {
  static constexpr const char* name = "late_by_levels";
  static constexpr bool fifo = false;
  static constexpr Tick grain_of(Tick delay) {
    const auto bits = std::bit_width(delay);
    return bits <= 6 ? 1 : Tick{1} << (bits - 4) / 3 * 3;
  }
};

/// Rounds deadlines up to the grain of their delay, and runs all timers of a grain at once.
template <class TaskType, class Grains>
class LateQueue {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = Grains::name;
  static constexpr bool expires_in_order = false;
  static constexpr bool fifo = Grains::fifo;
  static constexpr Tick max_lateness(Tick delay) { return Grains::grain_of(delay) - 1; }

  Handle insert(Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    timers_.reserve_one();
    const Position position = add(deadline, timers_.next());
    return timers_.handle(timers_.acquire(std::move(task), {deadline, position}));
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      remove(timers_.queue_data(index).position);
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      deadline = time_.deadline_for(deadline);
      const Position position = add(deadline, index);
      remove(timers_.queue_data(index).position);
      timers_.queue_data(index) = {deadline, position};
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    return time_.run(limit, [&] {
      const auto first = by_grain_.begin();
      if (first == by_grain_.end() || first->first > time_.now()) return false;
      const Index index = first->second;
      by_grain_.erase(first);
      const Tick deadline = timers_.queue_data(index).deadline;
      on_expiry(deadline, timers_.release(index));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!by_grain_.empty()) return by_grain_.begin()->first;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using ByGrain = std::multimap<Tick, std::uint32_t>;
  using Position = std::optional<ByGrain::iterator>;  // none if set at the end of time
  struct Timer {
    Tick deadline;
    Position position;
  };
  using Timers = TimerSlab<Task, Timer>;
  using Index = typename Timers::Index;

  Position add(Tick deadline, Index index) {
    if (time_.has_ended()) return std::nullopt;
    const Tick beyond = Grains::grain_of(deadline - time_.now()) - 1;
    const Tick rounded =
        deadline > kEndOfTime - beyond ? kEndOfTime : (deadline + beyond) & ~beyond;
    return by_grain_.emplace(rounded, index);
  }

  void remove(Position position) {
    if (position) by_grain_.erase(*position);
  }

  VirtualTime time_;
  ByGrain by_grain_;
  Timers timers_;
};

/// Wakes a sleeper at every tick, and names the current tick while timers are due.
template <class TaskType>
class VagueQueue : public OrderedMap<TaskType> {
  using Base = OrderedMap<TaskType>;

 public:
  static constexpr const char* name = "vague";
  static constexpr Tick max_wakes(Tick delay) { return delay; }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    std::size_t ran = 0;
    time_.run(1, [&] {
      ran = Base::expire(now, on_expiry, limit);
      return true;
    });
    return ran;
  }

  std::optional<Tick> next_expiry() const {
    const std::optional<Tick> exact = Base::next_expiry();
    if (!exact || *exact == kEndOfTime) return exact;
    return time_.now() + (*exact > time_.now() ? 1 : 0);
  }

 private:
  VirtualTime time_;
};

/// Throws if it is asked for a tick beyond its last one.
template <class TaskType>
class BriefQueue : public OrderedMap<TaskType> {
  using Base = OrderedMap<TaskType>;

 public:
  using typename Base::Handle;
  static constexpr const char* name = "brief";
  static constexpr Tick last_tick = 10'000;

  Handle insert(Tick deadline, TaskType task) {
    require(deadline <= last_tick);
    return Base::insert(deadline, std::move(task));
  }
  bool rearm(Handle handle, Tick deadline) {
    require(deadline <= last_tick);
    return Base::rearm(handle, deadline);
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    require(now < last_tick);
    return Base::expire(now, on_expiry, limit);
  }

 private:
  static void require(bool is_within_reach) {
    if (!is_within_reach) throw std::out_of_range("a brief queue has 10,000 ticks");
  }
};

template <class Task>
using WeakQueues = TypeList<           //
    PlainQueue<Task>,                  //
    LateQueue<Task, EveryEighthTick>,  //
    LateQueue<Task, CoarseLevels>,     //
    VagueQueue<Task>,                  //
    BriefQueue<Task>>;

}  // namespace timers
