/// How queues use memory, and what they do when it runs out.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
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

/// How much more memory a queue may use than the number of its timers explains.
constexpr std::ptrdiff_t kSlack = 65'536;

/// The memory that a queue may use with garbage, if it needs `bytes` without garbage.
std::ptrdiff_t with_garbage(std::ptrdiff_t bytes, const QueueKind& kind) {
  return bytes * static_cast<std::ptrdiff_t>(1 + kind.promises.max_garbage) + kSlack;
}

//
const Sentence bounded_garbage("ForgetsWhatIsCancelled", [](const QueueKind& kind) {
  constexpr int kTimers = share_of(1'000'000);
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

/// Re-arms timers again and again while time stands still: first to nearer and nearer deadlines,
/// then to any. They may take the memory of one timer more: a re-arm may set its timer anew before
/// it takes it out.
void rearm_often(const QueueKind& kind, std::size_t timers, Tick last_deadline, std::size_t times) {
  Random random(101);
  std::vector<AnyQueue::Handle> handles(timers + 1);
  const AllocationMeter meter;
  const auto queue = kind.make();
  for (std::size_t i = 0; i <= timers; ++i) {
    handles[i] = queue->insert(last_deadline - i, ProbeTask(i));
  }
  const std::ptrdiff_t bytes_of_the_living = meter.peak_bytes();
  queue->cancel(handles[timers]);
  std::size_t rearmed = 0;
  for (std::size_t i = 0; i < 2 * times; ++i) {
    const Tick deadline =
        i < times ? last_deadline - timers - i : 1 + random.bits() % last_deadline;
    rearmed += queue->rearm(handles[i % timers], deadline);
  }
  EXPECT_EQ(rearmed, 2 * times);
  EXPECT_LE(meter.peak_bytes(), with_garbage(bytes_of_the_living, kind));
}

//
const Sentence bounded_rearms("ForgetsWhatARearmReplaces", [](const QueueKind& kind) {
  constexpr Tick kAnHour = 3'600'000;
  constexpr Tick kFar = Tick{1} << 62;
  need_rearm(kind);
  need_deadline(kind, kAnHour);
  rearm_often(kind, 100, kAnHour, share_of(30'000));
  rearm_often(kind, 500, std::min(kFar, kind.promises.last_tick), share_of(5'000));
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

/// In each call so many allocations succeed, then one fails, and then all succeed again.
struct Allowance {
  std::uint64_t of_each_call;
  std::uint64_t refusals = 0;
};

/// A queue with an allowance of allocations for each call. Allocations in callbacks do not count.
class RationedQueue final : public AnyQueue {
 public:
  RationedQueue(std::unique_ptr<AnyQueue> queue, Allowance& allowance)
      : queue_(std::move(queue)), allowance_(allowance) {}

  Handle insert(Tick deadline, ProbeTask task) override {
    const Rationed call(allowance_);
    return queue_->insert(deadline, std::move(task));
  }
  bool cancel(const Handle& handle) override {
    const Rationed call(allowance_);
    return queue_->cancel(handle);
  }
  bool rearm(const Handle& handle, Tick deadline) override {
    const Rationed call(allowance_);
    return queue_->rearm(handle, deadline);
  }
  std::size_t expire(Tick now, const OnExpiry& on_expiry) override {
    const OnExpiry callback = unrationed(on_expiry);
    const Rationed call(allowance_);
    return queue_->expire(now, callback);
  }
  std::size_t expire(Tick now, const OnExpiry& on_expiry, std::size_t limit) override {
    const OnExpiry callback = unrationed(on_expiry);
    const Rationed call(allowance_);
    return queue_->expire(now, callback, limit);
  }
  std::optional<Tick> next_expiry() const override { return queue_->next_expiry(); }
  std::size_t size() const override { return queue_->size(); }
  Handle null_handle() const override { return queue_->null_handle(); }
  bool same(const Handle& one, const Handle& other) const override {
    return queue_->same(one, other);
  }
  std::unique_ptr<AnyQueue> move() override {
    return std::make_unique<RationedQueue>(queue_->move(), allowance_);
  }
  void assign(AnyQueue&& other) override {
    queue_->assign(std::move(*dynamic_cast<RationedQueue&>(other).queue_));
  }

 private:
  class Rationed {
   public:
    explicit Rationed(Allowance& allowance) : allowance_(allowance) {}
    Rationed(const Rationed&) = delete;
    Rationed& operator=(const Rationed&) = delete;
    ~Rationed() { allowance_.refusals += ration_.refused; }

   private:
    Allowance& allowance_;
    Ration ration_{allowance_.of_each_call};
    Rationing rationing_{&ration_};
  };

  static OnExpiry unrationed(const OnExpiry& on_expiry) {
    return [&on_expiry](Tick deadline, ProbeTask task) {
      const Rationing none(nullptr);
      on_expiry(deadline, std::move(task));
    };
  }

  std::unique_ptr<AnyQueue> queue_;
  Allowance& allowance_;
};

/// A queue that grows beyond the memory it allocated in advance, while one allocation in each call
/// fails. A call that failed is repeated with all the memory it needs. Otherwise the queue would
/// never grow.
class Growing final : public Oracle {
 public:
  Growing(const QueueKind& kind, Allowance& allowance)
      : Oracle(kind, std::make_unique<RationedQueue>(kind.make(), allowance)),
        allowance_(allowance) {
    expect_bad_alloc();
  }

  void live() {
    std::vector<TimerId> timers;
    for (int i = 0; i < kTimers && content(); ++i) {
      const Tick deadline = now() + 64 + random_.below(4096);
      timers.push_back(at_last([&] { return insert(deadline); }));
      const TimerId other = timers[random_.below(timers.size())];
      if (random_.one_in(64)) cancel(other);
      if (random_.one_in(4)) {
        const Tick later = now() + 64 + random_.up_to_bits(14);
        at_last([&] { return rearm(other, later); });
      }
      if (random_.one_in(64)) expire(now() + 1);
    }
    expire(now() + 4096, 100);
    expire(now() + (Tick{1} << 16));
  }

 private:
  static constexpr int kTimers = 1200;

  /// Makes a call. If memory was refused to it, makes it again.
  template <class Call>
  std::invoke_result_t<Call> at_last(Call call) {
    const std::uint64_t refusals = allowance_.refusals;
    auto answer = call();
    if (refusals == allowance_.refusals) return answer;
    const std::uint64_t before = std::exchange(allowance_.of_each_call, kNoLimit);
    answer = call();
    allowance_.of_each_call = before;
    return answer;
  }

  void timer_expired(TimerId) override {
    if (!random_.one_in(16)) return;
    const Tick deadline = now() + random_.up_to_bits(6);
    at_last([&] { return insert(deadline); });
  }

  Allowance& allowance_;
  Random random_{77};
};

//
const Sentence out_of_memory("IsAsItWasWhenMemoryRunsOut", [](const QueueKind& kind) {
  need_bad_alloc(kind);
  for (std::uint64_t succeed = 0;; ++succeed) {
    Allowance allowance{succeed};
    Growing queue(kind, allowance);
    queue.live();
    queue.destroy_queue();
    ASSERT_EQ(queue.objection(), "") << "when each call fails after " << succeed << " allocations";
    if (allowance.refusals == 0) {
      need(succeed > 0, "it allocates no memory");
      return;
    }
  }
});

}  // namespace
}  // namespace timers::conformance::about_memory
