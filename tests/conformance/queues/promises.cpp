#include "tests/conformance/queues/promises.hpp"

namespace timers::conformance {

testing::AssertionResult at_least_as_strong(const Promises& declared, const Promises& required) {
  if (required.expires_in_order && !declared.expires_in_order)
    return testing::AssertionFailure() << "it does not expire in order";
  if (required.fifo && !declared.fifo)
    return testing::AssertionFailure() << "it does not keep the order of equal deadlines";
  if (declared.max_garbage > required.max_garbage)
    return testing::AssertionFailure() << "it keeps too much garbage";
  if (required.bears_bad_alloc && !declared.bears_bad_alloc)
    return testing::AssertionFailure() << "it does not survive running out of memory";
  if (declared.last_tick < required.last_tick)
    return testing::AssertionFailure() << "its time ends too early";
  if (declared.growth > required.growth)
    return testing::AssertionFailure()
           << "its work grows too fast with the timers that are pending";
  for (int bit = 0; bit < 64; ++bit) {
    const Tick power = Tick{1} << bit;
    for (const Tick delay : {power, power + 1, 2 * power - 1}) {
      if (declared.max_lateness(delay) > required.max_lateness(delay))
        return testing::AssertionFailure() << "it may be too late after a delay of " << delay;
      if (declared.max_wakes(delay) > required.max_wakes(delay))
        return testing::AssertionFailure() << "it wakes too often in a delay of " << delay;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace timers::conformance
