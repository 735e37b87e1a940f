#pragma once

/// The memory of a queue, counted at the allocator: without a clock, and with the same figures in
/// every run.
///
/// The bytes are those that operator new handed out, with blocks rounded up as in the allocator:
/// with another history of the heap a block may be 16 bytes larger. The allocator's own header of a
/// block (8 bytes in glibc) does not count. Memory that grows in place (reserved_memory.hpp) counts
/// in whole pages. The caller owns the handles, so they do not count.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/steady_queue.hpp"
#include "benches/workloads/random.hpp"
#include "impls/timer_queue.hpp"
#include "tests/conformance/allocations.hpp"

namespace timers::benches {

struct MemoryUse {
  /// A fresh queue, including the object itself.
  double bytes_empty = 0;
  /// With n timers pending, beyond `bytes_empty`: the bytes that are held, and their peak.
  double bytes_per_timer = 0;
  double peak_bytes_per_timer = 0;
  /// After all n timers were cancelled, beyond `bytes_empty`.
  double residue_bytes = 0;
  /// By how much the held bytes grow with each timer that is set an hour ahead and cancelled.
  double leak_bytes_per_operation = 0;
  /// In the steady state, for each timer: its insert, and its cancel or expiry.
  double allocations_per_operation = 0;
};

/// The least-squares slope of values at 0, 1, 2 …
inline double slope(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double middle = (count - 1) / 2;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double covariance = 0;
  double variance = 0;
  double offset = -middle;
  for (const double value : values) {
    covariance += offset * (value - mean);
    variance += offset * offset;
    ++offset;
  }
  return covariance / variance;
}

/// Fills a fresh queue with n timers, and cancels them in random order.
template <TimerQueue Queue>
void fill_and_empty(std::size_t n, MemoryUse& use) {
  Random random(1);
  std::vector<typename Queue::Handle> handles(n);
  const conformance::AllocationMeter meter;
  {
    Queue queue;
    const std::ptrdiff_t empty = meter.live_bytes();
    const auto beyond_empty = [=](std::ptrdiff_t bytes) {
      return static_cast<double>(bytes - empty);
    };
    use.bytes_empty = static_cast<double>(empty) + sizeof(Queue);

    for (Task task = 0; task < n; ++task) {
      handles[task] = queue.insert(SteadyQueue<Queue>::random_delay(random), task);
    }
    check_count(queue.size(), n, "timers are pending");
    use.bytes_per_timer = beyond_empty(meter.live_bytes()) / static_cast<double>(n);
    use.peak_bytes_per_timer = beyond_empty(meter.peak_bytes()) / static_cast<double>(n);

    shuffle(handles, random);
    std::size_t cancelled = 0;
    for (const auto& handle : handles) cancelled += queue.cancel(handle);
    check_count(cancelled, n, "timers were cancelled");
    check_count(queue.size(), 0, "timers are pending when all are cancelled");
    use.residue_bytes = beyond_empty(meter.live_bytes());

    const std::size_t ran = queue.expire(SteadyQueue<Queue>::kHour, [](Tick, Task) {});
    check_count(ran, 0, "timers expired that were cancelled");
  }
  check_count(static_cast<std::uint64_t>(meter.live_bytes()), 0, "bytes outlive the queue");
}

/// Sets and cancels 2 n timers an hour ahead, while n / 2 other timers are pending. Time moves,
/// too, as some queues sweep only then. The first third leads to the steady state. In the rest, the
/// memory that is left behind becomes more than twice as much, so an array that keeps it must grow.
/// No timer is due so soon, so nothing else changes.
template <TimerQueue Queue>
double leak(SteadyQueue<Queue>& queue, std::size_t n, const conformance::AllocationMeter& meter) {
  constexpr std::size_t kSamples = 64;
  constexpr std::size_t kUnsteady = kSamples / 3;
  constexpr std::size_t kSamplesAStep = kSamples / (SteadyQueue<Queue>::kStepsAnHour / 2);
  const std::size_t operations_a_sample = 2 * n / kSamples;
  std::vector<double> held;
  held.reserve(kSamples);
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    for (std::size_t i = 0; i < operations_a_sample; ++i) queue.insert_and_cancel();
    if (sample % kSamplesAStep == 0) queue.move_time();
    if (sample >= kUnsteady) held.push_back(static_cast<double>(meter.live_bytes()));
  }
  check_count(queue.expiries(), 0, "timers expired before their time");
  return slope(held) / static_cast<double>(operations_a_sample);
}

/// Allocations for each timer that ends and is set again: over n / 2 random cancels, and then over
/// about as many expiries in half an hour.
template <TimerQueue Queue>
double allocations(SteadyQueue<Queue>& queue, std::size_t n,
                   const conformance::AllocationMeter& meter) {
  const std::uint64_t allocations_before = meter.allocations();
  const std::uint64_t expiries_before = queue.expiries();
  for (std::size_t i = 0; i < n / 2; ++i) queue.cancel_and_insert();
  for (int step = 0; step < SteadyQueue<Queue>::kStepsAnHour / 2; ++step) queue.move_time();
  const std::uint64_t operations = n / 2 + queue.expiries() - expiries_before;
  return static_cast<double>(meter.allocations() - allocations_before) /
         static_cast<double>(operations);
}

/// With this many timers the memory that an operation leaves behind or allocates shows as well as
/// with more.
inline constexpr std::size_t kMostSteady = 1'000'000;

/// The memory of `Queue` with n timers, at least 1000. Throws if the queue is wrong.
template <TimerQueue Queue>
MemoryUse memory_use(std::size_t n) {
  MemoryUse use;
  fill_and_empty<Queue>(n, use);
  const conformance::AllocationMeter meter;
  const std::size_t steady = std::min(n, kMostSteady);
  SteadyQueue<Queue> queue(steady / 2);
  use.leak_bytes_per_operation = leak(queue, steady, meter);
  use.allocations_per_operation = allocations(queue, steady, meter);
  queue.finish();
  return use;
}

}  // namespace timers::benches
