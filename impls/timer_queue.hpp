#pragma once

/// The contract of a timer queue: a data structure that holds tasks until their deadlines pass.
///
/// A timer queue lives on *virtual time*. It has no clock, no thread and no lock: time is a number
/// that the caller moves forward with `expire`. So a model can predict everything that a queue
/// does, and a measurement shows the cost of the data structure and of nothing else.
///
///     timers::HierarchicalWheel<std::string> queue;
///     auto handle = queue.insert(10, "close the connection");
///     queue.insert(20, "retry");
///     queue.cancel(handle);                                        // true: it will not run
///     queue.expire(15, [](timers::Tick, std::string) {});          // 0: nothing was due
///     queue.expire(25, [](timers::Tick deadline, std::string task) { /* 20, "retry" */ });   // 1

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace timers {

/// A point in virtual time. Every queue starts at 0, and every value is a legal deadline. What a
/// tick stands for (a millisecond, a microsecond, a jiffy) is the caller's business.
using Tick = std::uint64_t;

/// The last tick. Time can reach it, but no timer that is set then can expire any more.
inline constexpr Tick kEndOfTime = std::numeric_limits<Tick>::max();

/// The limit of an `expire` that runs everything that is due.
inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// What every timer queue offers. Throughout, *now* is the largest tick given to `expire` so far,
/// and a timer is *pending* from its insertion until it expires or is cancelled.
///
/// `insert(deadline, task)` sets a timer and returns its handle, which no other timer has.
///   - A deadline that is not after now is replaced by now + 1 in every respect. At the end of time
///     it is replaced by the end of time. So a timer that a callback sets never runs in the same
///     call, and no callback can keep a call alive for ever.
///   - If memory runs out it throws std::bad_alloc, and the queue is as it was. If the queue can
///     hold no more timers, it throws std::length_error. `cancel` and `expire` need no memory.
///
/// `cancel(handle)` removes a pending timer, destroys its task and returns true. It returns false,
/// and changes nothing, for a default-constructed handle, and if the timer expired or was cancelled
/// already. That holds even if up to 2^30 - 1 later timers used its storage: a generation tells
/// them apart. To pass a handle of another queue is the caller's error. So is a handle that the
/// queue gave out before it was assigned to.
///
/// `expire(now, on_expiry)` moves time to `now`, then removes each timer whose deadline is at most
/// `now`, calls `on_expiry(deadline, task)` for it, and returns how many ran.
///   - Time moves before the first callback. A callback may insert, cancel and re-arm any timer,
///     even one that is due in the same call. During a callback `size` and `next_expiry` are right,
///     and its own timer is no longer pending. A nested `expire` returns 0 and does nothing. A
///     callback must not move, assign or destroy its queue.
///   - An exception of a callback leaves `expire`. The timer of that callback is consumed, and no
///     other is lost. If the caller makes the same call again, it goes on with the next timer.
///   - A `now` in the past returns 0. A `now` equal to the current one finishes a call that an
///     exception or a limit interrupted. It never runs a timer that was set since.
///   - `now` may be any number of ticks ahead. A call takes time for timers, and not for each tick
///     at which nothing is due.
///
/// `size()` is the number of pending timers.
///
/// Queues move tasks, and tasks must not throw while moved. The destructor of a task may call the
/// queue, except while the queue itself is destroyed or assigned to. It must not move, assign or
/// destroy the queue. The destructor of a moved-from task must not call the queue. Queues can be
/// moved, and not copied. A moved-from queue can only be assigned to or destroyed, and no queue can
/// be assigned to itself. Nothing here is safe against concurrent calls.
template <class Queue>
concept TimerQueue = std::default_initializable<Queue> && std::movable<Queue> &&
    std::regular<typename Queue::Handle> &&
    std::is_nothrow_move_constructible_v<typename Queue::Task> &&
    requires(Queue queue, const Queue& view, Tick tick, typename Queue::Task task,
             typename Queue::Handle handle, void (*on_expiry)(Tick, typename Queue::Task)) {
  { Queue::name } -> std::convertible_to<std::string_view>;
  { queue.insert(tick, std::move(task)) } -> std::same_as<typename Queue::Handle>;
  { queue.cancel(handle) } -> std::same_as<bool>;
  { queue.expire(tick, on_expiry) } -> std::same_as<std::size_t>;
  { view.size() } -> std::same_as<std::size_t>;
};

/// Abilities: what a queue may offer beyond the contract. They are detected, and not declared.

/// `rearm(handle, deadline)` gives a pending timer a new deadline, under the rules of `insert`, and
/// returns true. It returns false where `cancel` would return false. The handle stays good, and
/// there is still one timer.
template <class Queue>
concept CanRearm = requires(Queue queue, typename Queue::Handle handle, Tick deadline) {
  { queue.rearm(handle, deadline) } -> std::same_as<bool>;
};

/// `next_expiry()` tells how long a caller may sleep.
///   - It is none when no timer is pending.
///   - It is now or an earlier tick while due timers remain: after a call that a limit or an
///     exception cut short, and in a callback.
///   - Otherwise it is a tick after now, and not after the tick at which the next timer runs if
///     `expire` is called at every tick. In a queue that is never late, the next timer runs at the
///     earliest deadline. A queue that may be late may name the tick at which it will look at a
///     whole bucket, and need not remember the deadlines in the bucket.
///   - It is kEndOfTime when only timers are left that were set at the end of time. They never run.
template <class Queue>
concept HasNextExpiry = requires(const Queue& view) {
  { view.next_expiry() } -> std::same_as<std::optional<Tick>>;
};

/// `expire(now, on_expiry, limit)` runs at most `limit` timers (0: none) and remembers where it
/// stopped.
template <class Queue>
concept CanLimitExpire = requires(Queue queue, Tick now, std::size_t limit,
                                  void (*on_expiry)(Tick, typename Queue::Task)) {
  { queue.expire(now, on_expiry, limit) } -> std::same_as<std::size_t>;
};

/// Timers that *stay*. A connection has one timer for life, and arms and disarms it millions of
/// times. So such a timer is made once: to arm it moves no task and makes no new handle. It may
/// share a queue with timers that `insert` sets.
///
/// `make(task)` makes a timer that is not pending, and returns its owner. Owners can be moved, and
/// not copied. When an owner is destroyed or assigned to, it *drops* its timer: the timer is
/// disarmed, and its task destroyed. An owner follows its queue when the queue moves. When the
/// queue is destroyed or assigned to, its timers are gone, and their owners own nothing. An owner
/// of nothing, or of a timer of another queue, must not be passed to a queue. A task may hold
/// owners of timers.
///
/// `arm(timer, deadline)` sets a timer anew, under the rules of `insert`, whether it was pending or
/// not. Returns whether it was pending.
///
/// `disarm(timer)` returns whether the timer was pending. After the call it is not pending.
///
/// `task(timer)` is its task, which never moves. The task may be the connection itself.
///
/// `expire` hands out the task of such a timer by reference: it calls `on_expiry(deadline, task)`
/// with a `Task&`.
///   - The timer is no longer pending then, but it stays. Its own callback may arm it again.
///   - The reference is good until the callback returns, even if the callback inserts, makes, arms
///     or drops timers, this timer included.
///   - After an exception of a callback the timer is as the callback left it.
///   - A callback that takes a `Task` by value gets a copy of the task. If the copy throws, so does
///     `expire`. If tasks cannot be copied, `expire` throws std::logic_error. In both cases the
///     callback is not called, and the timer is no longer pending.
///
/// `size` and `next_expiry` count only pending timers. `make` and `arm` throw as `insert` does, and
/// then the queue is as it was. `disarm` and a drop need no memory.
template <class Queue>
concept HasStayingTimers =
    std::default_initializable<typename Queue::Timer> && std::movable<typename Queue::Timer> &&
    !std::copyable<typename Queue::Timer> &&
    requires(Queue queue, Tick deadline, typename Queue::Timer& timer, typename Queue::Task task) {
  { queue.make(std::move(task)) } -> std::same_as<typename Queue::Timer>;
  { queue.arm(timer, deadline) } -> std::same_as<bool>;
  { queue.disarm(timer) } -> std::same_as<bool>;
  { queue.task(timer) } -> std::same_as<typename Queue::Task&>;
};

/// How the mean work of a call grows with n, the number of pending timers: O(1), O(log n) or O(n).
/// The mean is taken over at least n calls, so one call in n may look at all timers.
enum class Growth { constant, logarithmic, linear };

/// What a queue promises about its behaviour. A queue declares a weaker promise by a static
/// constexpr member of the same name. What it does not declare, it promises as strictly as here.
/// Only `growth` may also be declared stronger.
struct Promises {
  /// Within one call, tasks run by ascending deadline.
  bool expires_in_order = true;
  /// Timers of one deadline expire in the order in which they were set. A re-arm is a new set.
  bool fifo = true;
  /// How much memory a queue may hold for timers that expired, were cancelled or re-armed: a
  /// multiple of the memory that it needs for one timer more than were ever pending at once. The
  /// memory of a few hundred timers does not count.
  std::size_t max_garbage = 0;
  /// By how many ticks a timer of this delay may expire late: `expire` may leave it pending until
  /// now is that many ticks after its deadline. The delay counts from the insert or re-arm. The
  /// lateness never falls when the delay grows.
  Tick (*max_lateness)(Tick delay) = &none_late;
  /// How often, at most, a caller who sleeps until `next_expiry` wakes for a timer with this delay.
  /// Several such timers that are set together cause no more wakes than one. A timer that is
  /// cancelled or re-armed may cause as many wakes as one that runs. 1 says that `next_expiry` is
  /// exact: it names the tick at which the next timer runs.
  Tick (*max_wakes)(Tick delay) = &one_wake;
  /// When memory runs out, `insert` and `rearm` throw, and the queue is as it was.
  bool bears_bad_alloc = true;
  /// The caller sets no deadline after this tick, and keeps now before this tick. But if the tick
  /// is the end of time, now may reach it.
  Tick last_tick = kEndOfTime;
  /// How the work of every verb grows. The work of `expire` counts per timer that runs, in calls
  /// that each run about one timer. The promise holds where deadlines are spread evenly over some
  /// span, and where all timers have one delay.
  Growth growth = Growth::logarithmic;

  static constexpr Tick none_late(Tick) { return 0; }
  static constexpr Tick one_wake(Tick) { return 1; }
};

/// The promises of `Queue`: those it declares, and the strictest for the rest.
template <class Queue>
constexpr Promises promises_of() {
  Promises promises;
  if constexpr (requires { Queue::expires_in_order; })
    promises.expires_in_order = Queue::expires_in_order;
  if constexpr (requires { Queue::fifo; }) promises.fifo = Queue::fifo;
  if constexpr (requires { Queue::max_lateness(Tick{}); })
    promises.max_lateness = Queue::max_lateness;
  if constexpr (requires { Queue::max_garbage; }) promises.max_garbage = Queue::max_garbage;
  if constexpr (requires { Queue::max_wakes(Tick{}); }) promises.max_wakes = Queue::max_wakes;
  if constexpr (requires { Queue::bears_bad_alloc; })
    promises.bears_bad_alloc = Queue::bears_bad_alloc;
  if constexpr (requires { Queue::last_tick; }) promises.last_tick = Queue::last_tick;
  if constexpr (requires { Queue::growth; }) promises.growth = Queue::growth;
  return promises;
}

/// The clock of a queue, with the rules about time that all queues share.
class VirtualTime {
 public:
  Tick now() const { return now_; }

  /// Whether no timer that is set from now on can expire.
  bool has_ended() const { return now_ == kEndOfTime; }

  /// The deadline that a timer gets when `wanted` is asked for.
  Tick deadline_for(Tick wanted) const {
    return wanted > now_ ? wanted : now_ + (has_ended() ? 0 : 1);
  }

  /// Moves time to `now`. Returns false, and does nothing, if `now` is in the past or if the caller
  /// is a callback.
  bool move_to(Tick now) {
    if (now < now_ || running_) return false;
    now_ = now;
    return true;
  }

  /// Calls `expire_next` until it returns false because nothing is due, or until `limit` timers
  /// ran. Returns how many timers ran.
  template <std::predicate ExpireNext>
  std::size_t run(std::size_t limit, ExpireNext expire_next) {
    running_ = true;
    const struct EndOfRun {
      bool& running;
      ~EndOfRun() { running = false; }
    } end_of_run{running_};
    std::size_t ran = 0;
    while (ran != limit && expire_next()) ++ran;
    return ran;
  }

 private:
  Tick now_ = 0;
  bool running_ = false;
};

}  // namespace timers
