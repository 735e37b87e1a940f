// A fixed rate counts from when the run before was over.
//
// Node sets an interval anew when its callback has returned, from the time that it reads then. What
// a run takes, and by how much it is late, is lost each time: 200 ms a minute, somebody measured.
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
