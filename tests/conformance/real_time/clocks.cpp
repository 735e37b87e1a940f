/// How a service copes with clocks that are set anew, or that are coarse.

#include <vector>

#include "tests/conformance/real_time/clock_readings.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_clocks {
namespace {

// C-26: somebody sets the clock of the machine a day ahead, and then back. After each change a
// timer wakes the service, so that it looks at its clock. If the service trusts the wall clock,
// tasks start early, or wait for days.
const Sentence wall_clock("DoesNotHeedTheWallClock", [](Scenario& service) {
  ClockReadings clocks;
  Timer& far = service.schedule(1h);
  Random random(1);
  for (const Duration ahead : {0h, 24h, -24h, 0h}) {
    for (int i = 0; i < 20; ++i) service.schedule(10ms + any_span(random, 20ms));
    Scenario::pass(2ms);
    clocks.set_wall_clock(ahead);
    service.wait_for(service.schedule(1ms));
    service.wait_until("timers that were set before and after the wall clock was set",
                       [&] { return service.started() + 1 == service.scheduled(); });
  }
  service.expect(far.starts == 0 && service.cancel(far), "an hour passed when the clock was set");
});

// A-01, D-87: the end of a wait in the kernel is not the deadline. By the coarse clock it is too
// early.
const Sentence coarse("NeverStartsATaskEarlyThoughItsClockIsCoarse", [](Scenario& service) {
  ClockReadings clocks;
  clocks.make_coarse(4ms);
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    service.schedule(any_span(random, 60ms));
    dawdle(random);
  }
  service.wait_for_all();
});

}  // namespace
}  // namespace timers::real_time::about_clocks
