#pragma once

/// A service that has timers pending, due in one to two hours, so that nothing runs; and timers of
/// which each is scheduled and cancelled by a call.

#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <latch>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/settled_service.hpp"
#include "benches/workloads/random.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"

namespace timers::benches {

/// The calls that one producer makes.
struct Part {
  std::size_t first;
  std::size_t end;
};

/// A service with `ballast` pending timers, and a timer for each call, with these delays.
template <class Service>
class Loaded {
 public:
  Loaded(std::size_t ballast, std::vector<Duration> delays, std::vector<std::size_t> order)
      : delays_(std::move(delays)), order_(std::move(order)), handles_(delays_.size()) {
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());  // Memory that was freed stays.
    Random random(3);
    for (std::size_t i = 0; i < ballast; ++i) service_.schedule(in_one_to_two_hours(random), [] {});
  }

  void schedule(std::size_t i) {
    handles_[i] = service_.schedule(delays_[i], [] {});
  }
  void schedule(Part part) {
    for (std::size_t i = part.first; i < part.end; ++i) schedule(i);
  }
  void cancel(std::size_t i) {
    if (service_.cancel(handles_[i]) != CancelResult::cancelled) ++refused_;
  }
  void cancel_in_random_order(std::size_t i) { cancel(order_[i]); }

  /// Throws if a timer was not cancelled, or another number is pending, or comes back.
  void prove(std::size_t expected) {
    if (refused_ > 0) throw std::runtime_error(fmt::format("{} not cancelled", refused_.load()));
    stop_with_pending(service_, expected);
  }

 private:
  std::vector<Duration> delays_;
  std::vector<std::size_t> order_;
  std::atomic<std::size_t> refused_ = 0;
  SteadyClock clock_;
  Service service_{clock_};
  std::vector<typename Service::Handle> handles_;
};

/// A thread that schedules the timers of a part and then stays, with the memory that it has, for as
/// long as this lives.
class Neighbour {
 public:
  template <class Service>
  Neighbour(Loaded<Service>& loaded, Part part)
      : thread_([this, &loaded, part] {
          loaded.schedule(part);
          scheduled_.count_down();
          leaves_.wait();
        }) {
    scheduled_.wait();
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() { leaves_.count_down(); }

 private:
  std::latch scheduled_{1};
  std::latch leaves_{1};
  std::jthread thread_;
};

}  // namespace timers::benches
