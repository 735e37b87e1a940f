#pragma once

/// Queues that are wrong on purpose, each in one way. They test the parts of the kit that must find
/// such faults.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "impls/queues/ordered_map.hpp"
#include "impls/timer_queue.hpp"
#include "tests/conformance/queues/any_queue.hpp"

namespace timers::conformance {

using Right = OrderedMap<ProbeTask>;

/// One tick late at a deadline of 64, where a level of a wheel might begin.
struct LateAt64 : Right {
  Handle insert(Tick deadline, ProbeTask task) {
    return Right::insert(deadline == 64 ? 65 : deadline, std::move(task));
  }
};

/// Cannot count to four.
struct CountsToThree : Right {
  std::size_t size() const { return std::min<std::size_t>(Right::size(), 3); }
};

/// Does not cancel in a callback.
class DeafInCallbacks : public Right {
 public:
  bool cancel(Handle handle) { return !in_callback_ && Right::cancel(handle); }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    return Right::expire(
        now,
        [&](Tick deadline, ProbeTask task) {
          const bool outer = std::exchange(in_callback_, true);
          on_expiry(deadline, std::move(task));
          in_callback_ = outer;
        },
        limit);
  }

 private:
  bool in_callback_ = false;
};

/// Swallows the exceptions of callbacks.
struct SwallowsExceptions : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    return Right::expire(
        now,
        [&](Tick deadline, ProbeTask task) {
          try {
            on_expiry(deadline, std::move(task));
          } catch (...) {
          }
        },
        limit);
  }
};

}  // namespace timers::conformance
