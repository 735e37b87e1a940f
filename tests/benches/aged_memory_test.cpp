/// A producer gets fresh memory in the order of its addresses. Aged memory was freed by another
/// thread in random order, and comes in that order.

#include "benches/harness/services/aged_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "benches/harness/services/producers.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/services/hashed_wheel_timer.hpp"
#include "impls/timer_task.hpp"
#include "tests/conformance/allocations.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// What happened to the timers of a service with NotedTimers.
struct Notes {
  std::mutex mutex;
  std::set<std::thread::id> allocated_by;
  std::set<std::thread::id> freed_by;
  std::vector<std::size_t> freed;  // the numbers of the timers that were freed, in this order;
                                   // numbers follow the allocations
  std::size_t count = 0;
};
Notes notes;

/// A timer of a common size, which records its allocation and its end.
struct NotedTimer {
  NotedTimer() {
    const std::lock_guard lock(notes.mutex);
    number = notes.count++;
    notes.allocated_by.insert(std::this_thread::get_id());
  }
  NotedTimer(const NotedTimer&) = delete;
  NotedTimer& operator=(const NotedTimer&) = delete;
  ~NotedTimer() {
    const std::lock_guard lock(notes.mutex);
    notes.freed.push_back(number);
    notes.freed_by.insert(std::this_thread::get_id());
  }

  std::size_t number;
};

/// A timer that is only its memory.
using PlainTimer = std::array<std::byte, 88>;

/// A service that only holds its timers.
template <class Timer>
struct HoldingService {
  using Handle = std::shared_ptr<Timer>;
  explicit HoldingService(SteadyClock&) {}
  Handle schedule(Duration, const TimerTask&) { return std::make_shared<Timer>(); }
  void stop() {}
};

/// The share of ascending pairs among all neighbours in this order.
template <class Value>
double ascending_share(const std::vector<Value>& values) {
  std::size_t ascending = 0;
  for (std::size_t i = 1; i < values.size(); ++i) ascending += values[i - 1] < values[i] ? 1 : 0;
  return static_cast<double>(ascending) / static_cast<double>(values.size() - 1);
}

constexpr std::size_t kTimers = 20'000;

TEST(AgedMemory, WasFreedByAnotherThreadInRandomOrder) {
  SteadyClock clock;
  Producers producers(clock, 4);
  {
    const AgedMemory<HoldingService<NotedTimer>> memory(producers, kTimers);
    const std::lock_guard lock(notes.mutex);
    EXPECT_EQ(notes.count, kTimers);
    EXPECT_EQ(notes.allocated_by.size(), 4U);
    EXPECT_EQ(notes.freed_by.size(), 1U);
    EXPECT_FALSE(notes.allocated_by.contains(*notes.freed_by.begin()));
    EXPECT_GT(notes.freed.size(), kTimers * 9 / 10) << "most are freed";
    EXPECT_LT(notes.freed.size(), kTimers) << "some stay";
    EXPECT_NEAR(ascending_share(notes.freed), 0.5, 0.02);
  }
  EXPECT_EQ(notes.freed.size(), kTimers) << "none stays for ever";
}

/// The addresses of the timers that a producer allocates next.
std::vector<std::uintptr_t> next_addresses(Producers<SteadyClock>& producers) {
  std::vector<HoldingService<PlainTimer>::Handle> timers(kTimers / 2);
  producers.run([&](std::size_t producer) {
    if (producer != 0) return;
    for (auto& timer : timers) timer = std::make_shared<PlainTimer>();
  });
  std::vector<std::uintptr_t> addresses;
  for (const auto& timer : timers) {
    addresses.push_back(reinterpret_cast<std::uintptr_t>(timer.get()));
  }
  return addresses;
}

TEST(FreshMemory, ComesInTheOrderOfItsAddresses) {
  if (conformance::kSanitized) GTEST_SKIP() << "the allocator keeps back what was freed";
  SteadyClock clock;
  Producers producers(clock, 2);
  use_fresh_memory(producers, 2 * kTimers);
  EXPECT_GT(ascending_share(next_addresses(producers)), 0.95);
}

TEST(AgedMemory, ComesInNoOrder) {
  if (conformance::kSanitized) GTEST_SKIP() << "the allocator keeps back what was freed";
  SteadyClock clock;
  Producers producers(clock, 2);
  const AgedMemory<HoldingService<PlainTimer>> memory(producers, 2 * kTimers);
  const double share = ascending_share(next_addresses(producers));
  EXPECT_GT(share, 0.4);
  EXPECT_LT(share, 0.6);
}

/// Otherwise the calls that are measured would get new memory.
TEST(AgedMemory, IsEnoughForAServiceWithManyTimers) {
  if (conformance::kSanitized) GTEST_SKIP() << "the allocator keeps back what was freed";
  using Service = HashedWheelTimer<SteadyClock>;
  constexpr std::size_t kPending = 1'000'000;
  constexpr std::size_t kCalls = 100'000;
  SteadyClock clock;
  Producers producers(clock, 4);
  const AgedMemory<Service> memory(producers, former_timers_for(kPending + kCalls));
  std::vector<Service::Handle> handles(kPending + kCalls);
  Service service(clock);
  const std::ptrdiff_t before = conformance::live_bytes_of_all_threads();
  for (std::size_t i = 0; i < kPending; ++i) handles[i] = service.schedule(1h, [] {});
  producers.run([&](std::size_t producer) {
    const Part part = Part{kPending, handles.size()}.share(producer, producers.count());
    for (std::size_t i = part.first; i < part.end; ++i) handles[i] = service.schedule(1h, [] {});
  });
  EXPECT_LT(conformance::live_bytes_of_all_threads() - before, 1'000'000);
}

}  // namespace
}  // namespace timers::benches
