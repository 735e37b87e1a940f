#pragma once

/// How to put a service with a published bug into the museum.
///
///     // No timer is ever pending.
///     struct CountsNothing : RightService {
///       using RightService::RightService;
///       std::size_t pending() const { return 0; }
///     };
///     const ServiceExhibit<CountsNothing> counts_nothing;

#include <string_view>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "impls/queues/ordered_map.hpp"
#include "impls/services/queue_timer.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"
#include "tests/conformance/services/service_conformance.hpp"
#include "tests/museum/exhibits.hpp"
#include "tests/services/plain_timer.hpp"
#include "tests/services/with_periods.hpp"

namespace timers::museum {

/// The service that models change, and also their control: the same without the bug.
using RightService = PlainTimer<ManualClock>;

/// The same, with one of the mistakes that PlainTimer knows.
template <Mistake kMistake>
struct ServiceWith : RightService {
  explicit ServiceWith(ManualClock& clock, Options options = {})
      : RightService(clock, with_mistake(std::move(options))) {}

 private:
  static Options with_mistake(Options options) {
    options.mistake = kMistake;
    return options;
  }
};

/// A service that can re-arm. It is also the control of models with wrong re-arms.
using RearmingRightService = QueueTimer<OrderedMap<TimerTask>, ManualClock>;

/// A service that can repeat. It is also the control of models with wrong repetitions.
using RepeatingRightService = WithPeriods<RightService, ManualClock, CatchUp::burst>;

/// Puts a service into the museum, under the name of its file.
template <TimerService Service>
class ServiceExhibit {
 public:
  explicit ServiceExhibit(std::string_view file = __builtin_FILE()) {
    exhibits().emplace_back(
        [name = stem_of(file)] { service_conformance::register_service<Service>(name); });
  }
};

}  // namespace timers::museum
