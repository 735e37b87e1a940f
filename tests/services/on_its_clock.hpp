#pragma once

/// Tests one of our services with the kit for services as they are: on the real clock.

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"
#include "tests/conformance/real_time/real_time_conformance.hpp"

namespace timers {

/// A service together with its clock. Ticks are short, so that tests are short.
template <class Service>
class OnItsClock {
 public:
  auto schedule(Duration delay, TimerTask task) {
    return service_.schedule(delay, std::move(task));
  }
  auto schedule_at_fixed_rate(Duration first, Duration period,
                              TimerTask task) requires HasFixedRate<Service> {
    return service_.schedule_at_fixed_rate(first, period, std::move(task));
  }
  CancelResult cancel(const auto& handle) { return service_.cancel(handle); }
  bool rearm(const typename Service::Handle& handle,
             Duration delay) requires RearmingService<Service> {
    return service_.rearm(handle, delay);
  }
  std::vector<TimerTask> stop() { return service_.stop(); }
  Duration max_lateness() const { return service_.max_lateness(); }

 private:
  static auto options() {
    typename Service::Options options;
    options.on_error = [](const std::exception_ptr&) {};
    if constexpr (requires { options.tick_duration; }) {
      options.tick_duration = std::chrono::milliseconds(1);
    }
    return options;
  }

  SteadyClock clock_;
  Service service_{clock_, options()};
};

/// Registers every test of that kit, in the suite `real_time/<name>`.
template <class Service>
void register_on_its_clock(std::string name) {
  constexpr ServicePromises kPromises = service_promises_of<Service>();
  real_time::register_service(std::move(name),
                              [] { return std::make_unique<OnItsClock<Service>>(); },
                              {.serial = kPromises.serial,
                               .order = OnItsClock<Service>().max_lateness(),
                               .fifo = kPromises.fifo,
                               .forgets_cancelled = kPromises.forgets_cancelled,
                               .missed_runs = kPromises.missed_runs});
}

}  // namespace timers
