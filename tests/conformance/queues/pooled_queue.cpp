#include "tests/conformance/queues/pooled_queue.hpp"

#include <any>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace timers::conformance {
namespace {

/// A quarter of the timers is set by `insert`, so that one queue holds both sorts.
class PooledQueue final : public AnyQueue {
 public:
  explicit PooledQueue(std::unique_ptr<AnyQueue> queue) : queue_(std::move(queue)) { listen(); }

  Handle insert(Tick deadline, ProbeTask task) override {
    if (free_.empty()) add_slot();
    const Number number = free_.back();
    Slot& slot = slots_[number];
    slot.is_set_once = inserts_ % 4 == 0;
    if (slot.is_set_once) {
      slot.handle = queue_->insert(deadline, ProbeTask(number));
    } else {
      if (!slot.timer) slot.timer = queue_->make(ProbeTask(number));
      queue_->arm(*slot.timer, deadline);
    }
    ++inserts_;
    free_.pop_back();
    slot.task.emplace(std::move(task));
    return Name{number, slot.life};
  }

  bool cancel(const Handle& handle) override {
    Slot* const slot = find(handle);
    if (slot == nullptr) return false;
    const bool cancelled =
        slot->is_set_once ? queue_->cancel(slot->handle) : queue_->disarm(*slot->timer);
    const ProbeTask task = vacate(*slot);
    return cancelled;
  }

  bool rearm(const Handle& handle, Tick deadline) override {
    Slot* const slot = find(handle);
    if (slot == nullptr) return false;
    return slot->is_set_once ? queue_->rearm(slot->handle, deadline)
                             : queue_->arm(*slot->timer, deadline);
  }

  std::size_t expire(Tick now, const OnExpiry& on_expiry) override {
    return expire_with(on_expiry, [&](const OnExpiry& once) { return queue_->expire(now, once); });
  }
  std::size_t expire(Tick now, const OnExpiry& on_expiry, std::size_t limit) override {
    return expire_with(on_expiry,
                       [&](const OnExpiry& once) { return queue_->expire(now, once, limit); });
  }
  std::optional<Tick> next_expiry() const override { return queue_->next_expiry(); }
  std::size_t size() const override { return queue_->size(); }

  Handle null_handle() const override { return Name{}; }
  bool same(const Handle& one, const Handle& other) const override {
    return own(one) == own(other);
  }
  std::unique_ptr<AnyQueue> move() override {
    auto moved = std::make_unique<PooledQueue>(queue_->move());
    moved->take_over(*this);
    return moved;
  }
  void assign(AnyQueue&& other) override {
    auto& moved = dynamic_cast<PooledQueue&>(other);
    queue_->assign(std::move(*moved.queue_));
    take_over(moved);
  }

 private:
  using Number = std::uint32_t;

  struct Name {
    Number number = std::numeric_limits<Number>::max();
    std::uint32_t life = 0;
    friend bool operator==(const Name&, const Name&) = default;
  };

  /// The place of a timer of the user. The task in the inner queue is only the number of its slot.
  struct Slot {
    bool is_set_once = false;
    std::uint32_t life = 0;
    Handle handle;                 // if the timer is set once
    std::unique_ptr<Timer> timer;  // if it is not
    std::optional<ProbeTask> task;
  };

  static const Name& own(const Handle& handle) { return *std::any_cast<Name>(&handle); }

  Slot* find(const Handle& handle) {
    const auto [number, life] = own(handle);
    if (number >= slots_.size()) return nullptr;
    Slot& slot = slots_[number];
    return slot.task && slot.life == life ? &slot : nullptr;
  }

  void add_slot() {
    if (slots_.size() == slots_.capacity()) slots_.reserve(2 * slots_.size() + 16);
    free_.reserve(slots_.capacity());
    free_.push_back(static_cast<Number>(slots_.size()));
    slots_.emplace_back();
  }

  ProbeTask vacate(Slot& slot) {
    ProbeTask task = std::move(*slot.task);
    slot.task.reset();
    if (++slot.life % 8 == 0) slot.timer.reset();  // Drops the timer, even in its own callback.
    free_.push_back(static_cast<Number>(&slot - slots_.data()));
    return task;
  }

  template <class Expire>
  std::size_t expire_with(const OnExpiry& on_expiry, Expire expire) {
    const struct Restores {
      const OnExpiry*& place;
      const OnExpiry* before;
      ~Restores() { place = before; }
    } restores{on_expiry_, std::exchange(on_expiry_, &on_expiry)};
    return expire([this](Tick deadline, ProbeTask token) { run(deadline, token); });
  }

  void run(Tick deadline, const ProbeTask& token) {
    (*on_expiry_)(deadline, vacate(slots_[token.id()]));
  }

  void listen() {
    queue_->on_staying_expiry([this](Tick deadline, ProbeTask& token) { run(deadline, token); });
  }

  void take_over(PooledQueue& other) {
    slots_ = std::move(other.slots_);
    free_ = std::move(other.free_);
    inserts_ = other.inserts_;
    listen();
  }

  std::unique_ptr<AnyQueue> queue_;
  std::vector<Slot> slots_;
  std::vector<Number> free_;
  std::size_t inserts_ = 0;
  const OnExpiry* on_expiry_ = nullptr;  // of the current call
};

}  // namespace

QueueKind pooled(const QueueKind& kind) {
  QueueKind result = kind;
  result.name += "_pooled";
  result.make = [make = kind.make] { return std::make_unique<PooledQueue>(make()); };
  result.has_staying_timers = false;  // The inner queue has some, but the pool uses them.
  result.promises.max_garbage += 1;   // for the garbage of the pool
  result.is_pooled = true;
  return result;
}

}  // namespace timers::conformance
