// A fixed rate counts from the end of the previous run.
//
// Node sets an interval again when its callback has returned, and counts from the clock at that
// moment. Each time the duration and the lateness of the run are lost: somebody measured 200 ms a
// minute.
//
// Seen in: https://github.com/nodejs/node/issues/21822
// Seen in: https://github.com/nodejs/node/pull/20994
// Caught by: DoesNotDriftFromAFixedRate
// Caught by: KeepsItsRateAfterARunThatWasLate

#include <utility>

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

class RateCountsFromTheEnd : public RepeatingRightService {
 public:
  using RepeatingRightService::RepeatingRightService;

  auto schedule_at_fixed_rate(Delay first, Delay period, TimerTask task) {
    return schedule_with_fixed_delay(first, period, std::move(task));
  }
};

const ServiceExhibit<RateCountsFromTheEnd> rate_counts_from_the_end;

}  // namespace
}  // namespace timers::museum
