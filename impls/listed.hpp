#pragma once

/// A line of the catalog: an implementation, and what readers of a chart want to know about it.
///
/// Implementations do not include this file. Promises (timer_queue.hpp, timer_service.hpp) say what
/// a caller may rely on. This file groups implementations, for charts and for sentences.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "impls/type_list.hpp"

namespace timers {

/// The structure that keeps the timers. A family has one colour in all charts, the same for queues
/// and for services. Its position here decides the colour: so a new family comes last, here and in
/// kFamilyNames.
enum class Family {
  trees,
  heaps,         ///< In an array.
  linked_heaps,  ///< Nodes that are linked or allocated one by one.
  hashed_wheels,
  hierarchical_wheels,
  lazy_wheels,
  lists,     ///< One list sorted by deadline, or several that are each sorted.
  calendars  ///< Of discrete-event simulation: as many days as timers.
};

/// The names of the families, in the same order.
inline constexpr auto kFamilyNames =
    std::to_array<std::string_view>({"trees", "heaps", "linked_heaps", "hashed_wheels",
                                     "hierarchical_wheels", "lazy_wheels", "lists", "calendars"});

constexpr std::string_view name_of(Family family) {
  return kFamilyNames[static_cast<std::size_t>(family)];
}

/// What a call of `expire` does besides running timers that are due.
enum class Expire {
  does_nothing_else,
  turns_a_loop  ///< It turns the event loop of a library, which makes a system call.
};

/// A line of a list of queues.
template <class QueueType, Family kItsFamily, Expire kItsExpire = Expire::does_nothing_else>
struct ListedQueue {
  using Queue = QueueType;
  static constexpr Family kFamily = kItsFamily;
  static constexpr Expire kExpire = kItsExpire;
};

template <class List>
struct QueuesOfList;

template <class... Lines>
struct QueuesOfList<TypeList<Lines...>> {
  using Type = TypeList<typename Lines::Queue...>;
};

/// The queues in a list of such lines.
template <class List>
using QueuesOf = typename QueuesOfList<List>::Type;

/// Where callers meet the thread that keeps the timers.
enum class Callers {
  at_a_lock,   ///< Whoever schedules takes the lock of the structure.
  at_an_inbox  ///< Whoever schedules leaves the timer in an inbox without a lock.
};

/// What `cancel` does to the structure.
enum class Cancel {
  marks,   ///< Nothing: the timer is marked, and leaves the structure later.
  removes  ///< The timer leaves at once.
};

/// A service in one of the settings in which it is measured: see measured_settings.hpp.
///
///     SteadyClock clock;
///     typename Setting::Service service(clock, Setting::options());
template <class Line, class Options>
struct Setting : Options {
  using Listed = Line;
  using Service = typename Options::template ServiceOf<typename Line::Service>;

  static std::string name() { return std::string(Line::Service::name) + Options::suffix(); }
  static auto options() { return Options::template of<typename Line::Service>(); }
};

/// A line of the list of services: a service, and the settings in which it is measured. One of the
/// settings is the default.
template <class ServiceType, Family kItsFamily, Callers kItsCallers, Cancel kItsCancel,
          class... SettingsType>
struct ListedService {
  using Service = ServiceType;
  using Settings = TypeList<Setting<ListedService, SettingsType>...>;
  static constexpr Family kFamily = kItsFamily;
  static constexpr Callers kCallers = kItsCallers;
  static constexpr Cancel kCancel = kItsCancel;
  static_assert((0 + ... + (SettingsType::kIsDefault ? 1 : 0)) == 1,
                "a service is listed with its default setting, once");
};

template <class List>
struct ServicesOfList;

template <class... Lines>
struct ServicesOfList<TypeList<Lines...>> {
  using Services = TypeList<typename Lines::Service...>;
  using Settings = Joined<typename Lines::Settings...>;
};

/// The services in a list of such lines, and all their settings.
template <class List>
using ServicesOf = typename ServicesOfList<List>::Services;
template <class List>
using SettingsOf = typename ServicesOfList<List>::Settings;

}  // namespace timers
