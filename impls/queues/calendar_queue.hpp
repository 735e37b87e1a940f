#pragma once

/// A desk calendar: a year has about as many days as there are timers, and a timer waits in the day
/// of its deadline, whatever the year.
///
/// Brown's calendar queue (CACM 31(10), 1988), made for the events of simulations: ns-2 and ns-3
/// have it. The days are a ring of sorted lists, as in Scheme 5 of Varghese & Lauck. When there are
/// more than two timers a day, all timers are dealt to twice as many days. When there is less than
/// half a timer a day, they are dealt to half as many. The next 25 deadlines give the new width.
///
/// Two things differ from Brown. First, a bit tells whether a day is in use. So an empty day costs
/// next to nothing, and a day can be as wide as the mean gap between deadlines, rounded to a power
/// of two. Brown's is three times as wide. Second, the width also changes when searches wasted as
/// many steps as there are timers. The change then costs about as much as was wasted.
///
///     insert       O(1) on average; O(n) where very many timers of the same day are later
///     cancel       O(1) on average; a cancel of the first timer looks for the next, like expire
///     re-arm       as much as cancel and insert
///     expire       O(1) a timer on average; O(n) where no other timer is due in this year
///     next_expiry  O(1), exact
///
/// About one call in n deals all timers to new days: O(n).
///
/// Choose it for a simulation whose delays are of one kind. Its weakness is a skewed distribution:
/// no width suits deadlines that are dense in one place and sparse in another. Where they are
/// dense, a day is a long list. Where they are sparse, the search finds only timers of later years.
/// And some calls are very long.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "impls/queues/parts/staying_timers.hpp"
#include "impls/queues/parts/timer_buckets.hpp"
#include "impls/queues/parts/timer_slab.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// The calendar never has fewer than `FewestDays` days.
template <class TaskType, unsigned FewestDays = 16>
class CalendarQueue : public StayingTimers<CalendarQueue<TaskType, FewestDays>, TaskType> {
  static_assert(std::has_single_bit(FewestDays), "the number of days is a power of two");
  friend StayingTimers<CalendarQueue, TaskType>;

 public:
  using Task = TaskType;
  using Handle = TimerHandle;
  static inline const std::string name =
      FewestDays == 16 ? "calendar_queue" : "calendar_queue_" + std::to_string(FewestDays);
  static constexpr Growth growth = Growth::constant;

  Handle insert(Tick deadline, Task task) {
    make_room();
    buckets_.reserve_one();
    deadline = time_.deadline_for(deadline);
    const Handle handle = buckets_.insert(bucket_for(deadline), deadline, std::move(task));
    settle(handle.index, deadline);
    return handle;
  }

  bool cancel(Handle handle) {
    return buckets_.if_alive(handle, [this](Index index) {
      leave(index);
      return slab().release(index);
    });
  }

  bool rearm(Handle handle, Tick deadline) {
    return buckets_.if_alive(handle, [&](Index index) { put_off(index, deadline); });
  }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry, std::size_t limit = kNoLimit) {
    if (!time_.move_to(now) || !is_due()) return 0;
    return time_.run(limit, [&] {
      if (!is_due()) return false;
      const Index first = first_;
      const Tick deadline = earliest_;
      leave(first);
      this->run(first, deadline, on_expiry);
      return true;
    });
  }

  std::optional<Tick> next_expiry() const {
    if (first_ != kNone) return earliest_;
    return size() == 0 ? std::nullopt : std::optional(kEndOfTime);
  }

  std::size_t size() const { return buckets_.size(); }

 private:
  using Timers = TimerBuckets<Task>;
  using Index = typename Timers::Index;
  using Bucket = typename Timers::Bucket;
  static constexpr Index kNone = Timers::kNone;

  static constexpr Bucket kNever = 0;     // timers that were set at the end of time
  static constexpr Bucket kHand = 1;      // timers that are being dealt
  static constexpr Bucket kFirstDay = 2;  // from here on a bucket is a day
  static constexpr Bucket kFewestDays = FewestDays;
  static constexpr std::size_t kSampled = 25;
  static constexpr std::size_t kFreeSteps = 4;  // each set of a timer pays for this many steps

  bool is_due() const { return first_ != kNone && earliest_ <= time_.now(); }

  Tick day_of(Tick deadline) const { return deadline >> width_bits_; }
  Bucket bucket_of(Tick day) const { return kFirstDay + static_cast<Bucket>(day & (days_ - 1)); }
  Bucket bucket_for(Tick deadline) const {
    return time_.has_ended() ? kNever : bucket_of(day_of(deadline));
  }

  auto& slab() { return buckets_.slab(); }

  bool arm_cell(Index index, Tick deadline) {
    if (slab().is_pending(index)) {
      put_off(index, deadline);
      return true;
    }
    make_room();
    deadline = time_.deadline_for(deadline);
    buckets_.arm(index, bucket_for(deadline), deadline);
    settle(index, deadline);
    return false;
  }

  void disarm_cell(Index index) {
    leave(index);
    slab().disarm(index);
  }

  /// Gives a pending timer a new deadline.
  void put_off(Index index, Tick deadline) {
    const bool was_first = index == first_;
    deadline = time_.deadline_for(deadline);
    buckets_.move(index, bucket_for(deadline), deadline);
    settle(index, deadline);
    if (was_first) find_first();
  }

  /// Brings the last timer of a day to its place in the order of that day.
  void settle(Index index, Tick deadline) {
    if (time_.has_ended()) return;
    const std::size_t passed = buckets_.sort_in(index);
    if (first_ == kNone || deadline < earliest_) {
      first_ = index;
      earliest_ = deadline;
    }
    steps_ -= std::min(steps_, kFreeSteps);
    account_for(passed);
  }

  /// Takes a timer out of its day.
  void leave(Index index) {
    buckets_.unlink(index);
    if (index == first_) find_first();
    if (size() < days_ / 2 && days_ > kFewestDays) deal(days_ / 2, sampled_width());
  }

  /// Finds the timer that is first now. No timer is due before `earliest_`.
  void find_first() {
    first_ = kNone;
    const Tick today = day_of(earliest_);
    std::size_t other_years = 0;
    for_each_day_from(today, [&](Tick day, Index head) {
      const Tick deadline = buckets_.deadline(head);
      if (first_ == kNone || deadline < earliest_) {
        first_ = head;
        earliest_ = deadline;
      }
      if (day_of(deadline) == day) return false;
      ++other_years;
      return true;
    });
    account_for(other_years);
  }

  /// Visits the days in use, for one year from the day of `first` on, until `visit(day, head)`
  /// returns false. `head` is the first timer of the day, due in this year or in a later one.
  template <class Visit>
  void for_each_day_from(Tick first, Visit visit) const {
    for (Tick day = first;; ++day) {
      day += buckets_.distance_to_occupied(kFirstDay, days_, day);
      if (day - first >= days_ || !visit(day, buckets_.front(bucket_of(day)))) return;
    }
  }

  /// Makes sure that there are enough days for one more timer.
  void make_room() {
    if (size() >= 2 * std::size_t{days_}) deal(2 * days_, sampled_width());
  }

  /// Counts steps in vain. Once they are as many as the timers, a new width costs no more.
  void account_for(std::size_t steps) {
    steps_ += steps;
    if (steps_ <= size() + kFewestDays) return;
    steps_ = 0;
    const unsigned width_bits = sampled_width();
    if (width_bits != width_bits_) deal(days_, width_bits);
  }

  /// Deals all timers to `days` days of 2^width_bits ticks each. More days need memory. If memory
  /// runs out, nothing has changed.
  [[gnu::noinline]] void deal(Bucket days, unsigned width_bits) {
    if (days > days_) buckets_.grow(kFirstDay + days);
    for (auto day = buckets_.first_occupied(kFirstDay); day; day = buckets_.first_occupied(*day)) {
      buckets_.splice(*day, kHand);
    }
    days_ = days;
    width_bits_ = width_bits;
    steps_ = 0;
    buckets_.distribute(kHand, [this](Tick deadline) { return bucket_of(day_of(deadline)); });
    for (auto day = buckets_.first_occupied(kFirstDay); day;
         day = buckets_.first_occupied(*day + 1)) {
      buckets_.sort(*day);
    }
  }

  /// The width that suits the next deadlines: their mean gap, or up to twice as much. As in Brown's
  /// queue, gaps of more than twice the mean do not count.
  [[gnu::noinline]] unsigned sampled_width() const {
    std::array<Tick, kSampled> sample;
    const std::size_t count = take_sample(sample);
    if (count < 2) return width_bits_;
    const Tick mean = (sample[count - 1] - sample[0]) / (count - 1);
    Tick sum = 0;
    Tick gaps = 0;
    for (std::size_t i = 1; i < count; ++i) {
      const Tick gap = sample[i] - sample[i - 1];
      if (gap / 2 > mean) continue;
      sum += gap;
      ++gaps;
    }
    return std::min(static_cast<unsigned>(std::bit_width(sum / gaps - 1)), 63u);
  }

  /// Fills the sample with the earliest deadlines, each once, in order. Returns how many there are.
  std::size_t take_sample(std::array<Tick, kSampled>& sample) const {
    std::size_t count = 0;
    if (first_ == kNone) return count;
    for_each_day_from(day_of(earliest_), [&](Tick day, Index head) {
      if (count == kSampled && day_of(sample.back()) < day) return false;
      for (Index index = head; index != kNone; index = buckets_.next(index)) {
        const Tick deadline = buckets_.deadline(index);
        if (count == kSampled && deadline >= sample.back()) break;
        Tick* const place = std::lower_bound(sample.data(), sample.data() + count, deadline);
        if (place != sample.data() + count && *place == deadline) continue;
        if (count < kSampled) ++count;
        std::copy_backward(place, sample.data() + count - 1, sample.data() + count);
        *place = deadline;
      }
      return true;
    });
    return count;
  }

  VirtualTime time_;
  Index first_ = kNone;  // the timer that is due first, if any will ever be
  Tick earliest_ = 0;    // its deadline; without such a timer, a tick before which none is due
  Bucket days_ = kFewestDays;
  unsigned width_bits_ = 0;
  std::size_t steps_ = 0;  // the steps in vain, minus the free ones
  Timers buckets_{kFirstDay + kFewestDays};
};

}  // namespace timers
