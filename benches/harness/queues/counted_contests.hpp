#pragma once

/// Queues that callgrind counts, on the workloads of a bench.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "benches/harness/queues/counted_benchmarks.hpp"
#include "benches/harness/queues/counted_pass.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

// Fewer timers show nothing new, and more timers take long under valgrind.
inline constexpr std::size_t kFewestCounted = 1'000;
inline constexpr std::size_t kMostCounted = 100'000;

/// All inputs have this seed, so that all counts are of the same input.
inline constexpr std::uint64_t kCountedSeed = 1;

/// The input for counting: `name` is a workload with its n, or a recording.
struct CountedContest {
  const char* bench;
  std::string name;
  std::function<Schedule()> make;
};

/// Adds a benchmark for each of these queues that supports the way.
template <class Way = CountSteps, class... Queues>
void add_counted_contest(const CountedContest& of, TypeList<Queues...> queues) {
  const auto input = std::make_shared<CountedCase>([make = of.make] {
    Schedule schedule = make();
    Way::cut(schedule);
    return schedule;
  });
  for_each_type(queues, [&]<class Queue>() {
    if constexpr (Way::template kCanTake<Queue>) {
      add_counted<Queue>(of.bench, of.name, input,
                         [](const Schedule& schedule) { return Way(schedule); });
    }
  });
}

/// Adds benchmarks on these workloads, from kFewestCounted to kMostCounted timers, in powers of
/// ten.
template <class Way = CountSteps, std::size_t Count, class... Queues>
void add_counted_contests(const char* bench, const std::array<Workload, Count>& workloads,
                          TypeList<Queues...> queues) {
  for (const Workload& workload : workloads) {
    for (std::size_t n = std::max(workload.smallest, kFewestCounted); n <= kMostCounted; n *= 10) {
      add_counted_contest<Way>({bench, fmt::format("{}/{}", workload.name, n),
                                [=] { return workload.make(n, kCountedSeed); }},
                               queues);
    }
  }
}

}  // namespace timers::benches
