#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/conformance/real_time/injected_delays.hpp"
#include "tests/conformance/real_time/sentence.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::real_time::about_volume {
namespace {

// Threads allocate memory that other threads freed, and every part of the service is busy.
const Sentence eight("KeepsItsWordUnderEightThreads", [](Scenario& service) {
  const InjectedDelays delays;
  constexpr std::size_t kTimers = conformance::share_of(std::size_t{2'000});
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

/// Memory that a thread allocates and frees besides its timers, in any order and of any size.
class Clutter {
 public:
  void stir(Random& random) {
    pieces_[random.below(pieces_.size())].assign(16 + random.below(500), ' ');
  }

 private:
  std::vector<std::string> pieces_ = std::vector<std::string>(500);
};

// A million timers, or as many as Rounds allows. Each timer gets memory that an earlier timer had
// and that another thread has freed. A ledger of so many timers would be too large. So they are
// counted, and each has a random number: the sum of the numbers tells a timer that was lost from
// one that ran twice.
const Sentence million("KeepsItsWordForAMillionTimersInAgedMemory", [](Scenario& service) {
  constexpr std::size_t kThreads = 8;
  constexpr int kTimers = conformance::share_of(125'000);
  struct alignas(64) Tally {
    std::atomic<std::int64_t> timers = 0;
    std::atomic<std::uint64_t> numbers = 0;
    void add(std::uint64_t number) {
      numbers += number;
      ++timers;
    }
  };
  struct Mine {
    AnyService::Handle handle;
    std::uint64_t number = 0;
  };
  std::vector<Tally> ran(kThreads);
  Tally scheduled;
  Tally cancelled;
  const auto live = [&](std::size_t thread) {
    Random random(thread);
    Clutter clutter;
    std::vector<Mine> mine(1'000);
    Tally& here = ran[thread];
    Rounds rounds(kTimers);
    for (int round = 0; rounds.go_on(); ++round) {
      auto& [handle, number] = mine[random.below(mine.size())];
      if (handle.has_value() && service.service().cancel(handle)) cancelled.add(number);
      number = random.bits();
      scheduled.add(number);
      const auto run = [&service, &here, number = number] {
        here.add(number);
        service.progress();
      };
      handle = service.service().schedule(any_span(random, 5ms), run);
      clutter.stir(random);
      if (round % 256 == 0) service.progress();
    }
  };
  std::vector<std::function<void()>> producers;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    producers.emplace_back([&live, thread] { live(thread); });
  together(producers);
  const auto timers_ended = [&] {
    std::int64_t sum = cancelled.timers;
    for (const Tally& tally : ran) sum += tally.timers;
    return sum;
  };
  service.wait_until("all tasks to run that were not cancelled",
                     [&] { return timers_ended() >= scheduled.timers; });
  service.destroy_service();
  std::uint64_t numbers_ended = cancelled.numbers;
  for (const Tally& tally : ran) numbers_ended += tally.numbers;
  service.expect(timers_ended() == scheduled.timers && numbers_ended == scheduled.numbers,
                 "a task ran twice, or though it was cancelled, or not at all");
});

// If two timers come in at the same moment, neither is lost.
const Sentence burst("RunsVeryManyAtOnce", [](Scenario& service) {
  const auto schedule_half = [&] {
    for (int i = 0; i < conformance::share_of(50'000); ++i) service.schedule(20ms);
  };
  together({schedule_half, schedule_half});
  service.wait_for_all();
});

}  // namespace
}  // namespace timers::real_time::about_volume
