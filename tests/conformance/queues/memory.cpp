/// What queues do with memory, and without.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/queues/needs.hpp"
#include "tests/conformance/queues/oracle.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_memory {
namespace {

/// What a queue may use beyond what the number of its timers explains.
constexpr std::ptrdiff_t kSlack = 65'536;

/// What a queue may use that needs `bytes` when nothing in it is dead.
std::ptrdiff_t with_garbage(std::ptrdiff_t bytes, const QueueKind& kind) {
  return bytes * static_cast<std::ptrdiff_t>(1 + kind.promises.max_garbage) + kSlack;
}

//
const Sentence bounded_garbage("ForgetsWhatIsCancelled", [](const QueueKind& kind) {
  constexpr int kTimers = kSanitized ? 1'000'000 : 10'000'000;
  constexpr std::size_t kLive = 100;
  constexpr Tick kAnHour = 3'600'000;
  need_deadline(kind, kAnHour);
  const AllocationMeter meter;
  const auto queue = kind.make();
  for (std::size_t i = 0; i < kLive; ++i) queue->insert(kAnHour - i, ProbeTask(i));
  const std::ptrdiff_t bytes_of_the_living = meter.peak_bytes();
  int cancelled = 0;
  for (int i = 0; i < kTimers; ++i) {
    cancelled += queue->cancel(queue->insert(kAnHour, ProbeTask(kLive)));
  }
  EXPECT_EQ(cancelled, kTimers);
  EXPECT_LE(meter.peak_bytes(), with_garbage(bytes_of_the_living, kind));
});

//
const Sentence bounded_storage("NeedsNoMoreMemoryThanItsMostTimers", [](const QueueKind& kind) {
  constexpr std::size_t kRounds = 100;
  constexpr std::size_t kTimers = 1000;
  constexpr unsigned kDelayBits = 22;
  constexpr Tick kLongest = Tick{1} << kDelayBits;
  const Tick round_length = kLongest + kind.promises.max_lateness(kLongest);
  need_time(kind, kRounds * round_length);
  Random random(102);
  std::vector<AnyQueue::Handle> handles(kTimers);
  const AllocationMeter meter;
  const auto queue = kind.make();
  std::ptrdiff_t first_peak = 0;
  std::size_t ran = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Tick now = round * round_length;
    ran += queue->expire(now, [](Tick, ProbeTask) {});
    ASSERT_EQ(queue->size(), 0u);
    for (auto& handle : handles) {
      handle = queue->insert(now + random.up_to_bits(kDelayBits), ProbeTask(0));
    }
    if (round == 0) first_peak = meter.peak_bytes();
    for (const auto& handle : handles) {
      if (random.one_in(2)) queue->cancel(handle);
    }
  }
  EXPECT_GT(ran, (kRounds - 1) * kTimers / 3);
  EXPECT_LE(meter.peak_bytes(), with_garbage(first_peak, kind));
});

/// A queue whose allocations draw on a ration; those of its callbacks do not.
class RationedQueue final : public AnyQueue {
 public:
  RationedQueue(std::unique_ptr<AnyQueue> queue, Ration& ration)
      : queue_(std::move(queue)), ration_(ration) {}

  Handle insert(Tick deadline, ProbeTask task) override {
    const Rationing rationing(&ration_);
    return queue_->insert(deadline, std::move(task));
  }
  bool cancel(const Handle& handle) override {
    const Rationing rationing(&ration_);
    return queue_->cancel(handle);
  }
  bool rearm(const Handle& handle, Tick deadline) override {
    const Rationing rationing(&ration_);
    return queue_->rearm(handle, deadline);
  }
  std::size_t expire(Tick now, const OnExpiry& on_expiry) override {
    const OnExpiry callback = unrationed(on_expiry);
    const Rationing rationing(&ration_);
    return queue_->expire(now, callback);
  }
  std::size_t expire(Tick now, const OnExpiry& on_expiry, std::size_t limit) override {
    const OnExpiry callback = unrationed(on_expiry);
    const Rationing rationing(&ration_);
    return queue_->expire(now, callback, limit);
  }
  std::optional<Tick> next_expiry() const override { return queue_->next_expiry(); }
  std::size_t size() const override { return queue_->size(); }
  Handle null_handle() const override { return queue_->null_handle(); }
  bool same(const Handle& one, const Handle& other) const override {
    return queue_->same(one, other);
  }
  std::unique_ptr<AnyQueue> move() override {
    return std::make_unique<RationedQueue>(queue_->move(), ration_);
  }
  void assign(AnyQueue&& other) override {
    queue_->assign(std::move(*dynamic_cast<RationedQueue&>(other).queue_));
  }

 private:
  static OnExpiry unrationed(const OnExpiry& on_expiry) {
    return [&on_expiry](Tick deadline, ProbeTask task) {
      const Rationing none(nullptr);
      on_expiry(deadline, std::move(task));
    };
  }

  std::unique_ptr<AnyQueue> queue_;
  Ration& ration_;
};

/// A queue that outgrows all it has allocated in advance, while one allocation fails.
class Growing final : public Oracle {
 public:
  Growing(const QueueKind& kind, Ration& ration)
      : Oracle(kind, std::make_unique<RationedQueue>(kind.make(), ration)) {
    expect_bad_alloc();
  }

  void live() {
    std::vector<TimerId> timers;
    for (int i = 0; i < kTimers && content(); ++i) {
      const TimerId timer = insert(now() + 64 + random_.below(4096));
      timers.push_back(timer);
      const TimerId other = timers[random_.below(timers.size())];
      if (random_.one_in(64)) cancel(other);
      if (random_.one_in(4)) rearm(other, now() + 64 + random_.up_to_bits(14));
      if (random_.one_in(64)) expire(now() + 1);
    }
    expire(now() + 4096, 100);
    expire(now() + (Tick{1} << 16));
  }

 private:
  static constexpr int kTimers = 1200;

  void timer_expired(TimerId) override {
    if (random_.one_in(16)) insert(now() + random_.up_to_bits(6));
  }

  Random random_{77};
};

//
const Sentence out_of_memory("IsAsItWasWhenMemoryRunsOut", [](const QueueKind& kind) {
  need_bad_alloc(kind);
  constexpr std::uint64_t kEach = kSanitized ? 100 : kNoLimit;  // of these, then of each eighth
  std::uint64_t failures = 0;
  for (;;) {
    Ration ration{failures};
    Growing queue(kind, ration);
    queue.live();
    queue.destroy_queue();
    ASSERT_EQ(queue.objection(), "") << "when allocation " << failures << " fails";
    if (!ration.refused) break;
    failures += failures < kEach ? 1 : 8;
  }
  need(failures > 0, "it allocates no memory");
});

}  // namespace
}  // namespace timers::conformance::about_memory
