#pragma once

/// The cost of calls of a service, slice by slice.
///
/// Disturbances come in bursts of milliseconds. So calls are measured in slices that are as short,
/// and the median over many slices counts. A few disturbed slices do not change it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benches/harness/median.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/other_threads.hpp"
#include "benches/harness/services/processor_time.hpp"
#include "benches/harness/services/producers.hpp"
#include "benches/harness/services/rest.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// The cost of one call, as an average over a slice.
struct CallCost {
  double wall_ns;       // from the first call of the slice to the end of the last
  double processor_ns;  // of the producers, and of the service until it has no work left
  double wakes;         // wake-ups of the threads of the service
};

/// The median of each figure separately.
inline CallCost median_of(const std::vector<CallCost>& slices) {
  if (slices.empty()) throw std::runtime_error("no slice was measured");
  const auto median = [&](double CallCost::*figure) {
    std::vector<double> values;
    for (const CallCost& slice : slices) values.push_back(slice.*figure);
    return median_of(std::move(values));
  };
  return {median(&CallCost::wall_ns), median(&CallCost::processor_ns), median(&CallCost::wakes)};
}

/// Lets producers call a service. While it lives, no other thread of this process may do any work.
template <class ClockType>
class CallSlices {
 public:
  CallSlices(ClockType& clock, Producers<ClockType>& producers, OtherThreads of_service)
      : clock_(clock), producers_(producers), of_service_(std::move(of_service)) {}

  /// All producers together make the calls of a slice. Each makes its share: `call(i)`.
  template <class Call>
  CallCost cost_of(Part slice, const Call& call) {
    return cost_of_parts(slice, [&](Part part) {
      for (std::size_t i = part.first; i < part.end; ++i) call(i);
    });
  }

  /// The same, but some of the calls are timed one by one. Returns the p99 of these.
  template <class Call>
  double p99_ns_of(Part slice, const Call& call) {
    constexpr std::size_t kTimedOneIn = 7;
    std::vector<Duration> times((slice.size() - 1) / kTimedOneIn + 1);
    cost_of(slice, [&](std::size_t i) {
      const std::size_t rank = i - slice.first;
      if (rank % kTimedOneIn != 0) return call(i);
      const Instant begin = clock_.now();
      call(i);
      times[rank / kTimedOneIn] = clock_.now() - begin;
    });
    return Quantiles(std::move(times)).quantile_ns(0.99);
  }

 private:
  /// Each producer makes the calls of its part: `make_calls(part)`.
  CallCost cost_of_parts(Part slice, const std::function<void(Part)>& make_calls) {
    wait_until_all_other_threads_sleep();
    const std::uint64_t sleeps = of_service_.sleeps();
    const double seconds = service_seconds();
    const std::vector<Stint>& stints = producers_.run(
        [&](std::size_t producer) { make_calls(slice.share(producer, producers_.count())); });
    wait_until_all_other_threads_sleep();
    const auto calls = static_cast<double>(slice.size());
    return {.wall_ns = wall_ns(stints) / calls,
            .processor_ns = (service_seconds() - seconds + seconds_of(stints)) * 1e9 / calls,
            .wakes = static_cast<double>(of_service_.sleeps() - sleeps) / calls};
  }

  /// The processor time of the service's threads: of all threads except the producers and the
  /// caller.
  double service_seconds() {
    return processor_seconds() - producers_.processor_seconds() - thread_seconds();
  }

  static double wall_ns(const std::vector<Stint>& stints) {
    Instant begin = stints.front().begin;
    Instant end = stints.front().end;
    for (const Stint& stint : stints) {
      begin = std::min(begin, stint.begin);
      end = std::max(end, stint.end);
    }
    return static_cast<double>((end - begin).count());
  }

  static double seconds_of(const std::vector<Stint>& stints) {
    double sum = 0;
    for (const Stint& stint : stints) sum += stint.processor_seconds;
    return sum;
  }

  ClockType& clock_;
  Producers<ClockType>& producers_;
  OtherThreads of_service_;
};

}  // namespace timers::benches
