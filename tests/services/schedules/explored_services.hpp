#pragma once

/// The services that are explored, behind one interface.

#include <cstddef>
#include <utility>
#include <vector>

#include "tests/conformance/services/any_service.hpp"
#include "tests/services/schedules/stepwise_clock.hpp"

namespace timers::schedules {

using ExploredKind = service_conformance::BasicServiceKind<StepwiseClock>;

/// Those of the catalog, or the one into which a fault was planted.
std::vector<ExploredKind> explored_services();

/// A service of which each thread has little to do: where a wheel can be small, it is.
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

/// The same of a service with several threads.
template <class Service>
ExploredKind explored_kind_of_two_threads() {
  ExploredKind kind = explored_kind_of<OfTwoThreads<Service>>();
  kind.name += "_of_2";
  return kind;
}

}  // namespace timers::schedules
