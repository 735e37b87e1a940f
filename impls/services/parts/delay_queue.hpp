#pragma once

/// A queue from which an element can be taken when its delay has passed, and not before.
///
/// It is the DelayQueue of java.util.concurrent, for elements of any kind. They need not know their
/// delay: the caller gives it to `put`. The user's own threads take the elements. Example: a
/// message without an answer is sent again 2, 4, 8 and 16 s after the first time.
///
///     struct Retry { Message message; timers::Instant sent; };
///     timers::DelayQueue<Retry> retries(clock);
///     retries.put({message, clock.now()}, 2s);
///
///     while (auto retry = retries.take(stop)) {          // on a thread of one's own
///       const auto waited = clock.now() - retry->sent;
///       if (send(retry->message) || waited >= 16s) continue;
///       retries.put(std::move(*retry), waited);          // as long again
///     }
///
/// A binary heap behind a lock: Scheme 3 of Varghese & Lauck (trees and heaps). Threads that wait
/// stand in line. The first one watches the head of the queue, and parks until it expires; the
/// others park without end (leaders and followers, after Schmidt). So a deadline wakes only one
/// thread. A new head wakes the first in line. The first one calls the next one when it leaves.
///
///     put                                   O(log n), O(1) on average in random order
///     poll, take, drain_to                  O(log n) an element
///     peek, next_expiry, size               O(1)
///     remove, remove_if, take_if            O(n)
///     take_all, clear                       O(n)
///
/// Choose it to do things later on threads that you already have. Its weaknesses: all share one
/// lock; to find an element it looks at each; and equal deadlines come in the order of the heap:
/// first the first one, then the others roughly in reverse, as in java.util.PriorityQueue.

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/parts/position_heap.hpp"

namespace timers {

/// The *head* is the element with the earliest deadline. An element has *expired* when its deadline
/// has come; the last instant never comes.
///
/// All calls are safe from any thread. The lock is held while an element is compared, copied, moved
/// or handed to an output: none of these may call the queue. Elements that are discarded die after
/// the lock is released. Their destructors may call the queue.
template <class T, Clock ClockType = SteadyClock>
class DelayQueue {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>,
                "moving an element must not throw: hold such elements by a std::unique_ptr");

 public:
  /// The clock must live longer than the queue, and nobody may wait when the queue dies.
  explicit DelayQueue(ClockType& clock) : clock_(clock) {}
  DelayQueue(const DelayQueue&) = delete;
  DelayQueue& operator=(const DelayQueue&) = delete;

  /// Puts an element in, which expires at `deadline`. If memory runs out it throws, and the queue
  /// is as it was.
  void put(T value, Instant deadline) {
    const std::lock_guard lock(mutex_);
    heap_.reserve_one();
    const bool is_head = heap_.empty() || deadline < heap_.front().deadline;
    heap_.push({deadline, std::move(value)});
    if (is_head) call_first_in_line();
  }

  /// The same, with a deadline `delay` from now. A delay that is not positive has passed already. A
  /// delay that leads beyond the last instant never passes.
  void put(T value, Delay delay) { put(std::move(value), after(clock_.now(), delay)); }

  /// The same, and returns true: the queue has no bound, so `offer` never waits for room.
  bool offer(T value, Delay delay, Delay /*timeout*/ = Duration::zero()) {
    put(std::move(value), delay);
    return true;
  }

  /// Takes the head when it has expired, and waits until then.
  T take() { return *wait(Instant::max(), std::stop_token()); }

  /// The same. Takes nothing once a stop is requested, not even what has expired.
  std::optional<T> take(const std::stop_token& stop) { return wait(Instant::max(), stop); }

  /// Takes the head if it has expired.
  std::optional<T> poll() {
    const std::lock_guard lock(mutex_);
    return take_expired(clock_.now());
  }

  /// Takes the head if it expires within `timeout`, unless a stop is requested before.
  std::optional<T> poll_for(Delay timeout, const std::stop_token& stop = {}) {
    return wait(after(clock_.now(), timeout), stop);
  }

  /// A copy of the head, expired or not.
  std::optional<T> peek() const requires std::copy_constructible<T> {
    const std::lock_guard lock(mutex_);
    if (heap_.empty()) return std::nullopt;
    return std::as_const(heap_.front().value);
  }

  /// When the head expires, or has expired.
  std::optional<Instant> next_expiry() const {
    const std::lock_guard lock(mutex_);
    if (heap_.empty()) return std::nullopt;
    return heap_.front().deadline;
  }

  /// Moves what has expired to `output`, by ascending deadline, at most `max` elements, and returns
  /// how many. If the output throws before it took an element, that one and the rest stay here.
  template <std::output_iterator<T> Output>
  std::size_t drain_to(Output output, std::size_t max = std::numeric_limits<std::size_t>::max()) {
    const std::lock_guard lock(mutex_);
    const Instant now = clock_.now();
    std::size_t moved = 0;
    for (; moved < max && head_has_expired(now); ++moved) {
      *output++ = std::move(heap_.front().value);
      heap_.remove(0);
    }
    return moved;
  }

  /// Removes one element that equals `value`, expired or not. False if there is none.
  bool remove(const T& value) requires std::equality_comparable<T> {
    std::optional<Entry> removed;  // dies when the lock is released
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      if (!(std::as_const(heap_[i].value) == value)) continue;
      removed = heap_.remove(i);
      return true;
    }
    return false;
  }

  /// Removes all elements for which `is_unwanted(element)`, expired or not, and returns how many.
  /// If memory runs out it throws, and the queue is as it was.
  template <class Predicate>
  std::size_t remove_if(Predicate is_unwanted) {
    return take_if(is_unwanted).size();
  }

  /// The same, and returns these elements, in no order.
  template <class Predicate>
  std::vector<T> take_if(Predicate is_wanted) {
    static_assert(std::is_nothrow_invocable_r_v<bool, Predicate&, const T&>,
                  "a predicate that throws would leave half a heap");
    std::vector<T> taken;
    const std::lock_guard lock(mutex_);
    taken.reserve(heap_.size());
    heap_.remove_if([&](const Entry& entry) {
      if (!is_wanted(std::as_const(entry.value))) return false;
      taken.push_back(std::move(entry.value));
      return true;
    });
    return taken;
  }

  /// Takes all elements, expired or not, in no order. If memory runs out it throws, and the queue
  /// is as it was.
  std::vector<T> take_all() {
    std::vector<T> values;
    take_all([&](std::size_t size) { values.reserve(size); },
             [&](T&& value) { values.push_back(std::move(value)); });
    return values;
  }

  /// The same, by calls of `take(element)`, without the lock. Before them, and with the lock, it
  /// calls `expect(how many)`; if that throws, the queue is as it was. Needs no memory of its own.
  template <class Expect, class Take>
  void take_all(Expect expect, Take take) {
    std::vector<Entry> entries;
    {
      const std::lock_guard lock(mutex_);
      expect(heap_.size());
      entries = heap_.take_all();
    }
    for (Entry& entry : entries) take(std::move(entry.value));
  }

  /// Discards all elements, expired or not.
  void clear() {
    take_all([](std::size_t) {}, [](T&&) {});
  }

  /// How many elements there are, expired or not.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return heap_.size();
  }

  bool empty() const { return size() == 0; }

  /// As many as can be counted: there is no bound.
  static constexpr std::size_t remaining_capacity() {
    return std::numeric_limits<std::size_t>::max();
  }

 private:
  using Parker = typename ClockType::Parker;

  struct Entry {
    Instant deadline;
    mutable T value;  // May be moved out in place, as the heap looks only at the deadline.

    bool before(const Entry& other) const { return deadline < other.deadline; }
  };

  /// Lives on the stack of a thread that waits. Enters and leaves the line under the lock. So its
  /// parker exists as long as another thread can find it.
  struct Waiter : boost::intrusive::list_base_hook<> {
    explicit Waiter(ClockType& clock) : parker(clock) {}
    Parker parker;
  };

  /// Waits until the head has expired, `limit` has come or a stop is requested, whichever is first.
  /// Returns an element only in the first case.
  std::optional<T> wait(Instant limit, const std::stop_token& stop) {
    std::optional<T> taken;
    std::unique_lock lock(mutex_);
    const auto is_over = [&] {
      if (stop.stop_requested()) return true;
      const Instant now = clock_.now();
      taken = take_expired(now);
      return taken || has_come(limit, now);
    };
    if (is_over()) return taken;

    Waiter waiter(clock_);
    const std::stop_callback on_stop(stop, [&waiter] { waiter.parker.unpark(); });
    const auto leads = [&] { return &line_.front() == &waiter; };
    line_.push_back(waiter);
    do {
      const bool watches = leads() && !heap_.empty();
      const Instant end = watches ? std::min(limit, heap_.front().deadline) : limit;
      lock.unlock();
      park_until(waiter.parker, end);
      lock.lock();
    } while (!is_over());

    const bool led = leads();
    line_.erase(line_.iterator_to(waiter));
    if (led && !heap_.empty()) call_first_in_line();
    return taken;
  }

  /// Wakes the first in line, to look at the head again. Only under the lock.
  void call_first_in_line() {
    if (!line_.empty()) line_.front().parker.unpark();
  }

  std::optional<T> take_expired(Instant now) {
    if (!head_has_expired(now)) return std::nullopt;
    return heap_.remove(0).value;
  }

  bool head_has_expired(Instant now) const {
    return !heap_.empty() && has_come(heap_.front().deadline, now);
  }
  static bool has_come(Instant instant, Instant now) {
    return instant != Instant::max() && instant <= now;
  }

  ClockType& clock_;
  mutable std::mutex mutex_;  // guards all of these
  PositionHeap<Entry> heap_;
  boost::intrusive::list<Waiter> line_;  // threads that wait, in the order in which they came
};

}  // namespace timers
