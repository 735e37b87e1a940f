#pragma once

/// A service with pending timers that are due in one to two hours, so that nothing runs; and
/// further timers, each of which a call schedules or cancels.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/settled_service.hpp"
#include "benches/workloads/random.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"

namespace timers::benches {

/// A service with `ballast` pending timers, and a timer for each call, with these delays.
template <class Service>
class Loaded {
 public:
  Loaded(std::size_t ballast, std::vector<Duration> delays, std::vector<std::size_t> order)
      : delays_(std::move(delays)), order_(std::move(order)), handles_(delays_.size()) {
    Random random(3);
    ballast_.reserve(ballast);
    for (std::size_t i = 0; i < ballast; ++i) {
      ballast_.push_back(service_.schedule(in_one_to_two_hours(random), [] {}));
    }
  }

  void schedule(std::size_t i) {
    handles_[i] = service_.schedule(delays_[i], [] {});
  }
  /// The handle is dropped, too, so that only the service keeps the memory of the timer.
  void cancel(std::size_t i) {
    const auto handle = std::exchange(handles_[i], {});
    if (service_.cancel(handle) != CancelResult::cancelled) ++refused_;
  }
  void cancel_in_random_order(std::size_t i) { cancel(order_[i]); }
  /// Puts off one of the timers that were pending before all calls.
  void put_off(std::size_t i) {
    using namespace std::chrono_literals;
    if (!service_.rearm(ballast_[order_[i]], 3h)) ++refused_;
  }

  /// Throws if a timer was not cancelled or put off, or if the number of pending or returned timers
  /// is not `expected`.
  void prove(std::size_t expected) {
    if (refused_ > 0)
      throw std::runtime_error(fmt::format("{} calls found no timer pending", refused_.load()));
    stop_with_pending(service_, expected);
  }

 private:
  std::vector<Duration> delays_;
  std::vector<std::size_t> order_;
  std::atomic<std::size_t> refused_ = 0;
  SteadyClock clock_;
  Service service_{clock_};
  std::vector<typename Service::Handle> ballast_;
  std::vector<typename Service::Handle> handles_;
};

}  // namespace timers::benches
