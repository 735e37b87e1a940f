#pragma once

/// A service that gets periods from Periodic. So the kits find the periods as if they were its own.

#include <string>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "impls/services/parts/periodic.hpp"
#include "impls/services/parts/repetition.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"

namespace timers {

template <TimerService Service, Clock ClockType, CatchUp kCatchUp>
class WithPeriods : public Service {
  using Periods = Periodic<Service, ClockType>;

 public:
  using Options = typename Service::Options;
  static inline const std::string name =
      std::string(Service::name) + (kCatchUp == CatchUp::burst ? "_in_bursts" : "_once_for_all");
  static constexpr MissedRuns missed_runs =
      kCatchUp == CatchUp::burst ? MissedRuns::made_up_for : MissedRuns::skipped;

  explicit WithPeriods(ClockType& clock, Options options = {})
      : Service(clock, std::move(options)), periods_(*this, clock) {}

  auto schedule_at_fixed_rate(Delay first, Delay period, TimerTask task) {
    return periods_.schedule(first, {period, CountsFrom::plan}, std::move(task), kCatchUp);
  }
  auto schedule_with_fixed_delay(Delay first, Delay delay, TimerTask task) {
    return periods_.schedule(first, {delay, CountsFrom::end}, std::move(task));
  }

  using Service::cancel;
  CancelResult cancel(typename Periods::Handle timer) { return periods_.cancel(std::move(timer)); }

 private:
  Periods periods_;
};

}  // namespace timers
