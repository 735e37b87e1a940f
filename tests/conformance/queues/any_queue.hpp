#pragma once

/// A timer queue of any type behind one interface, so that the tests are compiled once.

#include <any>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "impls/timer_queue.hpp"

namespace timers::conformance {

/// Learns of the destruction of each task, exactly once for each.
class DestructionWitness {
 public:
  virtual void on_destruction(std::uint64_t id) = 0;
  /// Called if something else was put into the memory of a task before its destructor ended.
  virtual void on_overwriting(std::uint64_t id) = 0;

 protected:
  ~DestructionWitness() = default;
};

/// The task of all tests. It has a number, can be moved but not copied, and reports its
/// destruction.
class ProbeTask {
 public:
  explicit ProbeTask(std::uint64_t id, DestructionWitness* witness = nullptr)
      : id_(id), witness_(witness) {}
  ProbeTask(ProbeTask&& other) noexcept
      : id_(other.id_), witness_(std::exchange(other.witness_, nullptr)) {}
  ProbeTask& operator=(ProbeTask&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(witness_, other.witness_);
    return *this;
  }
  ~ProbeTask() {
    if (witness_ == nullptr) return;
    DestructionWitness* const witness = witness_;
    const std::uint64_t id = id_;
    witness->on_destruction(id);
    if (id_ != id || witness_ != witness) witness->on_overwriting(id);
  }

  std::uint64_t id() const { return id_; }

 private:
  std::uint64_t id_;
  DestructionWitness* witness_;
};

/// The contract of a timer queue with its type erased. A verb that the queue does not have throws.
class AnyQueue {
 public:
  using Handle = std::any;
  using OnExpiry = std::function<void(Tick deadline, ProbeTask task)>;
  using OnStayingExpiry = std::function<void(Tick deadline, ProbeTask& task)>;

  /// The owner of a timer that stays (staying timer).
  class Timer {
   public:
    virtual ~Timer() = default;
    /// Becomes the owner of the timer of `other`, which has the same type and then owns nothing.
    virtual void assign(Timer&& other) = 0;
  };

  virtual ~AnyQueue() = default;
  virtual Handle insert(Tick deadline, ProbeTask task) = 0;
  virtual bool cancel(const Handle& handle) = 0;
  virtual bool rearm(const Handle& handle, Tick deadline) = 0;
  virtual std::size_t expire(Tick now, const OnExpiry& on_expiry) = 0;
  virtual std::size_t expire(Tick now, const OnExpiry& on_expiry, std::size_t limit) = 0;
  virtual std::optional<Tick> next_expiry() const = 0;
  virtual std::size_t size() const = 0;

  virtual std::unique_ptr<Timer> make(ProbeTask) { throw no_staying_timers(); }
  virtual bool arm(Timer&, Tick) { throw no_staying_timers(); }
  virtual bool disarm(Timer&) { throw no_staying_timers(); }
  virtual const ProbeTask& task(Timer&) { throw no_staying_timers(); }
  /// An owner as its default constructor makes it.
  virtual std::unique_ptr<Timer> owner_of_nothing() { throw no_staying_timers(); }
  /// Sets the function that `expire` calls for timers that stay, from now on.
  virtual void on_staying_expiry(const OnStayingExpiry&) {}

  /// The handle that names no timer.
  virtual Handle null_handle() const = 0;
  virtual bool same(const Handle& one, const Handle& other) const = 0;
  /// Returns a queue that was moved from this one. This one may then only be assigned to or
  /// destroyed.
  virtual std::unique_ptr<AnyQueue> move() = 0;
  /// Moves a queue of the same type into this one. `other` may then only be assigned to or
  /// destroyed.
  virtual void assign(AnyQueue&& other) = 0;
  /// Destroys the queue, whose timers may have owners, and makes a fresh one at the same address.
  virtual void begin_anew() { throw no_staying_timers(); }

 private:
  static std::logic_error no_staying_timers() {
    return std::logic_error("this queue has no timers that stay");
  }
};

/// What the tests know of a type of queue.
struct QueueKind {
  friend std::ostream& operator<<(std::ostream& out, const QueueKind& kind) {
    return out << kind.name;
  }

  std::string name;
  Promises promises;
  bool can_rearm;
  bool has_next_expiry;
  bool can_limit;
  bool has_staying_timers;
  std::function<std::unique_ptr<AnyQueue>()> make;
  /// Whether its edges lie within few ticks. Then long sequences of operations are worth their
  /// time.
  bool is_small = false;
  /// Whether its timers come from a pool. That doubles the time of a test, and adds no edges.
  bool is_pooled = false;
};

/// The owner of a timer that stays. Empty if the queue has no such timers.
template <class Queue>
struct StayingTimerOfQueue {
  using Type = std::monostate;
};
template <HasStayingTimers Queue>
struct StayingTimerOfQueue<Queue> {
  using Type = typename Queue::Timer;
};
template <class Queue>
using StayingTimerOf = typename StayingTimerOfQueue<Queue>::Type;

/// Puts `Queue`, whose task is ProbeTask, behind the interface.
template <TimerQueue Queue>
class ErasedQueue final : public AnyQueue {
 public:
  ErasedQueue() = default;
  explicit ErasedQueue(Queue&& queue) : queue_(std::move(queue)) {}

  Handle insert(Tick deadline, ProbeTask task) override {
    return queue_.insert(deadline, std::move(task));
  }
  bool cancel(const Handle& handle) override { return queue_.cancel(own(handle)); }
  bool rearm(const Handle& handle, Tick deadline) override {
    if constexpr (CanRearm<Queue>) return queue_.rearm(own(handle), deadline);
    throw std::logic_error(std::string(Queue::name) + " cannot re-arm");
  }
  std::size_t expire(Tick now, const OnExpiry& on_expiry) override {
    return queue_.expire(now, EitherExpiry{on_expiry, on_staying_expiry_});
  }
  std::size_t expire(Tick now, const OnExpiry& on_expiry, std::size_t limit) override {
    if constexpr (CanLimitExpire<Queue>)
      return queue_.expire(now, EitherExpiry{on_expiry, on_staying_expiry_}, limit);
    throw std::logic_error(std::string(Queue::name) + " cannot limit an expire");
  }
  std::optional<Tick> next_expiry() const override {
    if constexpr (HasNextExpiry<Queue>) return queue_.next_expiry();
    throw std::logic_error(std::string(Queue::name) + " has no next_expiry");
  }
  std::size_t size() const override { return queue_.size(); }
  std::unique_ptr<Timer> make(ProbeTask task) override {
    if constexpr (HasStayingTimers<Queue>)
      return std::make_unique<OwnTimer>(queue_.make(std::move(task)));
    return AnyQueue::make(std::move(task));
  }
  bool arm(Timer& timer, Tick deadline) override {
    if constexpr (HasStayingTimers<Queue>) return queue_.arm(own(timer), deadline);
    return AnyQueue::arm(timer, deadline);
  }
  bool disarm(Timer& timer) override {
    if constexpr (HasStayingTimers<Queue>) return queue_.disarm(own(timer));
    return AnyQueue::disarm(timer);
  }
  const ProbeTask& task(Timer& timer) override {
    if constexpr (HasStayingTimers<Queue>) return queue_.task(own(timer));
    return AnyQueue::task(timer);
  }
  std::unique_ptr<Timer> owner_of_nothing() override {
    if constexpr (HasStayingTimers<Queue>)
      return std::make_unique<OwnTimer>(StayingTimerOf<Queue>());
    return AnyQueue::owner_of_nothing();
  }
  void on_staying_expiry(const OnStayingExpiry& on_expiry) override {
    on_staying_expiry_ = on_expiry;
  }
  Handle null_handle() const override { return typename Queue::Handle{}; }
  bool same(const Handle& one, const Handle& other) const override {
    return own(one) == own(other);
  }
  std::unique_ptr<AnyQueue> move() override {
    auto moved = std::make_unique<ErasedQueue>(std::move(queue_));
    moved->on_staying_expiry_ = std::move(on_staying_expiry_);
    return moved;
  }
  void assign(AnyQueue&& other) override {
    auto& moved = dynamic_cast<ErasedQueue&>(other);
    queue_ = std::move(moved.queue_);
    on_staying_expiry_ = std::move(moved.on_staying_expiry_);
  }
  void begin_anew() override {
    std::destroy_at(&queue_);
    std::construct_at(&queue_);
  }

 private:
  static const typename Queue::Handle& own(const Handle& handle) {
    return *std::any_cast<typename Queue::Handle>(&handle);
  }

  /// The owner moves before each use, as an object of a program may.
  struct OwnTimer final : Timer {
    explicit OwnTimer(StayingTimerOf<Queue> owner) { owners[0].emplace(std::move(owner)); }
    void assign(Timer&& other) override { *owners[place] = std::move(own(other)); }
    StayingTimerOf<Queue>& moved() {
      std::optional<StayingTimerOf<Queue>>& before = owners[place];
      place = 1 - place;
      owners[place].emplace(std::move(*before));
      before.reset();
      return *owners[place];
    }

    std::array<std::optional<StayingTimerOf<Queue>>, 2> owners;
    std::size_t place = 0;
  };

  static StayingTimerOf<Queue>& own(Timer& timer) { return dynamic_cast<OwnTimer&>(timer).moved(); }

  /// A timer that stays runs by reference, and any other by value.
  struct EitherExpiry {
    void operator()(Tick deadline, ProbeTask&& task) const { once(deadline, std::move(task)); }
    void operator()(Tick deadline, ProbeTask& task) const { staying(deadline, task); }

    const OnExpiry& once;
    const OnStayingExpiry& staying;
  };

  Queue queue_;
  OnStayingExpiry on_staying_expiry_;
};

template <TimerQueue Queue>
QueueKind kind_of() {
  return {
      .name = std::string(std::string_view(Queue::name)),
      .promises = promises_of<Queue>(),
      .can_rearm = CanRearm<Queue>,
      .has_next_expiry = HasNextExpiry<Queue>,
      .can_limit = CanLimitExpire<Queue>,
      .has_staying_timers = HasStayingTimers<Queue>,
      .make = []() -> std::unique_ptr<AnyQueue> { return std::make_unique<ErasedQueue<Queue>>(); }};
}

}  // namespace timers::conformance
