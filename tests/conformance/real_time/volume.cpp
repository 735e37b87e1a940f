#include <vector>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time::about_volume {
namespace {

// Memory that other threads freed is allocated again, and every part of the service is busy.
const Sentence eight("KeepsItsWordUnderEightThreads", [](Scenario& service) {
  const InjectedDelays delays;
  constexpr std::size_t kTimers = 2'000;
  const auto live = [&](std::uint64_t seed) {
    Random random(seed);
    for (Rounds rounds(10); rounds.go_on();) {
      std::vector<Timer*> timers;
      for (std::size_t i = 0; i < kTimers; ++i) {
        timers.push_back(&service.schedule(any_span(random, 20ms)));
        if (random.one_in(2)) service.cancel(*timers[random.below(timers.size())]);
        if (service.kind().can_rearm && random.one_in(4)) {
          service.rearm(*timers[random.below(timers.size())], any_span(random, 20ms));
        }
      }
    }
  };
  std::vector<std::function<void()>> producers;
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    producers.emplace_back([&live, seed] { live(seed); });
  together(producers);
  service.wait_for_all();
});

// Of two that come in at the same moment none is lost.
const Sentence burst("RunsVeryManyAtOnce", [](Scenario& service) {
  const auto schedule_half = [&] {
    for (int i = 0; i < 50'000; ++i) service.schedule(20ms);
  };
  together({schedule_half, schedule_half});
  service.wait_for_all();
});

}  // namespace
}  // namespace timers::real_time::about_volume
