#pragma once

/// A sorted list with express lanes above it: one timer in four of a lane is also in the next lane.
///
/// Pugh's skip list (1990). DPDK keeps its timers in this way (lib/timer), with the same odds. A
/// timer that is in k lanes has a *tower* of k rungs, and chance decides how high it is. Here
/// chance decides once for each cell, by a hash of its number, when the slab makes the cell. The
/// tower stays as long as the cell, whatever timers use it. So no timer draws a random number or
/// allocates a tower. The proof of O(log n) still holds: it only requires that heights do not
/// depend on deadlines, and no caller knows the heights.
///
/// A link has the deadline of the timer to which it leads. So a search never touches a timer only
/// to turn back. Links go both ways, and a timer that leaves knows its neighbours; DPDK searches
/// for them. A timer that is due after all others goes to the end of each lane without a search.
///
///     insert       O(log n) on average, O(1) if the timer is due after all others
///     cancel       O(1) on average
///     re-arm       a cancel and an insert
///     expire       O(1) on average a timer
///     next_expiry  O(1), exact
///
/// n is the largest number of timers that were pending at once.
///
/// Where all timers have one delay, prefer it to a tree: neither searches then, and a skip list has
/// nothing to balance. A timer that leaves writes only to its neighbours. The weakness is the
/// search, some three steps per lane: each is a branch that is hard to predict, and waits for the
/// step before.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "impls/queues/parts/packed_tick.hpp"
#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

template <class TaskType>
class SkipList : public StayingTimers<SkipList<TaskType>, TaskType> {
  friend StayingTimers<SkipList, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = "skip_list";

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    reserve_towers();
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
      const auto [deadline, first, last] = rungs_[0].links;
      remove(first);
      this->run(first, deadline.get(), on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (rungs_[0].links.next != kEnd) return rungs_[0].links.deadline.get();
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  /// The number of a cell or of a rung. Rungs have numbers above those of all cells.
  using Stop = std::uint32_t;

  struct Links {
    PackedTick deadline;  // of the next timer: a search need not look at that timer to decide
    Stop next;
    Stop prev;
  };
  struct Linked {
    Links links;  // next is kNone if the timer is not in the list
    Stop tower;   // its lowest rung, or kNone
  };
  struct Rung {
    Links links;
    Stop above;  // in the same tower, or kNone
    Stop below;
  };

  using Timers = TimerSlab<Task, Linked>;
  using Index = typename Timers::Index;
  static constexpr Stop kNone = Timers::kNone;

  // The list and the lanes close in rings. Each ring begins and ends at a rung without a timer: the
  // list at number kEnd, and lane i at kEnd + i.
  static constexpr Stop kEnd = Timers::kMaxCells;
  static constexpr Stop kLanes = 14;  // enough for 4^14 timers

  static bool is_end(Stop stop) { return stop >= kEnd && stop <= kEnd + kLanes; }

  Rung& rung(Stop stop) { return rungs_[stop - kEnd]; }
  Links& links(Stop stop) {
    return stop < kEnd ? timers_.queue_data(stop).links : rung(stop).links;
  }

  Timers& slab() { return timers_; }

  bool arm_cell(Index index, Tick deadline) {
    if (timers_.is_pending(index)) {
      move(index, deadline);
      return true;
    }
    reserve_towers();  // `make` may have added cells
    add(index, deadline);
    timers_.arm(index);
    return false;
  }

  void disarm_cell(Index index) {
    remove(index);
    timers_.disarm(index);
  }

  bool is_due() const {
    return rungs_[0].links.next != kEnd && rungs_[0].links.deadline.get() <= time_.now();
  }

  /// Places a timer that is nowhere.
  void add(Index index, Tick deadline) {
    Linked& timer = timers_.queue_data(index);
    if (time_.has_ended()) {
      timer.links.next = kNone;
      return;
    }
    deadline = time_.deadline_for(deadline);
    std::array<Stop, kLanes + 1> previous;
    find_previous(deadline, previous);
    insert_behind(previous[0], index, deadline);
    Stop lane = 0;
    for (Stop stop = timer.tower; stop != kNone; stop = rung(stop).above) {
      insert_behind(previous[++lane], stop, deadline);
    }
  }

  void remove(Index index) {
    const Linked& timer = timers_.queue_data(index);
    if (timer.links.next == kNone) return;
    unlink(index);
    for (Stop stop = timer.tower; stop != kNone; stop = rung(stop).above) unlink(stop);
  }

  void move(Index index, Tick deadline) {
    remove(index);
    add(index, deadline);
  }

  /// Finds the place of a timer with this deadline: after which stop it belongs, in the list (lane
  /// 0) and in each other lane.
  void find_previous(Tick deadline, std::array<Stop, kLanes + 1>& previous) {
    if (deadline >= latest_) {
      latest_ = deadline;
      for (Stop lane = 0; lane <= lanes_; ++lane) previous[lane] = rungs_[lane].links.prev;
      return;
    }
    Stop at = kEnd + lanes_;
    for (Stop lane = lanes_; lane > 0; --lane) {
      while (leads_to(rung(at).links, deadline)) at = rung(at).links.next;
      previous[lane] = at;
      at = rung(at).below;
    }
    while (leads_to(links(at), deadline)) at = links(at).next;
    previous[0] = at;
  }

  static bool leads_to(const Links& links, Tick deadline) {
    return links.deadline.get() <= deadline && !is_end(links.next);
  }

  void insert_behind(Stop previous, Stop stop, Tick deadline) {
    Links& before = links(previous);
    links(stop) = {before.deadline, before.next, previous};
    links(before.next).prev = stop;
    before.deadline.set(deadline);
    before.next = stop;
  }

  void unlink(Stop stop) {
    const Links gone = links(stop);
    links(gone.next).prev = gone.prev;
    Links& before = links(gone.prev);
    before.deadline = gone.deadline;
    before.next = gone.next;
  }

  /// Makes sure that each cell has its tower.
  void reserve_towers() {
    if (cells_ < timers_.cells()) [[unlikely]]
      build_towers();
  }

  [[gnu::noinline]] void build_towers() {
    for (; cells_ < timers_.cells(); ++cells_) {
      const Stop height = height_of(cells_ + 1);
      const Stop lowest = kEnd + static_cast<Stop>(rungs_.size());
      rungs_.resize(rungs_.size() + height);
      for (Stop stop = lowest; stop < lowest + height; ++stop) {
        rung(stop).above = stop + 1 < lowest + height ? stop + 1 : kNone;
        rung(stop).below = stop > lowest ? stop - 1 : cells_;
      }
      timers_.queue_data(cells_).tower = height > 0 ? lowest : kNone;
      lanes_ = std::max(lanes_, height);
    }
  }

  /// One cell number in 4^k has k rungs or more.
  static Stop height_of(std::uint64_t number) {
    // The hash is the end of SplitMix64 (Steele, Lea & Flood, 2014).
    std::uint64_t hash = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
    return std::min(static_cast<Stop>(std::countr_zero(hash)) / 2, kLanes);
  }

  static std::vector<Rung> ends() {
    std::vector<Rung> ends(kLanes + 1);
    PackedTick never;
    never.set(kEndOfTime);
    for (Stop lane = 0; lane <= kLanes; ++lane) {
      ends[lane] = {{never, kEnd + lane, kEnd + lane}, kNone, kEnd + lane - 1};
    }
    return ends;
  }

  VirtualTime time_;
  std::vector<Rung> rungs_ = ends();
  Stop lanes_ = 0;   // the height of the highest tower
  Tick latest_ = 0;  // no timer in the list is due after this tick
  Index cells_ = 0;  // how many cells have a tower
  Timers timers_;
};

}  // namespace timers
