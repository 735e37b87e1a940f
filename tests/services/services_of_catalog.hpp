#pragma once

/// Makes `all_services` (all_services.hpp) from the catalog. Two sources compile it.

#include <string>
#include <utility>
#include <vector>

#include "impls/catalog.hpp"
#include "tests/services/all_services.hpp"

namespace timers {

/// A service that runs tasks side by side.
template <class Service>
struct OfFourThreads : Service {
  using Options = typename Service::Options;
  static inline const std::string name = std::string(Service::name) + "_of_4";
  static constexpr bool serial = false;

  template <Clock ClockType>
  explicit OfFourThreads(ClockType& clock, Options options = {})
      : Service(clock, four_threads(std::move(options))) {}

 private:
  static Options four_threads(Options options) {
    options.threads = 4;
    return options;
  }
};

template <class ClockType>
using ServicesOfFourThreads = TypeList<OfFourThreads<DelayQueueTimer<ClockType>>,
                                       OfFourThreads<ScheduledThreadPool<ClockType>>>;

template <class ClockType>
std::vector<service_conformance::BasicServiceKind<ClockType>> all_services() {
  std::vector<service_conformance::BasicServiceKind<ClockType>> kinds;
  const auto add = [&]<class Service>() {
    kinds.push_back(service_conformance::kind_of<Service, ClockType>());
  };
  for_each_type(TimerServices<ClockType>{}, add);
  for_each_type(ServicesOfFourThreads<ClockType>{}, add);
  return kinds;
}

}  // namespace timers
