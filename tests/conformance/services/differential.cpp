/// Random histories, compared with the ledger of the scenario, which is a model of every service.

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "tests/conformance/random.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_differential {
namespace {

using conformance::Random;

/// A service that is used at random, by the test and by its own tasks.
class History {
 public:
  History(const ServiceKind& kind, std::uint64_t seed)
      : random_(seed), service_(kind, Instant(Duration(random_.up_to_bits(60)))) {}

  void live() {
    constexpr int kOperations = 300;
    for (int i = 0; i < kOperations && !testing::Test::HasFailure(); ++i) {
      const std::uint64_t choice = random_.below(10);
      if (choice < 4) {
        schedule();
      } else if (choice == 4) {
        rearm_or_schedule();
      } else if (choice == 5 && !scheduled_.empty()) {
        service_.cancel(any_scheduled());
      } else if (choice == 6) {
        service_.jump(any_span());
      } else {
        service_.run_for(any_span());
      }
    }
    service_.stop();
    service_.settle();
    EXPECT_EQ(service_.pending(), 0u);
    EXPECT_GT(service_.log().size(), 0u);
  }

 private:
  Duration any_span() { return Duration(random_.up_to_bits(36)); }
  Id any_scheduled() { return scheduled_[random_.below(scheduled_.size())]; }

  void schedule() {
    const Id id = next_++;
    if (random_.one_in(8)) {
      service_.schedule(id, Duration::zero());
      service_.settle();
    } else {
      service_.schedule(id, 1ns + any_span(), any_deed());
    }
    scheduled_.push_back(id);
  }

  void rearm_or_schedule() {
    if (!service_.can_rearm() || scheduled_.empty()) return schedule();
    service_.rearm(any_scheduled(), any_span());
    service_.settle();  // A timer without delay has run now.
  }

  /// Draws all random numbers in advance, as tasks may run side by side.
  Scenario::Deed any_deed() {
    switch (random_.below(6)) {
      case 0:
        return [this, id = next_++, delay = 1ns + any_span()] { service_.schedule(id, delay); };
      case 1:
        if (scheduled_.empty()) return {};
        return [this, id = any_scheduled()] { service_.cancel(id); };
      case 2:
        return [] { throw std::runtime_error("on purpose"); };
      default:
        return {};
    }
  }

  Random random_;
  Scenario service_;
  Id next_ = 0;
  Ids scheduled_;  // by the test itself
};

//
const Sentence random_histories("AgreesWithTheModelOnRandomHistories", [](const ServiceKind& kind) {
  constexpr std::uint64_t kSeeds = conformance::kSanitized ? 10 : 50;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History(kind, seed).live();
    if (testing::Test::HasFailure()) break;
  }
});

}  // namespace
}  // namespace timers::service_conformance::about_differential
