#pragma once

/// A ring of buckets, one for each tick, and a thread that goes round and runs what is due in each
/// bucket.
///
/// Netty's HashedWheelTimer, which is scheme 6 of Varghese & Lauck (1987): hashing with unsorted
/// lists. `schedule` leaves the timer in one inbox, `cancel` leaves it in another, both without a
/// lock. Only the worker touches the ring. At each tick it files what has arrived, runs what is
/// due, and takes out what was cancelled.
///
///     schedule    O(1): the clock, an allocation, two atomic operations; a futex call if the
///                 worker sleeps beyond the deadline, and for each 16384th timer in the inbox
///     cancel      O(1): three atomic operations
///     re-arm      O(1): the clock and one atomic operation. To an earlier deadline: also a push to
///                 the inbox. If the worker sleeps beyond the deadline: also a futex call
///     a run       O(1), and a look at the timers of later turns in its bucket
///     a wake-up   O(ticks until the next timer), and no more than O(ticks_per_wheel)
///
/// Choose it for very many timers of about the same delay, most of them cancelled before they are
/// due: time limits of requests, idle connections. One is enough for a whole program. It has three
/// weaknesses. A timer is late by up to a tick. Tasks run one after the other, so a slow task makes
/// the others late. A bucket with many timers of later turns is long.

#include <algorithm>
#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/bucket_ring.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/services/parts/hashed_wheel_timer_options.hpp"
#include "impls/services/parts/inbox.hpp"
#include "impls/services/parts/left_in_child.hpp"
#include "impls/services/parts/pending_count.hpp"
#include "impls/services/parts/prefetch.hpp"
#include "impls/services/parts/rearmable_node.hpp"
#include "impls/services/parts/sleeper.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/tasks_left.hpp"
#include "impls/services/parts/ticks.hpp"
#include "impls/services/parts/trail.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"

namespace timers {

template <Clock ClockType>
class HashedWheelTimer {
  struct Node;

 public:
  using Options = HashedWheelTimerOptions;
  static constexpr const char* name = "hashed_wheel_timer";

  /// A timer that was put off is filed again at its old deadline, behind timers that came later.
  static constexpr bool rearms_in_turn = false;

  static Options as_in_netty() {
    Options options;
    options.least_tick_duration = std::chrono::milliseconds(1);
    options.rounding = Options::Rounding::past_tick;
    options.idle = Options::Idle::tick;
    options.count = Options::Count::by_worker;
    return options;
  }

  /// The handle of a timer. A default-constructed handle stands for a timer that never was.
  class Timeout {
   public:
    Timeout() = default;

    /// Whether the task runs, or ran.
    bool is_expired() const {
      if (node_ == nullptr) return false;
      const TimerState state = node_->state();
      return state != TimerState::pending && state != TimerState::cancelled;
    }

    bool is_cancelled() const {
      return node_ != nullptr && node_->state() == TimerState::cancelled;
    }

    /// Cancels the timer and destroys its task. False if the task runs or ran, or if the timer was
    /// cancelled before. Is safe when the service is gone. O(1).
    bool cancel() const {
      if (node_ == nullptr) return false;
      Node& node = *node_;  // `*this` may belong to the task, which is about to be moved.
      const TimerTask dies_last = node.withdraw();
      if (!dies_last) return false;
      node.timer.forget(node);
      return true;
    }

    /// The service, which may be gone by then; nullptr for a timer that never was.
    HashedWheelTimer* timer() const { return node_ == nullptr ? nullptr : &node_->timer; }

    friend bool operator==(const Timeout&, const Timeout&) = default;

   private:
    friend HashedWheelTimer;
    explicit Timeout(boost::intrusive_ptr<Node> node) : node_(std::move(node)) {}

    boost::intrusive_ptr<Node> node_;
  };

  using Handle = Timeout;

  /// Throws std::invalid_argument for options that can never be right.
  explicit HashedWheelTimer(ClockType& clock, const Options& options = {})
      : clock_(clock),
        options_(options.checked()),
        runner_(std::make_shared<const TaskRunner>(options_.on_error)),
        pending_(options_.max_pending_timeouts == 0 ? PendingCount::kUnlimited
                                                    : options_.max_pending_timeouts),
        sleeper_(clock),
        ticks_(clock.now(), options_.tick_duration),
        ring_(options_.ticks_per_wheel) {
    static_assert(HasTrail<Arrival> && HasTrail<Cancellation>);
    if (instances_.fetch_add(1, std::memory_order_relaxed) == kManyInstances) {
      options_.warn("there are more than " + std::to_string(kManyInstances) +
                    " hashed wheel timers, and one is enough for a whole program");
    }
  }

  ~HashedWheelTimer() {
    instances_.fetch_sub(1, std::memory_order_relaxed);
    if (ring_.is_left()) return;
    runner_->refuse_from_task("stop");
    end();
    withdraw_all(DroppedTasks());
  }

  /// Starts the worker, if nobody did yet. Ticks count from now. Throws RejectedTask if the timer
  /// was stopped, and std::system_error if there is no thread to be had.
  void start() {
    if (state_.load(std::memory_order_acquire) == State::started) return;
    const std::lock_guard lock(starting_);
    if (state_ == State::shutdown) refuse_stopped();
    if (state_ == State::started) return;
    ticks_ = Ticks(clock_.now(), options_.tick_duration);
    worker_->emplace(clock_, [this] { work(); });
    state_ = State::started;
  }

  /// As in all services. Also starts the worker, if nobody did yet.
  Timeout schedule(Delay delay, TimerTask task) {
    require_task(task);
    start();
    const Tick tick = tick_in(delay);
    Node* const node = Node::make(std::move(task), tick, *this);
    Timeout timeout(node->adopt());
    auto share = node->adopt();
    pending_.add();
    const std::size_t waiting = arrivals_.push(node);
    if (waiting == 0) {
      pending_.remove();
      refuse_stopped();
    }
    share.detach();
    sleeper_.wake_for(tick, waiting);
    return timeout;
  }

  /// Netty does not have it.
  bool rearm(const Timeout& timeout, Delay delay) {
    if (timeout.node_ == nullptr || is_stopped()) return false;
    Node& node = *timeout.node_;
    const Rearmed rearmed = node.rearm(tick_in(delay));
    // A caller that sends the node wakes the worker for all who brought the timer nearer before. If
    // the node is on its way already, the worker may have it with a later tick, and must wake, too.
    if (rearmed.is_nearer) {
      const std::size_t waiting = rearmed.sends ? send(node) : 1;
      if (waiting > 0) sleeper_.wake_for(node.latest_deadline(), waiting);
    }
    return rearmed.was_pending;
  }

  /// Netty's name for it.
  Timeout new_timeout(TimerTask task, Delay delay) { return schedule(delay, std::move(task)); }

  CancelResult cancel(const Timeout& timeout) {
    if (timeout.cancel()) return CancelResult::cancelled;
    return timeout.node_ != nullptr && timeout.node_->state() == TimerState::running
               ? CancelResult::running
               : CancelResult::gone;
  }

  std::size_t pending() const { return pending_.get(); }

  /// Netty's name for it.
  std::size_t pending_timeouts() const { return pending(); }

  Duration max_lateness() const { return options_.tick_duration; }

  /// The values in use, which may differ from those that the user asked for.
  Duration tick_duration() const { return options_.tick_duration; }
  std::size_t ticks_per_wheel() const { return ring_->size(); }

  /// The tasks come in no order. Their handles say that they are cancelled.
  std::vector<TimerTask> stop() {
    runner_->refuse_from_task("stop");
    const std::lock_guard one_at_a_time(stopping_);
    end();
    KeptTasks never_ran;
    withdraw_all(never_ran);
    return std::move(never_ran.tasks);
  }

 private:
  enum class State : std::uint8_t { init, started, shutdown };

  /// A worker that wakes at each tick files at most this number of timers before it runs the next
  /// bucket.
  static constexpr std::size_t kMostFiledAtOnce = 100'000;

  static constexpr std::size_t kManyInstances = 64;

  template <class Object>
  static std::uintptr_t address_of(const Object& object) {
    return reinterpret_cast<std::uintptr_t>(&object);
  }

  /// The way from one arrival to another is also the way from node to node.
  struct Arrival {
    void lead_to(std::uintptr_t earlier) { node().trail().lead(address_of(*this), earlier); }
    void prefetch_ahead() {
      prefetch_from_other_core<Node>(node().trail().end(address_of(node())));
    }

    Node& node() { return static_cast<Node&>(*this); }

    Arrival* next_in_inbox = nullptr;
  };
  struct Cancellation {
    /// The task was taken out, so the node has room for an address.
    void lead_to(std::uintptr_t earlier) { node().keep(earlier - place_in_node()); }
    void prefetch_ahead() { prefetch_from_other_core<Node>(node().kept()); }

    Node& node() { return static_cast<Node&>(*this); }
    std::uintptr_t place_in_node() { return address_of(*this) - address_of(node()); }

    Cancellation* next_in_inbox = nullptr;
  };

  /// The service holds its share of a node from the inbox on. The worker drops the share when it
  /// takes the node out of the ring: when the timer runs, or when it was cancelled.
  struct Node : RearmableNode<Node, Trail>, RingEntry, Arrival, Cancellation {
    Node(TimerTask&& task, Tick due, HashedWheelTimer& by) noexcept
        : RearmableNode<Node, Trail>(std::move(task), due), RingEntry(due), timer(by) {}

    using RearmableNode<Node, Trail>::keep;
    using RearmableNode<Node, Trail>::kept;

    Trail& trail() { return this->small_; }

    HashedWheelTimer& timer;
  };

  /// What an executor gets. The timer is done when the executor destroys this.
  class HandedOver {
   public:
    HandedOver(boost::intrusive_ptr<Node> node, std::shared_ptr<const TaskRunner> runner)
        : node_(std::move(node)), runner_(std::move(runner)) {}
    HandedOver(HandedOver&&) noexcept = default;
    HandedOver& operator=(HandedOver&&) = delete;
    ~HandedOver() {
      if (node_ != nullptr) node_->finish();
    }

    void operator()() { runner_->run(*node_); }

   private:
    boost::intrusive_ptr<Node> node_;
    std::shared_ptr<const TaskRunner> runner_;  // the service may be gone by then
  };

  bool is_stopped() const { return state_.load(std::memory_order_acquire) == State::shutdown; }
  bool sleeps() const { return options_.idle == Options::Idle::sleep; }
  bool counts_exactly() const { return options_.count == Options::Count::exact; }

  /// Added to each deadline. If not 0, a deadline that falls on a tick moves past that tick.
  Duration past_tick() const {
    return Duration(options_.rounding == Options::Rounding::past_tick ? 1 : 0);
  }

  Tick tick_in(Delay delay) const {
    return ticks_.not_before(after(deadline_after(clock_.now(), delay), past_tick()));
  }

  /// Sends a node to the worker, which files it anew. Returns how many nodes the inbox
  /// has then, or 0 if the service was stopped.
  std::size_t send(Node& node) {
    const std::size_t waiting = arrivals_.push(&node);
    if (waiting == 0 && node.end_way()) node.adopt();
    return waiting;
  }

  /// Tells the worker of a cancelled timer. The service waits for all these calls before it ends.
  void forget(Node& node) {
    if (counts_exactly()) pending_.remove();
    if (sleeper_.is_another_many(cancellations_.size() + 1)) sleeper_.wake();
    cancellations_.push(&node);  // Nothing of the service may be touched after this.
  }

  void work() {
    while (wait_for_tick()) {
      file_arrivals();
      run_due();
      remove_cancelled();
      ++tick_;
    }
  }

  /// Waits for the next tick that may have something to do. False if the timer was stopped.
  bool wait_for_tick() {
    while (!is_stopped()) {
      const Tick next = sleeps() ? first_due() : tick_;
      if (next <= ticks_.not_after(clock_.now())) {
        tick_ = next;
        return true;
      }
      // A timer that comes now is not due before the current tick. So a worker that wakes at each
      // tick need not look for it.
      sleeper_.sleep_until(next, ticks_.start_of(next),
                           [this] { return sleeps() && file_arrivals(); });
    }
    return false;
  }

  Tick first_due() {
    file_arrivals();
    remove_cancelled();
    return ring_->first_due(tick_);
  }

  /// Returns whether any timers had arrived. A worker that sleeps files all that it takes: it has
  /// to know which timer is the first.
  bool file_arrivals() {
    std::size_t filed = 0;
    for (; filed < kMostFiledAtOnce || (sleeps() && backlog_ != nullptr); ++filed) {
      if (backlog_ == nullptr) backlog_ = arrivals_.take_all();
      if (backlog_ == nullptr) break;
      file(pop(backlog_));
    }
    return filed > 0;
  }

  void file(Node& node) {
    Tick deadline = 0;
    do {
      deadline = node.deadline();
      if (!node.is_left()) put_into_ring(node, deadline);
    } while (!node.arrive(deadline));
    if (node.is_left()) node.adopt();
  }

  /// A timer that comes too late for its tick is due in the current one.
  void put_into_ring(Node& node, Tick deadline) {
    if (node.is_linked()) ring_->remove(node);
    node.tick = std::max(deadline, tick_);
    ring_->insert(node);
  }

  void run_due() {
    ring_->visit_due(tick_, [this](Node& node) {
      if (is_stopped()) return;
      switch (node.start(tick_)) {
        case Start::runs:
          ring_->remove(node);
          pending_.remove();
          return run(node.leave() ? node.adopt() : boost::intrusive_ptr<Node>(&node));
        case Start::put_off:
          return put_into_ring(node, node.deadline());
        case Start::never:
          return;  // The call of cancel has told the worker, or is about to.
      }
    });
  }

  void run(const boost::intrusive_ptr<Node>& node) {
    if (options_.executor == nullptr) {
      runner_->run_last(*node);
    } else {
      const auto hand_over = [&] { options_.executor->execute(HandedOver(node, runner_)); };
      runner_->run(hand_over);
    }
  }

  /// Returns how many left the ring.
  std::size_t remove_cancelled() {
    std::size_t removed = 0;
    for (Cancellation* first = cancellations_.take_all(); first != nullptr;) {
      Node& node = pop(first);
      if (!counts_exactly()) pending_.remove();
      if (node.is_linked()) {
        ring_->remove(node);
        ++removed;
      }
      if (node.leave()) node.adopt();
    }
    return removed;
  }

  /// Accepts nothing more, and ends the worker.
  void end() {
    {
      const std::lock_guard lock(starting_);
      state_ = State::shutdown;
    }
    sleeper_.wake();
    worker_->reset();
  }

  /// Called when the worker has ended.
  template <class Sink>
  void withdraw_all(Sink&& sink) {
    for (Arrival* list : {std::exchange(backlog_, nullptr), arrivals_.close()}) {
      while (list != nullptr) file(pop(list));
    }
    sink.expect(pending());
    std::size_t cancelled = 0;
    typename BucketRing<Node>::Entries withdrawn;
    ring_->for_each([&](Node& node) {
      if (!node.cancel_if_pending()) {
        ++cancelled;
        return;
      }
      if (counts_exactly()) pending_.remove();
      ring_->remove(node);
      withdrawn.push_back(node);
    });
    // Each call of cancel tells the worker. Some of the calls may not have done so yet.
    for (; cancelled > 0; std::this_thread::yield()) cancelled -= remove_cancelled();

    // A task that dies may stop the service once more. Then it finds nothing.
    while (!withdrawn.empty()) {
      Node& node = withdrawn.front();
      withdrawn.pop_front();
      TimerTask task = node.take_task();
      if (node.leave()) node.adopt();
      sink.take(std::move(task));
    }
  }

  /// Takes the first node of a list that comes from an inbox.
  template <class Waiting>
  static Node& pop(Waiting*& first) {
    return static_cast<Node&>(*std::exchange(first, first->next_in_inbox));
  }

  static inline std::atomic<std::size_t> instances_ = 0;

  ClockType& clock_;
  const Options options_;
  const std::shared_ptr<const TaskRunner> runner_;

  // All threads write to these, in cache lines of their own. Most calls write to two of these.
  alignas(64) Inbox<Arrival> arrivals_;
  Inbox<Cancellation> cancellations_;
  PendingCount pending_;
  alignas(64) Sleeper<ClockType> sleeper_;
  std::atomic<State> state_ = State::init;
  Ticks ticks_;  // constant once the worker has started

  // Only for the worker.
  alignas(64) Tick tick_ = 1;   // all ticks before this one are done
  Arrival* backlog_ = nullptr;  // timers that have left the inbox, and are not filed yet
  LeftInChild<BucketRing<Node>> ring_;

  std::mutex starting_;
  std::mutex stopping_;
  LeftInChild<std::optional<typename ClockType::Thread>> worker_;
};

}  // namespace timers
