#pragma once

/// The settings in which services are measured: the options that people use.
///
/// A setting is named after its service and a suffix, as in `hashed_wheel_timer_10ms`. Benches
/// choose settings by the properties in `AnySetting`, never by name.

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// The defaults of the properties of a setting.
struct AnySetting {
  /// The service has its default options.
  static constexpr bool kIsDefault = false;
  /// It does what its original does, even where that breaks the contract.
  static constexpr bool kIsAsInOriginal = false;
  /// Two threads of the service run tasks.
  static constexpr bool kHasTwoThreads = false;
  /// The service hands its tasks over to an executor.
  static constexpr bool kHasExecutor = false;
  /// It is measured with ticks of other lengths, too, if it has any.
  static constexpr bool kVariesTicks = false;
  /// How much too early a timer may run.
  static constexpr Duration kMayBeEarly = Duration::zero();

  static std::string suffix() { return ""; }

  /// The options.
  template <class Service>
  static typename Service::Options of() {
    return {};
  }

  /// What runs with them.
  template <class Service>
  using ServiceOf = Service;
};

struct Default : AnySetting {
  static constexpr bool kIsDefault = true;
  static constexpr bool kVariesTicks = true;
};

/// The default of a service with the same ticks as a service above it in the list.
struct DefaultWithTicksAsAbove : Default {
  static constexpr bool kVariesTicks = false;
};

/// The default of a service whose ticks are `kMilliseconds` long by default.
template <unsigned kMilliseconds>
struct DefaultTick : Default {
  static std::string suffix() { return "_" + std::to_string(kMilliseconds) + "ms"; }
};

template <unsigned kMilliseconds>
struct TickOf : AnySetting {
  static std::string suffix() { return DefaultTick<kMilliseconds>::suffix(); }

  template <class Service>
  static typename Service::Options of() {
    typename Service::Options options;
    options.tick_duration = std::chrono::milliseconds(kMilliseconds);
    return options;
  }
};

struct TwoThreads : AnySetting {
  static constexpr bool kHasTwoThreads = true;
  static std::string suffix() { return "_2_threads"; }

  template <class Service>
  static typename Service::Options of() {
    typename Service::Options options;
    options.threads = 2;
    return options;
  }
};

struct AsInNetty : AnySetting {
  static constexpr bool kIsAsInOriginal = true;
  static std::string suffix() { return "_as_in_netty"; }

  template <class Service>
  static typename Service::Options of() {
    return Service::as_in_netty();
  }
};

struct AsInKafka : AnySetting {
  static constexpr bool kIsAsInOriginal = true;
  static constexpr Duration kMayBeEarly = std::chrono::milliseconds(1);  // rounds down to a tick
  static std::string suffix() { return "_as_in_kafka"; }

  template <class Service>
  static typename Service::Options of() {
    return Service::as_in_kafka();
  }
};

/// A service that hands its tasks over to two threads.
template <class Inner, Clock ClockType>
class OnTwoThreads {
 public:
  using Options = typename Inner::Options;

  OnTwoThreads(ClockType& clock, Options options)
      : executor_(clock, 2), service_(clock, with_executor(std::move(options))) {}

  void schedule(Delay delay, TimerTask task) { service_.schedule(delay, std::move(task)); }

  std::size_t pending() const { return service_.pending() + executor_.waiting(); }

  /// Tasks that were handed over still run.
  std::vector<TimerTask> stop() {
    std::vector<TimerTask> never_ran = service_.stop();
    while (executor_.waiting() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    executor_.stop();
    return never_ran;
  }

 private:
  Options with_executor(Options options) {
    options.executor = &executor_;
    return options;
  }

  PoolExecutor<ClockType> executor_;
  Inner service_;
};

/// A setting, and an executor of two threads.
template <Clock ClockType, class Inner = AnySetting>
struct WithExecutor : Inner {
  static constexpr bool kHasExecutor = true;
  static std::string suffix() { return Inner::suffix() + "_executor"; }

  template <class Service>
  using ServiceOf = OnTwoThreads<Service, ClockType>;
};

}  // namespace timers
