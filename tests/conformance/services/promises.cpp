#include "tests/conformance/services/promises.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace timers::service_conformance {

testing::AssertionResult at_least_as_strong(const ServicePromises& declared,
                                            const ServicePromises& required) {
  if (required.serial && !declared.serial)
    return testing::AssertionFailure() << "it runs tasks side by side";
  if (required.fifo && !declared.fifo)
    return testing::AssertionFailure() << "it does not keep the order of equal deadlines";
  if (required.rearms_in_turn && !declared.rearms_in_turn)
    return testing::AssertionFailure() << "it does not give a re-armed timer its turn anew";
  if (declared.refuses_negative_delays && !required.refuses_negative_delays)
    return testing::AssertionFailure() << "it refuses negative delays";
  if (declared.refuses_endless_delays && !required.refuses_endless_delays)
    return testing::AssertionFailure() << "it refuses delays that lead beyond the last instant";
  if (required.forgets_cancelled && !declared.forgets_cancelled)
    return testing::AssertionFailure() << "it keeps what is cancelled";
  if (required.sleeps_on && !declared.sleeps_on)
    return testing::AssertionFailure() << "it wakes for timers that are not the next";
  if (declared.max_allocations > required.max_allocations)
    return testing::AssertionFailure() << "it allocates too often for a timer";
  if (declared.missed_runs != required.missed_runs)
    return testing::AssertionFailure() << "it treats missed runs differently";
  if (declared.delays_count_from_the_end != required.delays_count_from_the_end)
    return testing::AssertionFailure() << "it counts fixed delays differently";
  if (required.repeats_after_error && !declared.repeats_after_error)
    return testing::AssertionFailure() << "a run that throws is the last one of its timer";
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t power = std::int64_t{1} << bit;
    for (const Duration delay : {Duration(power), Duration(power + (power - 1))}) {
      if (declared.max_idle_wakes(delay) > required.max_idle_wakes(delay))
        return testing::AssertionFailure()
               << "it wakes too often for nothing in " << delay.count() << " ns";
    }
  }
  return testing::AssertionSuccess();
}

bool wakes_for_each_tick(const ServicePromises& promises) {
  constexpr Duration kYear = std::chrono::hours(24 * 365);
  constexpr std::size_t kFew = 100;
  return promises.max_idle_wakes(kYear) > kFew;
}

}  // namespace timers::service_conformance
