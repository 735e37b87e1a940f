#pragma once

/// The services that are explored, each behind the same interface.

#include <cstddef>
#include <utility>
#include <vector>

#include "tests/conformance/services/any_service.hpp"
#include "tests/services/schedules/stepwise_clock.hpp"

namespace timers::schedules {

using ExploredKind = service_conformance::BasicServiceKind<StepwiseClock>;

/// The services of the catalog, or the one service with a planted fault.
std::vector<ExploredKind> explored_services();

/// A service in which each thread has little to do: its wheel, if it has one, is small.
template <class Service>
struct Small : Service {
  using Options = typename Service::Options;

  explicit Small(StepwiseClock& clock, Options options = {})
      : Service(clock, small(std::move(options))) {}

 private:
  static Options small(Options options) {
    constexpr std::size_t kBuckets = 2;
    if constexpr (requires { options.buckets; }) options.buckets = kBuckets;
    if constexpr (requires { options.ticks_per_wheel; }) options.ticks_per_wheel = kBuckets;
    return options;
  }
};

/// A service that runs tasks side by side.
template <class Service>
struct OfTwoThreads : Service {
  using Options = typename Service::Options;

  explicit OfTwoThreads(StepwiseClock& clock, Options options = {})
      : Service(clock, two_threads(std::move(options))) {}

 private:
  static Options two_threads(Options options) {
    options.threads = 2;
    return options;
  }
};

template <class Service>
ExploredKind explored_kind_of() {
  return service_conformance::kind_of<Small<Service>, StepwiseClock>();
}

/// The same for a service with several threads.
template <class Service>
ExploredKind explored_kind_of_two_threads() {
  ExploredKind kind = explored_kind_of<OfTwoThreads<Service>>();
  kind.name += "_of_2";
  return kind;
}

}  // namespace timers::schedules
