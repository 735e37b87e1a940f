#include <numeric>
#include <vector>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"

namespace timers::real_time {
namespace {

/// What stopped it must have given back, if it gives back anything.
void expect_all_accounted_for(Scenario& service, std::optional<std::size_t> given_back,
                              std::size_t accepted) {
  if (!given_back) return;
  const std::size_t ran = service.started();
  service.expect(ran + *given_back == accepted,
                 "of " + std::to_string(accepted) + " tasks " + std::to_string(ran) + " ran, and " +
                     std::to_string(*given_back) + " were given back by stop");
}

const Sentence nothing("RunsNothingOnceItIsStopped", [](Scenario& service) {
  service.needs_stop();
  for (int i = 0; i < 200; ++i) service.schedule(i * 200us);
  Scenario::pass(10ms);
  const auto given_back = service.stop();
  const std::size_t ran = service.started();
  expect_all_accounted_for(service, given_back, service.scheduled());
  Scenario::pass(60ms);
  service.expect(service.started() == ran, "a task started when stop had returned");
});

// C-19
const Sentence under_load("LosesNothingWhenItIsStoppedUnderLoad", [](Scenario& service) {
  service.needs_stop();
  const InjectedDelays delays;
  std::atomic<std::size_t> accepted = 0;
  std::atomic<bool> is_stopped = false;
  std::optional<std::size_t> given_back;
  const auto schedule_some = [&](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 100'000 && !is_stopped; ++i) {
      if (service.try_to_schedule(any_span(random, 20ms)) != nullptr) ++accepted;
    }
  };
  together({[&] { schedule_some(1); }, [&] { schedule_some(2); },
            [&] {
              Scenario::pass(10ms);
              given_back = service.stop();
              is_stopped = true;
            }});
  expect_all_accounted_for(service, given_back, accepted);
});

const Sentence twice("IsStoppedByTwoThreads", [](Scenario& service) {
  service.needs_stop();
  const InjectedDelays delays;
  for (int i = 0; i < 1'000; ++i) service.schedule(i * 10us);
  std::vector<std::optional<std::size_t>> given_back(2);
  together({[&] { given_back[0] = service.stop(); }, [&] { given_back[1] = service.stop(); }});
  if (service.kind().gives_tasks_back) {
    expect_all_accounted_for(service, *given_back[0] + *given_back[1], 1'000);
  }
});

const Sentence very_many("GivesBackVeryMany", [](Scenario& service) {
  service.needs_stop();
  constexpr std::size_t kTimers = 230'000;
  for (std::size_t i = 0; i < kTimers; ++i) service.schedule(1h);
  expect_all_accounted_for(service, service.stop(), kTimers);
});

const Sentence destroyed("IsDestroyedWhileTimersArePending", [](Scenario& service) {
  for (int i = 0; i < 1'000; ++i) service.schedule(i * 10us);
  service.destroy_service();
  const std::size_t ran = service.started();
  Scenario::pass(20ms);
  service.expect(service.started() == ran, "a task started when its service was gone");
});

const Sentence unused("IsDestroyedUnused", [](Scenario& service) { service.destroy_service(); });

}  // namespace
}  // namespace timers::real_time
