#pragma once

/// The common part of all wheels.
///
/// A timer waits in a bucket that its deadline chooses. When time moves, a wheel first collects all
/// due timers in a separate bucket, in order. Then it runs them from there. So callbacks find the
/// wheel at rest, and can change any list, even the one that is running.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_buckets.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// The base class of `Derived`, which has
///   - `kDue`: the number of the bucket for due timers, one above its own buckets,
///   - `bucket_for(deadline)`: the bucket of a timer that is set now; by then the call cannot fail,
///   - `collect_due()`: moves everything that is due to the end of kDue, in order. Most calls move
///     time by a tick at which nothing is due: that should be a look at one bucket.
template <class Derived, class TaskType>
class Wheel : public StayingTimers<Wheel<Derived, TaskType>, TaskType> {
  friend StayingTimers<Wheel, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;

  Handle insert(Tick deadline, Task task) {
    deadline = time_.deadline_for(deadline);
    buckets_.reserve_one();
    return buckets_.insert(self().bucket_for(deadline), deadline, std::move(task));
  }

  bool cancel(Handle handle) {
    return buckets_.if_alive(handle, [this](Index index) { return buckets_.remove(index); });
  }

  bool rearm(Handle handle, Tick deadline) {
    return buckets_.if_alive(handle, [&](Index index) {
      deadline = time_.deadline_for(deadline);
      buckets_.move(index, self().bucket_for(deadline), deadline);
    });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now)) return 0;
    self().collect_due();
    if (buckets_.front(Derived::kDue) == Timers::kNone) return 0;
    return time_.run(limit, [&] {
      const Index first = buckets_.front(Derived::kDue);
      if (first == Timers::kNone) return false;
      const Tick deadline = buckets_.deadline(first);
      buckets_.unlink(first);
      this->run(first, deadline, on_expiry);
      return true;
    });
  }

  std::size_t size() const { return buckets_.size(); }

  /// How often `expire` came to a timer and did not run it: it passed the timer, which is due in
  /// another turn, or moved it to another level.
  std::uint64_t moves() const { return moves_; }

 protected:
  using Timers = TimerBuckets<Task>;
  using Index = typename Timers::Index;
  using Bucket = typename Timers::Bucket;

  Wheel() : buckets_(Derived::kDue + 1) {}

  VirtualTime time_;
  Timers buckets_;
  std::uint64_t moves_ = 0;

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  auto& slab() { return buckets_.slab(); }

  bool arm_cell(Index index, Tick deadline) {
    deadline = time_.deadline_for(deadline);
    return buckets_.arm(index, self().bucket_for(deadline), deadline);
  }

  void disarm_cell(Index index) {
    buckets_.unlink(index);
    slab().disarm(index);
  }
};

}  // namespace timers
