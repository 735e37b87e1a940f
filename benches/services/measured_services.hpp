#pragma once

/// The services that are measured: the settings of the catalog. One of them has a twin, i.e. it
/// takes part twice. The difference between the two shows how large a difference between others
/// must be to mean something.

#include <string>
#include <type_traits>

#include "benches/harness/groups.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/services/queue_timer.hpp"
#include "impls/timer_task.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

using MeasuredSettings = ServiceSettings<SteadyClock>;

/// The default setting of this service has a twin: it takes part in every bench, and is as exact as
/// any service with ticks.
using ServiceWithTwin = QueueTimer<HierarchicalWheel<TimerTask>, SteadyClock>;

/// The floor: a thread that only sleeps, in benches in which it takes part. No service is more
/// exact.
inline constexpr const char* kFloor = "os_floor";

template <class Setting>
inline constexpr bool kHasTwin =
    Setting::kIsDefault&& std::is_same_v<typename Setting::Listed::Service, ServiceWithTwin>;

/// Calls `add.template operator()<Setting>(name)` for each setting and for the twin.
template <class Add>
void for_each_setting(const Add& add) {
  for_each_type(MeasuredSettings{}, [&]<class Setting>() {
    add.template operator()<Setting>(Setting::name());
    if constexpr (kHasTwin<Setting>) add.template operator()<Setting>(twin_of(Setting::name()));
  });
}

/// Calls `add.template operator()<Service>(name)` for each service with its default options, and
/// for the twin.
template <class Add>
void for_each_service(const Add& add) {
  for_each_type(MeasuredSettings{}, [&]<class Setting>() {
    if constexpr (Setting::kIsDefault) {
      using Service = typename Setting::Service;
      add.template operator()<Service>(std::string(Service::name));
      if constexpr (kHasTwin<Setting>) add.template operator()<Service>(twin_of(Service::name));
    }
  });
}

/// The groups of the services and their settings, with the twin.
inline Groups groups_with_twin() {
  Groups groups = groups_of_services<ServiceCatalog<SteadyClock>>();
  for_each_type(MeasuredSettings{}, [&]<class Setting>() {
    if constexpr (kHasTwin<Setting>) {
      groups.add_if(true, "twins", twin_of(Setting::Service::name));
      groups.add_if(true, "twins", twin_of(Setting::name()));
    }
  });
  return groups;
}

/// The same for a program in which the floor takes part, too.
inline Groups groups_with_twin_and_floor() {
  Groups groups = groups_with_twin();
  groups.add_if(true, "floors", kFloor);
  return groups;
}

}  // namespace timers::benches
