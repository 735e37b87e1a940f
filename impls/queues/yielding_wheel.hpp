#pragma once

/// Two wheels of different width: a fine one for what is due soon, a coarse one for later. Timers
/// move from the coarse wheel to the fine one ahead of their time, a few in each call.
///
/// The wheel of Erlang's runtime (erts/emulator/beam/time.c), where very many processes set timers,
/// and no call may occupy a scheduler for long. The *soon* wheel has 2^14 slots of one tick. The
/// *later* wheel has as many slots of 2^13 ticks each: half a turn of the soon wheel. When time
/// enters a slot of the later wheel, the timers of the next slot begin to move to the soon wheel.
/// They have 2^13 ticks for that. Erlang counts steps, and yields after some thousand. Here each
/// call does its share: of n pending timers it moves n / (ticks that are left), and one more.
/// Timers beyond both wheels wait in a list. In each half turn of the later wheel (19 hours, with
/// ticks of 1 ms) this list is sifted in the same way.
///
/// Early moves must not change the order. So there is a *border* between the wheels, which moves on
/// when all timers of a slot have moved. Until then a new timer of that slot goes to the later
/// wheel, behind the others.
///
///     insert       O(1)
///     cancel       O(1)
///     re-arm       O(1)
///     expire       O(1) a timer, plus O(1) for its move, and for each half turn that it waits in
///                  the list; empty time costs nothing, however long
///     next_expiry  O(1), early by one wake for the slot, and by one for each half turn in the list
///
/// Say a million timers are pending. Then a call of one tick moves 123 of them at first. Later
/// calls move some hundred each.
///
/// Choose it when equal deadlines must run in order and more than some ten thousand timers wait,
/// and for deadlines that move at random. Also choose it where no call may be long, if time moves
/// tick by tick. But not every call is bounded. All due timers run, even a million: give `expire` a
/// limit. If time has nearly come to the border, new timers of the next slot must all move in the
/// few ticks that are left. A call that jumps over the border moves all that is left of the slot
/// where it lands. It also sorts the k timers that are due beyond the border, in O(k log k). If it
/// jumps over both wheels, it sifts the whole list. The other weakness is size: an empty queue
/// takes 270 kB.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "impls/queues/parts/wheel.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// Each wheel has 2^Bits slots.
template <class TaskType, unsigned Bits = 14>
class YieldingWheel : public Wheel<YieldingWheel<TaskType, Bits>, TaskType> {
  static_assert(2 <= Bits && Bits <= 16, "a wheel has from 2^2 to 2^16 slots");
  using Base = Wheel<YieldingWheel, TaskType>;
  friend Base;

  static constexpr Tick kSlots = Tick{1} << Bits;
  static constexpr Tick kGrain = kSlots / 2;          // of a slot of the later wheel
  static constexpr Tick kSift = kSlots / 2 * kGrain;  // half a turn of that wheel

 public:
  static inline const std::string name =
      Bits == 14 ? "yielding_wheel" : "yielding_wheel_" + std::to_string(Bits) + "bit";
  static constexpr Growth growth = Growth::constant;

  /// One for each half turn in the list, one for the slot of the later wheel, one for the timer.
  static constexpr Tick max_wakes(Tick delay) { return delay / kSift + 3; }

  std::optional<Tick> next_expiry() const {
    if (this->size() == 0) return std::nullopt;
    if (const Index first = buckets_.front(kDue); first != Timers::kNone) {
      return buckets_.deadline(first);
    }
    return time_.has_ended() ? kEndOfTime : next_tick();
  }

 private:
  using Base::buckets_;
  using Base::moves_;
  using Base::time_;
  using typename Base::Bucket;
  using typename Base::Index;
  using typename Base::Timers;

  static constexpr Bucket kSoon = 0;
  static constexpr Bucket kLater = kSlots;
  static constexpr Bucket kFar = 2 * kSlots;
  static constexpr Bucket kArrived = kFar + 2;  // for what is due, while it is collected
  static constexpr Bucket kDue = kArrived + 1;

  static Bucket soon(Tick tick) { return kSoon + static_cast<Bucket>(tick % kSlots); }
  static Bucket later(Tick tick) { return kLater + static_cast<Bucket>(tick / kGrain % kSlots); }

  /// The bucket for a deadline that is not beyond both wheels.
  Bucket near(Tick deadline) const {
    return deadline <= last_soon_ ? soon(deadline) : later(deadline);
  }

  Bucket bucket_for(Tick deadline) const { return deadline <= last_later_ ? near(deadline) : far_; }

  /// Moves the hand to now, and the slots that it passes to kDue. Then does a share of early moves.
  void collect_due() {
    const Tick passed = time_.now() - hand_;
    if (passed == 0) return;
    if (passed == 1 && time_.now() <= last_soon_) [[likely]] {
      buckets_.splice(soon(time_.now()), kDue);
    } else {
      collect_passed();
    }
    hand_ = time_.now();
    if (may_fill_soon() || may_sift()) move_ahead(std::min(passed, kGrain));
  }

  [[gnu::noinline]] void collect_passed() {
    collect_soon(hand_, std::min(time_.now(), last_soon_), kDue);
    if (time_.now() > last_soon_) collect_jumped();
  }

  /// Collects the slots of the soon wheel after `from` and up to `to`.
  void collect_soon(Tick from, Tick to, Bucket into) {
    for (Tick offset = 1; offset <= to - from; ++offset) {
      offset += buckets_.distance_to_occupied(kSoon, kSlots, from + offset);
      if (offset > to - from) break;
      buckets_.splice(soon(from + offset), into);
    }
  }

  /// Time has jumped over the border: collects what is due beyond the border, and moves the border
  /// to the end of the present slot.
  void collect_jumped() {
    const auto is_due = [now = time_.now()](Tick deadline) { return deadline <= now; };
    const Tick jumped = time_.now() - last_soon_;
    collect_soon(last_soon_, last_soon_ + std::min(jumped, kGrain), kArrived);  // moved ahead
    const Tick from = last_soon_ / kGrain + 1;
    const Tick count = std::min(time_.now() / kGrain - from + 1, kSlots);
    for (Tick offset = 0; offset < count; ++offset) {
      offset += buckets_.distance_to_occupied(kLater, kSlots, from + offset);
      if (offset >= count) break;
      buckets_.move_if(later((from + offset) * kGrain), kArrived, is_due);
    }
    last_soon_ = time_.now() | (kGrain - 1);
    buckets_.distribute(later(time_.now()), [this](Tick deadline) {
      ++moves_;
      return soon(deadline);
    });
    if (last_soon_ > last_later_) {
      buckets_.splice(far_, sifted_);  // Timers in `sifted_` were set before those in `far_`.
      std::swap(far_, sifted_);
      buckets_.move_if(far_, kArrived, is_due);
      last_later_ = last_soon_;
      sift(kNoLimit);
    }
    buckets_.sort(kArrived);
    buckets_.splice(kArrived, kDue);
  }

  /// Whether the next slot of the later wheel has room in the soon wheel.
  bool may_fill_soon() const { return last_soon_ - time_.now() < kGrain; }
  /// Whether half of the later wheel is free.
  bool may_sift() const { return last_later_ - last_soon_ <= kSift; }

  [[gnu::noinline]] void move_ahead(Tick passed) {
    if (may_sift()) sift(share(passed, last_later_ - last_soon_));
    if (may_fill_soon()) fill_soon(share(passed, last_soon_ - time_.now() + 1));
  }

  /// How many timers a call that has passed `passed` ticks must move, so that all have moved after
  /// `left` more ticks.
  std::size_t share(Tick passed, Tick left) const {
    return left == 0 ? kNoLimit : this->size() * passed / left + passed;
  }

  /// Moves at most `most` timers from the later wheel to the soon wheel.
  void fill_soon(std::size_t most) {
    if (last_soon_ == kEndOfTime) return;
    const Bucket next_slot = later(last_soon_ + 1);
    for (; most > 0; --most) {
      const Index index = buckets_.front(next_slot);
      if (index == Timers::kNone) {
        last_soon_ += kGrain;
        return;
      }
      buckets_.move(index, soon(buckets_.deadline(index)));
      ++moves_;
    }
  }

  /// Moves at most `most` timers of the list to the later wheel, or to the list for the next sift.
  void sift(std::size_t most) {
    const Tick last = last_later_ + std::min(kSift, kEndOfTime - last_later_);
    for (; most > 0; --most) {
      const Index index = buckets_.front(far_);
      if (index == Timers::kNone) {
        last_later_ = last;
        std::swap(far_, sifted_);
        return;
      }
      const Tick deadline = buckets_.deadline(index);
      buckets_.move(index, deadline <= last ? near(deadline) : sifted_);
      ++moves_;
    }
  }

  Tick next_tick() const {
    Tick next = kEndOfTime;
    const Tick soon_ahead = buckets_.distance_to_occupied(kSoon, kSlots, time_.now() + 1);
    if (soon_ahead < kSlots) next = time_.now() + 1 + soon_ahead;
    const Tick slot = last_soon_ / kGrain + 1;
    const Tick later_ahead = buckets_.distance_to_occupied(kLater, kSlots, slot);
    if (later_ahead < kSlots) next = std::min(next, (slot + later_ahead) * kGrain);
    const bool is_any_far =
        buckets_.front(far_) != Timers::kNone || buckets_.front(sifted_) != Timers::kNone;
    return is_any_far ? std::min(next, last_later_ + 1) : next;
  }

  Tick hand_ = 0;                                   // all ticks up to this one were collected
  Tick last_soon_ = 2 * kGrain - 1;                 // the border: the last tick of the soon wheel
  Tick last_later_ = last_soon_ + kSlots * kGrain;  // the last tick of the later wheel
  Bucket far_ = kFar;                               // the list of timers beyond both wheels
  Bucket sifted_ = kFar + 1;                        // those that were sifted and are still beyond
};

}  // namespace timers
