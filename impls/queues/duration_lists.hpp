#pragma once

/// A list for each delay, and a heap over the first timers of the lists.
///
/// Time only moves forward. So timers of one delay expire in the order in which they are set. A
/// list of them stays sorted if each new timer goes to its end. libevent has such lists for delays
/// that its user names (common timeouts). Node.js makes a list for every delay, and finds it in a
/// hash table, as here. Where two lists have a timer for the same tick, the timer with the longer
/// delay was set first. So the order of insertion is known without numbers.
///
/// An empty list waits for another timer of its delay. If more than 64 wait, a new delay takes over
/// the one that has been empty longest.
///
///     insert       O(1); into an empty list O(log d)
///     cancel       O(1); for the first timer of a list O(log d)
///     re-arm       a cancel and an insert
///     expire       O(log d) a timer
///     next_expiry  O(1), exact
///
/// d is how many different delays the pending timers have.
///
/// It is made for delays that are constants of a program, and is here because people know it from
/// Node.js. Even then yielding_wheel is as fast, or faster (results/other_machine.md). If each
/// timer has a delay of its own, each timer has a list, a place in the table and one in the heap.
/// Such a queue takes twice the memory of a heap and is several times slower. This is easy to
/// overlook, as a delay counts from the queue's now: if you add 30 s to a clock that is ahead of
/// the queue, each reading of that clock makes a new delay.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/queues/parts/wide_heap.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// If more than `EmptyLists` lists are empty, a new delay takes over the one that has been empty
/// longest. Else the new delay gets a new list.
template <class TaskType, std::size_t EmptyLists = 64>
class DurationLists : public StayingTimers<DurationLists<TaskType, EmptyLists>, TaskType> {
  friend StayingTimers<DurationLists, TaskType>;
  static_assert(std::has_single_bit(EmptyLists), "the table has a power of two of buckets");

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      EmptyLists == 64 ? "duration_lists"
                       : "duration_lists_" + std::to_string(EmptyLists) + "_empty";

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    const ListNumber number = list_for(deadline);
    const Index index = timers_.acquire(std::move(task));
    append(number, index);
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      remove(index);
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) {
      const ListNumber number = list_for(deadline);
      remove(index);
      append(number, index);
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now) || !is_due()) return 0;
    return time_.run(limit, [&] {
      if (!is_due()) return false;
      const auto [deadline, set_at, number] = heap_.front();
      const Index first = lists_[number].links.next;
      unlink(first);
      first_has_left(number, 0);
      this->run(first, deadline, on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (!heap_.empty()) return heap_.front().deadline;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using ListNumber = std::uint32_t;

  struct Links {
    std::uint32_t next;
    std::uint32_t prev;
  };
  struct Linked {
    Tick deadline;
    Links links;  // next is kNone if it is in no list
  };
  struct List {
    Tick delay;
    Links links;  // to its first and its last timer; if it is empty, to other empty lists
    std::uint32_t position;  // in the heap, or kEmpty
    ListNumber next;         // in its bucket of the table
  };
  /// The entry of a list in the heap: its first timer.
  struct Head {
    Tick deadline;
    Tick set_at;
    ListNumber list;
    bool before(const Head& other) const { return key() < other.key(); }

    /// Both ticks in one number, so that two heads are compared without a branch.
    auto key() const {
      __extension__ using Wide = unsigned __int128;
      return Wide{deadline} << 64 | set_at;
    }
  };

  using Timers = TimerSlab<Task, Linked>;
  using Index = typename Timers::Index;
  static constexpr std::uint32_t kNone = Timers::kNone;
  static constexpr std::uint32_t kEmpty = kNone;

  /// The number of no list. The ring of empty lists begins and ends here. It is also the list of
  /// a timer that is set at the end of time.
  static constexpr ListNumber kNoList = 0;

  // A list closes in a ring. Its own links take part in it as a timer of this number.
  static constexpr Index kFirstSentinel = Timers::kMaxCells;
  static Index sentinel(ListNumber number) { return kFirstSentinel + number; }
  static bool is_sentinel(Index index) { return index >= kFirstSentinel; }

  Links& links(Index index) {
    return is_sentinel(index) ? lists_[index - kFirstSentinel].links
                              : timers_.queue_data(index).links;
  }

  Timers& slab() { return timers_; }

  bool arm_cell(Index index, Tick deadline) {
    const ListNumber number = list_for(deadline);
    const bool was_pending = timers_.is_pending(index);
    if (was_pending) {
      remove(index);
    } else {
      timers_.arm(index);
    }
    append(number, index);
    return was_pending;
  }

  void disarm_cell(Index index) {
    remove(index);
    timers_.disarm(index);
  }

  bool is_due() const { return !heap_.empty() && heap_.front().deadline <= time_.now(); }

  /// The list for timers that are set now with this deadline. The heap has room for it.
  ListNumber list_for(Tick deadline) {
    if (time_.has_ended()) return kNoList;
    heap_.reserve_one();
    const Tick delay = time_.deadline_for(deadline) - time_.now();
    ListNumber number = buckets_[bucket_of(delay)];
    while (number != kNone && lists_[number].delay != delay) number = lists_[number].next;
    return number != kNone ? number : new_list(delay);
  }

  void append(ListNumber number, Index index) {
    Linked& timer = timers_.queue_data(index);
    if (number == kNoList) {
      timer.links.next = kNone;
      return;
    }
    List& list = lists_[number];
    if (list.position == kEmpty) leave_empty_lists(number);
    timer.deadline = time_.now() + list.delay;
    const Index last = std::exchange(list.links.prev, index);
    timer.links = {sentinel(number), last};
    links(last).next = index;
    if (is_sentinel(last)) heap_.push({timer.deadline, time_.now(), number}, note_position());
  }

  void remove(Index index) {
    const auto [next, prev] = timers_.queue_data(index).links;
    if (next == kNone) return;
    unlink(index);
    if (!is_sentinel(prev)) return;
    const ListNumber number = prev - kFirstSentinel;
    first_has_left(number, lists_[number].position);
  }

  void unlink(Index index) {
    const auto [next, prev] = timers_.queue_data(index).links;
    links(prev).next = next;
    links(next).prev = prev;
  }

  /// Tells the heap that the first timer of a list has left. The list is at `position` in the heap.
  void first_has_left(ListNumber number, std::uint32_t position) {
    const List& list = lists_[number];
    if (is_sentinel(list.links.next)) {
      heap_.remove(position, note_position());
      join_empty_lists(number);
    } else {
      const Tick deadline = timers_.queue_data(list.links.next).deadline;
      heap_.replace(position, {deadline, deadline - list.delay, number}, note_position());
    }
  }

  auto note_position() {
    return [this](const Head& head, std::size_t position) {
      lists_[head.list].position = static_cast<std::uint32_t>(position);
    };
  }

  void join_empty_lists(ListNumber number) {
    const ListNumber last = std::exchange(lists_[kNoList].links.prev, number);
    lists_[last].links.next = number;
    lists_[number].links = {kNoList, last};
    lists_[number].position = kEmpty;
    ++empty_;
  }

  void leave_empty_lists(ListNumber number) {
    const auto [next, prev] = lists_[number].links;
    lists_[prev].links.next = next;
    lists_[next].links.prev = prev;
    lists_[number].links = {sentinel(number), sentinel(number)};
    --empty_;
  }

  /// An empty list for a delay that has no list yet.
  [[gnu::noinline]] ListNumber new_list(Tick delay) {
    ListNumber number = lists_[kNoList].links.next;
    if (empty_ > EmptyLists) {
      leave_bucket(number);
    } else {
      if (2 * lists_.size() > buckets_.size()) add_buckets();
      number = static_cast<ListNumber>(lists_.size());
      lists_.emplace_back();
      join_empty_lists(number);
    }
    lists_[number].delay = delay;
    join_bucket(number);
    return number;
  }

  /// A hash that also spreads delays that are multiples of one number.
  std::size_t bucket_of(Tick delay) const {
    return delay * 0x9e3779b97f4a7c15 >> std::countl_zero(buckets_.size() - 1);
  }

  void join_bucket(ListNumber number) {
    List& list = lists_[number];
    list.next = std::exchange(buckets_[bucket_of(list.delay)], number);
  }

  void leave_bucket(ListNumber number) {
    ListNumber* next = &buckets_[bucket_of(lists_[number].delay)];
    while (*next != number) next = &lists_[*next].next;
    *next = lists_[number].next;
  }

  void add_buckets() {
    buckets_ = std::vector<ListNumber>(2 * buckets_.size(), kNone);
    for (ListNumber number = kNoList + 1; number < lists_.size(); ++number) join_bucket(number);
  }

  VirtualTime time_;
  std::vector<List> lists_{{0, {kNoList, kNoList}, kEmpty, kNone}};
  std::size_t empty_ = 0;  // the number of empty lists, without kNoList
  std::vector<ListNumber> buckets_ = std::vector<ListNumber>(2 * EmptyLists, kNone);
  WideHeap<Head> heap_;
  Timers timers_;
};

}  // namespace timers
