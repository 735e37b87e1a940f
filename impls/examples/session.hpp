#pragma once

/// What a program of yours may have: a session that ends when nobody has used it for half an hour.

#include <atomic>
#include <chrono>
#include <memory>

#include "impls/timer_service.hpp"

namespace example {

/// The service is a parameter: a program takes one on SteadyClock, a test takes it on ManualClock.
template <timers::RearmingService Service>
class Session {
 public:
  static constexpr std::chrono::minutes kIdleLimit{30};

  explicit Session(Service& timer)
      : timer_(timer),
        end_(timer.schedule(kIdleLimit, [is_open = is_open_] { *is_open = false; })) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// The task may be running now. So the session shares with it what the task writes to.
  ~Session() { timer_.cancel(end_); }

  bool is_open() const { return *is_open_; }

  /// Whether the session was still open. If so, its half hour begins anew.
  bool use() { return timer_.rearm(end_, kIdleLimit); }

 private:
  Service& timer_;
  std::shared_ptr<std::atomic<bool>> is_open_ = std::make_shared<std::atomic<bool>>(true);
  typename Service::Handle end_;
};

}  // namespace example
