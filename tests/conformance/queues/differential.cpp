/// Random histories, in which each queue is compared with the model.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>

#include "tests/conformance/queues/history.hpp"
#include "tests/conformance/queues/random_history.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/queues/shrink.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_differential {
namespace {

constexpr std::uint64_t kOperations = share_of(1'000'000);
constexpr std::uint64_t kMinSeeds = 20;

//
const Sentence random_histories("AgreesWithTheModelOnRandomHistories", [](const QueueKind& kind) {
  std::uint64_t operations = 0;
  for (std::uint64_t seed = 1; seed <= kMinSeeds || operations < kOperations; ++seed) {
    const History history = random_history(seed);
    if (const auto divergence = run(history, kind, &operations)) {
      // The first fault ends the test: a broken queue may hang or crash if it is tried further.
      std::cout << kind.name << " breaks the contract:\n"
                << divergence->message
                << "\nIt is tried further, for a short history that shows it." << std::endl;
      FAIL() << report(history, kind) << "\nIt was found in random_history(" << seed
             << "), at operation " << divergence->operation << " of " << history.size() << ".";
    }
  }
});

}  // namespace
}  // namespace timers::conformance::about_differential
