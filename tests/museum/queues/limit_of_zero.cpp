// A limit of 0 means no limit.
//
// In Zeek each call decreased a limit of 300, down to 0. With 0 a call never ended, because each
// timer set another one that was due at once.
//
// Seen in: https://github.com/zeek/zeek/issues/1689
// Caught by: RunsNothingWithALimitOfZero

#include <cstddef>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

struct LimitOfZero : RightQueue {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    return RightQueue::expire(now, on_expiry, limit == 0 ? kNoLimit : limit);
  }
};

const QueueExhibit<LimitOfZero> limit_of_zero;

}  // namespace
}  // namespace timers::museum
