#pragma once

/// `run_benchmarks` of a program that measures services.

#include <chrono>
#include <string_view>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/groups.hpp"
#include "impls/listed.hpp"
#include "impls/timer_service.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

/// Whether the user can choose the length of a tick.
template <class Service>
concept HasTicks = requires(typename Service::Options options) {
  options.tick_duration;
};

/// Whether ticks are so long that they make most of the lateness.
template <class Setting>
bool has_coarse_ticks() {
  if constexpr (HasTicks<typename Setting::Listed::Service>) {
    return Setting::options().tick_duration > std::chrono::milliseconds(10);
  } else {
    return false;
  }
}

/// The groups of the services and settings of a list. A service has the properties of its default
/// setting.
template <class List>
Groups groups_of_services() {
  Groups groups;
  for_each_type(SettingsOf<List>{}, [&]<class Setting>() {
    using Line = typename Setting::Listed;
    const auto add = [&](std::string_view name) {
      groups.add(Line::kFamily, name);
      groups.add_if(Setting::kIsDefault, "defaults", name);
      groups.add_if(Setting::kIsAsInOriginal, "as_in_originals", name);
      groups.add_if(!Setting::kHasTwoThreads && !Setting::kHasExecutor, "serial", name);
      groups.add_if(Setting::kHasTwoThreads, "two_threads", name);
      groups.add_if(Setting::kHasExecutor, "behind_executors", name);
      groups.add_if(HasTicks<typename Line::Service>, "with_ticks", name);
      groups.add_if(has_coarse_ticks<Setting>(), "coarse_ticks", name);
      groups.add_if(Line::kCallers == Callers::at_a_lock, "behind_locks", name);
      groups.add_if(Line::kCallers == Callers::at_an_inbox, "behind_inboxes", name);
      groups.add_if(Line::kCancel == Cancel::marks, "only_marked", name);
      groups.add_if(RearmingService<typename Line::Service>, "rearming", name);
    };
    if (Setting::kIsDefault) add(Line::Service::name);
    add(Setting::name());
  });
  return groups;
}

template <class List>
int run_service_benchmarks(int argc, char** argv) {
  return run_benchmarks(argc, argv, groups_of_services<List>());
}

}  // namespace timers::benches
