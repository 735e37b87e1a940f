#pragma once

/// A timer service as its users see it, behind one interface.

#include <any>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "impls/timer_service.hpp"

namespace timers::real_time {

using Task = std::function<void()>;

class AnyService {
 public:
  using Handle = std::any;

  virtual ~AnyService() = default;
  virtual Handle schedule(Duration delay, Task task) = 0;
  /// Returns true if the task will not run.
  virtual bool cancel(const Handle& handle) = 0;
  /// Returns true if the timer now waits for its new deadline. Only for a kind that can re-arm.
  virtual bool rearm(const Handle& handle, Duration delay) = 0;
  /// Only for a kind that can repeat at a fixed rate.
  virtual Handle repeat(Duration first, Duration period, Task task) = 0;
  virtual bool cancel_repeating(const Handle& handle) = 0;
  /// Returns how many tasks the service gave back, or nothing if it gives none back. Only for a
  /// kind that can stop.
  virtual std::optional<std::size_t> stop() = 0;
};

template <class Service>
using HandleOf = decltype(std::declval<Service&>().schedule(Duration{}, Task{}));

/// What every service offers: `schedule`, which returns a copyable handle, and `cancel`. `cancel`
/// returns a bool or a CancelResult, which says whether the task will not run.
template <class Service>
concept Schedules = requires(Service service, const HandleOf<Service>& handle) {
  requires std::copyable<HandleOf<Service>>;
  service.cancel(handle);
}
&&(std::convertible_to<
       decltype(std::declval<Service&>().cancel(std::declval<const HandleOf<Service>&>())), bool> ||
   std::same_as<decltype(std::declval<Service&>().cancel(std::declval<const HandleOf<Service>&>())),
                CancelResult>);

/// The abilities of a service, which the kit detects.
template <class Service>
concept Rearms = requires(Service service, const HandleOf<Service>& handle) {
  { service.rearm(handle, Duration{}) } -> std::convertible_to<bool>;
};
template <class Service>
concept Repeats = requires(Service service) {
  service.cancel(service.schedule_at_fixed_rate(Duration{}, Duration{}, Task{}));
};
template <class Service>
concept Stops = requires(Service service) {
  service.stop();
};
template <class Service>
concept GivesTasksBack = requires(Service service) {
  { service.stop().size() } -> std::convertible_to<std::size_t>;
};

/// What a service promises. If a service promises less, its user says so in the registration.
struct Promises {
  /// Tasks run one after the other.
  bool serial = true;
  /// Of two timers whose deadlines differ by more than this, the earlier one starts first.
  /// std::nullopt means no order. A test can see the order only if the service is serial.
  std::optional<Duration> order = Duration::zero();
  /// Timers that one thread schedules with the same delay start in the order of scheduling. Only if
  /// the service is serial.
  bool fifo = true;
  /// A task that throws does no harm to other tasks.
  bool bears_exceptions = true;
  /// The task of a cancelled timer is destroyed soon, and not at its deadline.
  bool forgets_cancelled = true;
  /// What the service does about missed runs of a fixed rate. No choice is stronger than another.
  MissedRuns missed_runs = MissedRuns::made_up_for;
};

/// What the tests know of a service.
struct ServiceKind {
  std::string name;
  Promises promises;
  bool can_rearm;
  bool can_repeat;
  bool can_stop;
  bool gives_tasks_back;
  std::function<std::unique_ptr<AnyService>()> make;
};

/// Puts a service behind the interface.
template <Schedules Service>
class ErasedService final : public AnyService {
 public:
  explicit ErasedService(std::unique_ptr<Service> service) : service_(std::move(service)) {}

  Handle schedule(Duration delay, Task task) override {
    return Handle(service_->schedule(delay, std::move(task)));
  }

  bool cancel(const Handle& handle) override { return will_not_run(service_->cancel(own(handle))); }

  bool rearm([[maybe_unused]] const Handle& handle, [[maybe_unused]] Duration delay) override {
    if constexpr (Rearms<Service>) {
      return static_cast<bool>(service_->rearm(own(handle), delay));
    } else {
      throw std::logic_error("a service that cannot re-arm was asked to");
    }
  }

  Handle repeat([[maybe_unused]] Duration first, [[maybe_unused]] Duration period,
                [[maybe_unused]] Task task) override {
    if constexpr (Repeats<Service>) {
      return Handle(service_->schedule_at_fixed_rate(first, period, std::move(task)));
    } else {
      throw std::logic_error("a service that cannot repeat was asked to");
    }
  }

  bool cancel_repeating([[maybe_unused]] const Handle& handle) override {
    if constexpr (Repeats<Service>) {
      using Period = decltype(service_->schedule_at_fixed_rate(Duration{}, Duration{}, Task{}));
      return will_not_run(service_->cancel(*std::any_cast<Period>(&handle)));
    } else {
      throw std::logic_error("a service that cannot repeat was asked to");
    }
  }

  std::optional<std::size_t> stop() override {
    if constexpr (GivesTasksBack<Service>) {
      return service_->stop().size();
    } else if constexpr (Stops<Service>) {
      service_->stop();
    }
    return std::nullopt;
  }

 private:
  template <class Result>
  static bool will_not_run(Result result) {
    if constexpr (std::same_as<Result, CancelResult>) {
      return result == CancelResult::cancelled;
    } else {
      return static_cast<bool>(result);
    }
  }

  static const HandleOf<Service>& own(const Handle& handle) {
    return *std::any_cast<HandleOf<Service>>(&handle);
  }

  std::unique_ptr<Service> service_;
};

/// `make` is called for each test, and returns a std::unique_ptr to a fresh service.
template <class Make>
ServiceKind kind_of(const std::string& name, Make make, const Promises& promises) {
  using Service = typename std::invoke_result_t<Make>::element_type;
  return {.name = name,
          .promises = promises,
          .can_rearm = Rearms<Service>,
          .can_repeat = Repeats<Service>,
          .can_stop = Stops<Service>,
          .gives_tasks_back = GivesTasksBack<Service>,
          .make = [make]() -> std::unique_ptr<AnyService> {
            return std::make_unique<ErasedService<Service>>(make());
          }};
}

}  // namespace timers::real_time
