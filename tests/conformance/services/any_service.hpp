#pragma once

/// A timer service of any type behind one interface, so that the tests are compiled once.

#include <any>
#include <chrono>
#include <cstddef>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/allocations.hpp"

namespace timers::service_conformance {

/// How a timer repeats.
enum class Repeats { at_a_rate, with_a_delay };

/// The contract of a timer service with its type erased.
class AnyService {
 public:
  using Handle = std::any;

  virtual ~AnyService() = default;
  virtual Handle schedule(Duration delay, TimerTask task) = 0;
  /// The same, with a delay in another unit.
  virtual Handle schedule_in_years(int years, TimerTask task) = 0;
  virtual CancelResult cancel(const Handle& handle) = 0;
  /// Only for a kind that can re-arm.
  virtual bool rearm(const Handle& handle, Duration delay) = 0;
  /// Only for a kind that can repeat in this way.
  virtual Handle repeat(Repeats how, Duration first, Duration period, TimerTask task) = 0;
  virtual CancelResult cancel_repeating(Repeats how, const Handle& handle) = 0;
  virtual std::size_t pending() const = 0;
  virtual std::vector<TimerTask> stop() = 0;
  virtual Duration max_lateness() const = 0;

  /// The handle that names no timer.
  virtual Handle null_handle() const = 0;
  virtual bool same(const Handle& one, const Handle& other) const = 0;
};

/// Settings that a test needs. A service without an option for one ignores it.
struct Settings {
  ErrorHandler on_error = {};
  std::size_t max_pending = 0;  ///< 0 means no limit.
};

/// What the tests know of a type of service.
template <class ClockType>
struct BasicServiceKind {
  using Clock = ClockType;

  std::unique_ptr<AnyService> make(ClockType& clock, const Settings& settings = {}) const {
    return factory(clock, settings);
  }
  friend std::ostream& operator<<(std::ostream& out, const BasicServiceKind& kind) {
    return out << kind.name;
  }

  std::string name;
  ServicePromises promises;
  bool can_rearm;
  bool can_repeat_at_a_rate;
  bool can_repeat_with_a_delay;
  bool tells_errors;
  bool has_limit;
  std::unique_ptr<AnyService> (*factory)(ClockType& clock, const Settings& settings);
};

/// The kit runs on a clock that it moves itself.
using ServiceKind = BasicServiceKind<ManualClock>;

/// Puts `Service` behind the interface.
template <TimerService Service>
class ErasedService final : public AnyService {
 public:
  template <class... Arguments>
  explicit ErasedService(Arguments&&... arguments)
      : service_(std::forward<Arguments>(arguments)...) {}

  Handle schedule(Duration delay, TimerTask task) override {
    typename Service::Handle handle = service_.schedule(delay, std::move(task));
    const conformance::Rationing unlimited(nullptr);  // Allocations of this wrapper do not count.
    return Handle(std::move(handle));
  }
  Handle schedule_in_years(int years, TimerTask task) override {
    return service_.schedule(std::chrono::years(years), std::move(task));
  }
  CancelResult cancel(const Handle& handle) override { return service_.cancel(own(handle)); }
  bool rearm([[maybe_unused]] const Handle& handle, [[maybe_unused]] Duration delay) override {
    if constexpr (RearmingService<Service>) {
      return service_.rearm(own(handle), delay);
    } else {
      throw std::logic_error("a service that cannot re-arm was asked to");
    }
  }
  Handle repeat(Repeats how, Duration first, Duration period, TimerTask task) override {
    if constexpr (HasFixedRate<Service>) {
      if (how == Repeats::at_a_rate)
        return service_.schedule_at_fixed_rate(first, period, std::move(task));
    }
    if constexpr (HasFixedDelay<Service>) {
      if (how == Repeats::with_a_delay)
        return service_.schedule_with_fixed_delay(first, period, std::move(task));
    }
    throw cannot_repeat();
  }
  CancelResult cancel_repeating(Repeats how, const Handle& handle) override {
    if constexpr (HasFixedRate<Service>) {
      using Period = decltype(service_.schedule_at_fixed_rate(Duration{}, Duration{}, TimerTask()));
      if (how == Repeats::at_a_rate) return service_.cancel(*std::any_cast<Period>(&handle));
    }
    if constexpr (HasFixedDelay<Service>) {
      using Period =
          decltype(service_.schedule_with_fixed_delay(Duration{}, Duration{}, TimerTask()));
      if (how == Repeats::with_a_delay) return service_.cancel(*std::any_cast<Period>(&handle));
    }
    throw cannot_repeat();
  }
  std::size_t pending() const override { return service_.pending(); }
  std::vector<TimerTask> stop() override { return service_.stop(); }
  Duration max_lateness() const override { return service_.max_lateness(); }
  Handle null_handle() const override { return typename Service::Handle{}; }
  bool same(const Handle& one, const Handle& other) const override {
    return own(one) == own(other);
  }

 private:
  static std::logic_error cannot_repeat() {
    return std::logic_error("a service that cannot repeat so was asked to");
  }

  static const typename Service::Handle& own(const Handle& handle) {
    return *std::any_cast<typename Service::Handle>(&handle);
  }

  Service service_;
};

/// Abilities that the kit detects: an option for the error handler, and an option for the number of
/// timers that may be pending.
template <class Service>
concept TellsErrors = requires(typename Service::Options options, ErrorHandler handler) {
  options.on_error = handler;
};
template <class Service>
concept HasMaxPending = requires(typename Service::Options options) {
  options.max_pending;
};
template <class Service>
concept HasMaxPendingTimeouts = requires(typename Service::Options options) {
  options.max_pending_timeouts;
};

template <class Service, class ClockType>
std::unique_ptr<AnyService> make_service(ClockType& clock, const Settings& settings) {
  if constexpr (requires { typename Service::Options; }) {
    typename Service::Options options;
    if constexpr (TellsErrors<Service>) {
      if (settings.on_error) options.on_error = settings.on_error;
    }
    const auto limit = [&](auto& option) {
      using Option = std::remove_reference_t<decltype(option)>;
      if (settings.max_pending > 0) option = static_cast<Option>(settings.max_pending);
    };
    if constexpr (HasMaxPending<Service>) {
      limit(options.max_pending);
    } else if constexpr (HasMaxPendingTimeouts<Service>) {
      limit(options.max_pending_timeouts);
    }
    return std::make_unique<ErasedService<Service>>(clock, std::move(options));
  } else {
    return std::make_unique<ErasedService<Service>>(clock);
  }
}

template <TimerService Service, class ClockType = ManualClock>
BasicServiceKind<ClockType> kind_of() {
  return {.name = std::string(std::string_view(Service::name)),
          .promises = service_promises_of<Service>(),
          .can_rearm = RearmingService<Service>,
          .can_repeat_at_a_rate = HasFixedRate<Service>,
          .can_repeat_with_a_delay = HasFixedDelay<Service>,
          .tells_errors = TellsErrors<Service>,
          .has_limit = HasMaxPending<Service> || HasMaxPendingTimeouts<Service>,
          .factory = &make_service<Service, ClockType>};
}

}  // namespace timers::service_conformance
