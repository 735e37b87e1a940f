// The longest period, which means once, is converted to another unit, and overflows.
//
// In Spring a fixed delay of the greatest number of milliseconds threw when the program started.
//
// Seen in: https://github.com/spring-projects/spring-framework/issues/30754
// Caught by: RunsOnceIfItsPeriodHasNoEnd

#include <stdexcept>
#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class LongestPeriodThrows : public RepeatingRightService {
 public:
  using RepeatingRightService::RepeatingRightService;

  auto schedule_with_fixed_delay(Delay first, Delay delay, TimerTask task) {
    if (Duration(delay) == Duration::max()) throw std::overflow_error("long overflow");
    return RepeatingRightService::schedule_with_fixed_delay(first, delay, std::move(task));
  }
};

const ServiceExhibit<LongestPeriodThrows> longest_period_throws;

}  // namespace
}  // namespace timers::museum
