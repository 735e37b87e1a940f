#include <algorithm>
#include <vector>

#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_time {
namespace {

//
const Sentence early("NeverStartsATaskEarly", [](Scenario& service) {
  const auto schedule_some = [&](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 500; ++i) {
      service.schedule(any_span(random, 50ms));
      dawdle(random, kMoment);
    }
  };
  together({[&] { schedule_some(1); }, [&] { schedule_some(2); }});
  service.wait_for_all();
});

const Sentence at_once("RunsATaskWithoutADelay", [](Scenario& service) {
  for (Rounds rounds(100); rounds.go_on();) service.wait_for(service.schedule(Duration::zero()));
});

// The service may refuse such a delay.
const Sentence negative("TakesANegativeDelayForNone", [](Scenario& service) {
  if (const Timer* timer = service.try_to_schedule(-1h)) service.wait_for(*timer);
});

// A delay counts from the call, and not from the service's last look at its clock.
const Sentence from_now("CountsADelayFromTheCall", [](Scenario& service) {
  std::atomic<bool> is_busy = false;
  const Timer& slow = service.schedule(1ms, [&] {
    is_busy = true;
    service.schedule(1ms);
    Scenario::pass(60ms);
    service.schedule(20ms);
  });
  service.wait_until("a task to start", [&] { return is_busy.load(); });
  Scenario::pass(30ms);
  service.schedule(20ms);
  service.wait_for(slow);
  service.wait_for_all();
});

// The service may refuse the longest delays.
const Sentence far("RunsNothingFarTooEarly", [](Scenario& service) {
  std::vector<Duration> delays{std::chrono::hours(24), Duration::max(), Duration::max() - 1ns};
  for (const unsigned bits : {31U, 32U}) {
    // Delays that overflow a count of microseconds or milliseconds with so many bits.
    delays.emplace_back((std::int64_t{1} << bits) * 1us);
    delays.emplace_back((std::int64_t{1} << bits) * 1ms);
    delays.emplace_back(((std::int64_t{1} << bits) + 1) * 1ms);
  }
  std::vector<Timer*> pending;
  for (const Duration delay : delays) pending.push_back(service.try_to_schedule(delay));
  service.wait_for(service.schedule(20ms));
  service.wait_for(service.schedule(20ms));
  for (Timer* timer : pending) {
    if (timer != nullptr) service.expect(service.cancel(*timer), "a far timer cannot be cancelled");
  }
});

// The order is checked only where the times of two deadlines determine it.
const Sentence order("StartsTasksInTheOrderOfTheirDeadlines", [](Scenario& service) {
  service.needs_serial();
  const auto known_beyond = service.kind().promises.order;
  if (!known_beyond) throw Skip{"it promises no order"};
  std::vector<Timer*> timers;
  Random random(3);
  for (int i = 0; i < 300; ++i) timers.push_back(&service.schedule(20ms + any_span(random, 100ms)));
  service.wait_for_all();
  std::sort(timers.begin(), timers.end(),
            [](const Timer* one, const Timer* other) { return one->place < other->place; });
  Instant latest = Instant::min();  // the latest deadline of those tasks that have started
  for (const Timer* timer : timers) {
    service.expect(latest <= timer->not_after || latest - timer->not_after <= *known_beyond,
                   "a task started before another one whose deadline was earlier");
    latest = std::max(latest, timer->not_before.load());
  }
});

const Sentence fifo("StartsTasksOfOneDelayInTheOrderInWhichTheyWereScheduled",
                    [](Scenario& service) {
                      service.needs_serial();
                      if (!service.kind().promises.fifo)
                        throw Skip{"equal deadlines run in any order"};
                      std::vector<const Timer*> timers;
                      for (int i = 0; i < 5'000; ++i) timers.push_back(&service.schedule(30ms));
                      service.wait_for_all();
                      const auto in_order = [](const Timer* one, const Timer* other) {
                        return one->place < other->place;
                      };
                      service.expect(std::is_sorted(timers.begin(), timers.end(), in_order),
                                     "tasks of one delay started in another order");
                    });

}  // namespace
}  // namespace timers::real_time::about_time
