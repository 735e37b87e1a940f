#pragma once

/// The timers of a library that others wrote, as a timer queue.
///
/// The library keeps its own structure, and its own node in a cell that never moves. What is due it
/// hands over at once, as all these libraries do; a list here keeps that until it runs, so that the
/// contract holds where libraries promise less: callbacks may throw, cancel what is about to run,
/// and a limit may stop them. That costs each library two writes a timer.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impls/timer_queue.hpp"
#include "impls/timer_slab.hpp"

namespace timers {

/// `Library` is how a library is asked for timers:
///
///     typename Library::Timer        its node: built in place, never moved
///     library.add(timer, deadline)   throws std::bad_alloc; nothing has changed then
///     library.remove(timer)          of a timer that was added and not taken since
///     library.rearm(timer, deadline) of such a timer, too; left out where `add` right after
///                                    `remove` is as good and does not throw
///     library.take_due(now, take)    calls `take(timer)` for all that is due, and forgets them
///     library.next_expiry()          of what was added, if anything; if the library can tell
///
/// and declares promises as queues do.
template <class TaskType, class Library>
class PeerQueue {
 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static constexpr const char* name = Library::name;
  static constexpr bool expires_in_order = promises_of<Library>().expires_in_order;
  static constexpr bool fifo = promises_of<Library>().fifo;
  static constexpr bool bears_bad_alloc = promises_of<Library>().bears_bad_alloc;
  static constexpr Tick last_tick = promises_of<Library>().last_tick;
  static constexpr Tick max_wakes(Tick delay) requires requires { Library::max_wakes(delay); }
  { return Library::max_wakes(delay); }

  PeerQueue() = default;
  PeerQueue(PeerQueue&&) noexcept = default;
  /// The library goes first: while it ends, it may look at the timers that it knows.
  PeerQueue& operator=(PeerQueue&& other) noexcept {
    library_ = std::move(other.library_);
    time_ = other.time_;
    due_ = std::move(other.due_);
    next_due_ = other.next_due_;
    turns_ = other.turns_;
    timers_ = std::move(other.timers_);
    return *this;
  }

  Handle insert(Tick deadline, Task task) {
    timers_.reserve_one();
    if (due_.capacity() < timers_.cells()) due_.reserve(2 * timers_.cells());
    const Index index = timers_.acquire(std::move(task));
    Timer& timer = timers_.place(index);
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
    const Index index = timers_.find(handle);
    if (index == Timers::kNone) return false;
    take_out(timers_.place(index));
    timers_.place(index).turn = kNotDue;
    [[maybe_unused]] const Task dies_when_all_is_done = timers_.release(index);
    drop_stale();
    return true;
  }

  bool rearm(Handle handle, Tick deadline) {
    const Index index = timers_.find(handle);
    if (index == Timers::kNone) return false;
    Timer& timer = timers_.place(index);
    if constexpr (requires { library_->rearm(timer, deadline); }) {
      if (timer.is_added && !time_.has_ended()) {
        library_->rearm(timer, time_.deadline_for(deadline));
        set(timer, time_.deadline_for(deadline));
        drop_stale();
        return true;
      }
    }
    take_out(timer);
    add(timer, time_.deadline_for(deadline));
    drop_stale();
    return true;
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    library_->take_due(
        now, [this](typename Library::Timer& timer) { add_due(static_cast<Timer&>(timer)); });
    return time_.run(limit, [&] {
      if (next_due_ == due_.size()) return false;
      Timer& timer = *due_[next_due_++].timer;
      const Tick deadline = timer.deadline;
      timer.turn = kNotDue;
      Task task = timers_.release(timer.index);
      drop_stale();
      on_expiry(deadline, std::move(task));
      return true;
    });
  }

  std::optional<Tick> next_expiry() const requires requires(const Library& view) {
    view.next_expiry();
  }
  {
    if (next_due_ != due_.size()) return due_[next_due_].timer->deadline;
    if (const std::optional<Tick> next = library_->next_expiry()) return next;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return timers_.size(); }

 private:
  /// What the library links, and what this adapter has to know.
  struct Timer : Library::Timer {
    Tick deadline = 0;
    std::uint64_t turn = kNotDue;  // of the only entry in due_ that stands for it
    std::uint32_t index = 0;
    bool is_added = false;  // to the library
  };
  static constexpr std::uint64_t kNotDue = 0;

  struct Due {
    Timer* timer;
    std::uint64_t turn;
    bool is_stale() const { return timer->turn != turn; }
  };

  using Timers = TimerSlab<Task, Timer>;
  using Index = typename Timers::Index;

  /// If this throws, nothing has changed.
  void add(Timer& timer, Tick deadline) {
    if (!time_.has_ended()) {
      library_->add(timer, deadline);
      timer.is_added = true;
    }
    set(timer, deadline);
  }

  void set(Timer& timer, Tick deadline) {
    timer.deadline = deadline;
    timer.turn = kNotDue;
  }

  void take_out(Timer& timer) {
    if (std::exchange(timer.is_added, false)) library_->remove(timer);
  }

  void add_due(Timer& timer) {
    if (due_.size() == due_.capacity()) {
      due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(next_due_));
      std::erase_if(due_, [](const Due& due) { return due.is_stale(); });
      next_due_ = 0;
    }
    timer.is_added = false;
    timer.turn = ++turns_;
    due_.push_back({&timer, timer.turn});
  }

  /// The next that is due is one that still is.
  void drop_stale() {
    while (next_due_ != due_.size() && due_[next_due_].is_stale()) ++next_due_;
    if (next_due_ != due_.size()) return;
    due_.clear();
    next_due_ = 0;
  }

  VirtualTime time_;
  std::vector<Due> due_;  // has room for all timers
  std::size_t next_due_ = 0;
  std::uint64_t turns_ = kNotDue;
  Timers timers_;
  std::unique_ptr<Library> library_ = std::make_unique<Library>();  // knows the cells' timers
};

}  // namespace timers
