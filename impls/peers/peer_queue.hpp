#pragma once

/// The timers of a library that others wrote, as a timer queue.
///
/// The library keeps its own structure, and its own node in a cell that never moves. All these
/// libraries hand over all due timers at once. A list here keeps these timers until they run. So
/// the contract holds where libraries promise less: callbacks may throw, they may cancel a timer
/// that is about to run, and a limit may stop them. This costs a timer 32 bytes in its cell, and
/// its way into the list and out of it. Like ours, it also needs a cell and a handle.

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/options.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// `Library` is the interface to a library:
///
///     typename Library::Timer        its node: built in place, never moved
///     library.add(timer, deadline)   if it throws std::bad_alloc, nothing has changed
///     library.remove(timer)          for a timer that was added and not taken since
///     library.rearm(timer, deadline) also for such a timer; left out where `add` right after
///                                    `remove` is as good and does not throw
///     library.take_due(now, take)    calls `take(timer)` for all due timers, and forgets them
///     library.next_expiry()          of the timers that were added; only if the library can tell
///
/// It declares promises like a queue: those that PeerQueue names below. If `add` allocates each
/// time, it has `static constexpr bool kAllocatesEachTime = true`, and no timers that stay.
template <class TaskType, class Library>
class PeerQueue : public StayingTimers<PeerQueue<TaskType, Library>, TaskType> {
  using Staying = StayingTimers<PeerQueue, TaskType>;
  friend Staying;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = Library::name;
  static constexpr bool expires_in_order = promises_of<Library>().expires_in_order;
  static constexpr bool fifo = promises_of<Library>().fifo;
  static constexpr Growth growth = promises_of<Library>().growth;
  static constexpr bool bears_bad_alloc = promises_of<Library>().bears_bad_alloc;
  static constexpr Tick last_tick = promises_of<Library>().last_tick;
  static constexpr Tick max_wakes(Tick delay) requires requires { Library::max_wakes(delay); }
  { return Library::max_wakes(delay); }

  PeerQueue() = default;
  PeerQueue(PeerQueue&&) noexcept = default;
  /// The library goes first: while it ends, it may look at the timers that it knows.
  PeerQueue& operator=(PeerQueue&& other) noexcept {
    Staying::operator=(std::move(other));
    library_ = std::move(other.library_);
    time_ = other.time_;
    due_.clear();
    due_.swap(other.due_);
    timers_ = std::move(other.timers_);
    return *this;
  }

  auto make(Task task) requires(!requires { Library::kAllocatesEachTime; }) {
    return Staying::make(std::move(task));
  }

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    const Index index = timers_.acquire(std::move(task));
    Node& timer = timers_.queue_data(index);
    timer.index = index;
    try {
      add(timer, time_.deadline_for(deadline));
    } catch (...) {
      timers_.release(index);
      throw;
    }
    return timers_.handle(index);
  }

  bool cancel(Handle handle) {
    return timers_.if_alive(handle, [this](Index index) {
      forget(index);
      return timers_.release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return timers_.if_alive(handle, [&](Index index) { set(timers_.queue_data(index), deadline); });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    library_->take_due(now, [this](typename Library::Timer& taken) {
      auto& timer = static_cast<Node&>(taken);
      timer.is_added = false;
      due_.push_back(timer);
    });
    return time_.run(limit, [&] {
      if (due_.empty()) return false;
      const Node& timer = due_.front();
      due_.pop_front();
      this->run(timer.index, timer.deadline, on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const requires requires(const Library& view) {
    view.next_expiry();
  }
  {
    if (!due_.empty()) return due_.front().deadline;
    if (const std::optional<Tick> next = library_->next_expiry()) return next;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  using Hook =
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  /// What the library links, and what this adapter has to know.
  struct Node : Library::Timer, Hook {
    Tick deadline = 0;
    std::uint32_t index = 0;
    bool is_added = false;  // whether the library has the timer
  };

  using Timers = TimerSlab<Task, Node>;
  using Index = typename Timers::Index;

  Timers& slab() { return timers_; }

  bool arm_cell(Index index, Tick deadline) {
    Node& timer = timers_.queue_data(index);
    timer.index = index;
    set(timer, deadline);
    if (timers_.is_pending(index)) return true;
    timers_.arm(index);
    return false;
  }

  void disarm_cell(Index index) {
    forget(index);
    timers_.disarm(index);
  }

  /// Gives a timer a new deadline, whether it is pending or not.
  void set(Node& timer, Tick deadline) {
    deadline = time_.deadline_for(deadline);
    if constexpr (requires { library_->rearm(timer, deadline); }) {
      if (timer.is_added && !time_.has_ended()) {
        library_->rearm(timer, deadline);
        timer.deadline = deadline;
        return;
      }
    }
    take_out(timer);
    add(timer, deadline);
  }

  /// Takes a timer out of the library and out of the list of what is due.
  void forget(Index index) {
    take_out(timers_.queue_data(index));
    timers_.queue_data(index).unlink();
  }

  /// If this throws, nothing has changed.
  void add(Node& timer, Tick deadline) {
    if (!time_.has_ended()) {
      library_->add(timer, deadline);
      timer.is_added = true;
    }
    timer.unlink();
    timer.deadline = deadline;
  }

  void take_out(Node& timer) {
    if (std::exchange(timer.is_added, false)) library_->remove(timer);
  }

  VirtualTime time_;
  boost::intrusive::list<Node, boost::intrusive::constant_time_size<false>> due_;
  Timers timers_;
  std::unique_ptr<Library> library_ = std::make_unique<Library>();  // knows the cells' timers
};

}  // namespace timers
