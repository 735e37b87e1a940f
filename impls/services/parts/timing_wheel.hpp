#pragma once

/// Wheels within wheels that turn only when a bucket expires, in ticks: the core of Kafka's timer.
///
/// Scheme 7 of Varghese & Lauck. The first wheel has buckets of one tick. What is too far ahead for
/// it goes to the next one, whose buckets are as wide as all of the wheel before; each wheel is
/// made when it is first needed. With 20 buckets a wheel:
///
///     ticks ahead      1 … 19    20 … 399    400 … 7999    8000 … 159999
///     a bucket is           1          20           400             8000 wide
///
/// Nobody comes by an empty bucket: those in use stand in a heap, by the first tick of theirs. When
/// it comes the bucket *expires*, which moves time there, and is emptied: what is due is given out,
/// the rest goes to the wheels before, a cascade. So time is when a bucket expired last, and lags
/// behind where nothing happens.
///
/// The original links the items of a bucket with each other, so that each cancel and each move
/// waits for the memory of the neighbours. Here a bucket is a list of blocks with pointers to its
/// items. Who empties one knows all addresses beforehand, and the cache misses overlap. And what is
/// cancelled is only marked: it is dropped when its bucket expires or, once more are marked than
/// there are others and buckets, in a sweep. An item that becomes due later stays where it is: its
/// bucket finds that when it expires.
///
///     insert    O(1); O(log b) for b buckets in use if its bucket was not
///     cancel    O(1) amortised; the one that makes a sweep due is O(n)
///     take      the same
///     expire    O(log b) a bucket, and O(1) an item, which is moved at most once a wheel
///
/// Blocks go from bucket to bucket and are not given back: 8 bytes for each of the most items that
/// there were at a time. So nothing but `insert` needs memory. Nothing here is safe against
/// concurrent calls.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "impls/timer_queue.hpp"

namespace timers {

/// To be derived from by what the wheels hold, which has two members:
///
///     Tick due() const         when it is due; at the end of time means never. Any thread may make
///                              that later at any time.
///     bool settle(Tick now)    whether it is due by now. If so, it stays due from then on.
class WheelItem {
  template <class Pointer>
  friend class TimingWheel;

  enum class Membership : unsigned char { outside, inside, cancelled };
  Membership membership_ = Membership::outside;
  void* place_ = nullptr;  // of the pointer that leads to it from its bucket
};

/// `Pointer` leads to a WheelItem. If it owns that, the wheels do, until they give it out or drop
/// it, which no item may notice: its destructor must neither throw nor call in here.
template <class Pointer>
class TimingWheel {
  struct Block;

  /// Of these all but the last are full.
  struct Blocks {
    Block* first = nullptr;
    Block* last = nullptr;
  };

 public:
  struct Bucket {
    /// The expiration of a bucket that is not in use.
    static constexpr Tick kUnused = kEndOfTime;

    /// How long it is from `now` until the bucket expires.
    Tick delay(Tick now) const { return expiration > now ? expiration - now : 0; }

    Tick width = 0;             ///< How many ticks it covers, from its expiration on.
    Tick expiration = kUnused;  ///< A multiple of its width.
    Blocks blocks;
  };

  /// Wheels of `size` buckets, at least 2, at the time `start`.
  TimingWheel(Tick start, std::size_t size) : wheel_size_(size) { add_level(1, start); }
  TimingWheel(const TimingWheel&) = delete;
  TimingWheel& operator=(const TimingWheel&) = delete;

  /// Whether an item is due now, by the time of the wheels.
  bool is_due(const Pointer& item) const { return item->settle(now()); }

  /// Puts in an item that is not due, and returns its bucket. If memory runs out it throws, and
  /// takes nothing.
  const Bucket& insert(Pointer&& item) {
    assert(item->due() > now());
    while (!reaches(levels_.back(), item->due())) {
      add_level(levels_.back().reach + 1, levels_.back().now);
    }
    reserve_one();
    item->membership_ = WheelItem::Membership::inside;
    ++entries_;
    return put(std::move(item));
  }

  /// Cancels an item: it is dropped, now or later. False if it is not here.
  bool cancel(WheelItem& item) {
    if (item.membership_ != WheelItem::Membership::inside) return false;
    item.membership_ = WheelItem::Membership::cancelled;
    count_dead();
    return true;
  }

  /// Sees to it that there are blocks enough for one more item, wherever the items go: all are
  /// full, but for one in each bucket that holds something, and one that is being emptied.
  void reserve_one() { reserve(entries_ + 1, levels_.size()); }

  /// Puts in again what was taken out. After `reserve_one` it needs no memory: if no wheel reaches
  /// so far, the item waits in the last one.
  void insert_again(Pointer&& item) {
    item->membership_ = WheelItem::Membership::inside;
    ++entries_;
    put(std::move(item));
  }

  /// Takes out an item that is here, and leaves a hole in its bucket.
  Pointer take(WheelItem& item) {
    Pointer taken = std::exchange(*static_cast<Pointer*>(item.place_), nullptr);
    item.membership_ = WheelItem::Membership::outside;
    count_dead();
    return taken;
  }

  /// Empties all buckets that have expired by `now`, one after the other by their expiration, and
  /// calls `on_due(item)` with what is due, which must not throw. Returns whether there was such a
  /// bucket: it may have held nothing that is due, or nothing at all that was not cancelled.
  template <class OnDue>
  bool expire(Tick now, OnDue on_due) {
    bool any = false;
    while (!queue_.empty() && queue_.front()->delay(now) == 0) {
      std::pop_heap(queue_.begin(), queue_.end(), expires_later);
      Bucket& bucket = *queue_.back();
      queue_.pop_back();
      turn_to(std::exchange(bucket.expiration, Bucket::kUnused));
      flush(bucket, on_due);
      any = true;
    }
    return any;
  }

  /// Takes all items out, and calls `visit(item)` for each, in no order. It must not throw.
  template <class Visit>
  void take_all(Visit visit) {
    sweep();
    for_each_bucket([&](Bucket& bucket) {
      drain(bucket, [&](Pointer&& item) { visit(release(std::move(item))); });
    });
  }

  /// When a bucket expires next; at the end of time if none is in use.
  Tick next_expiry() const { return queue_.empty() ? kEndOfTime : queue_.front()->expiration; }

  /// When a bucket expired last.
  Tick now() const { return levels_.front().now; }

  /// How many items there are, without those that were cancelled.
  std::size_t size() const { return entries_ - dead_; }

  /// How many wheels there are.
  std::size_t levels() const { return levels_.size(); }

 private:
  static constexpr std::size_t kBlockSize = 62;

  /// 512 bytes.
  struct Block {
    Block* next = nullptr;
    std::size_t size = 0;
    std::array<Pointer, kBlockSize> items{};
  };

  struct Level {
    Tick width;  // of a bucket
    Tick reach;  // what is further ahead belongs to the next level
    Tick now;    // a multiple of the width
    std::vector<Bucket> buckets;
  };

  /// Of two that expire at once the wider is first: most of its items came first.
  static bool expires_later(const Bucket* bucket, const Bucket* other) {
    if (bucket->expiration != other->expiration) return bucket->expiration > other->expiration;
    return bucket->width < other->width;
  }

  static bool reaches(const Level& level, Tick tick) { return tick - level.now <= level.reach; }

  static bool is_dead(const Pointer& item) {
    return item->membership_ == WheelItem::Membership::cancelled;
  }

  /// The last level that is possible reaches the end of time: there its span would overflow.
  void add_level(Tick width, Tick now) {
    const bool is_last = width > kEndOfTime / wheel_size_;
    const Tick reach = is_last ? kEndOfTime : width * wheel_size_ - 1;
    Level level{width, reach, now - now % width, std::vector<Bucket>(wheel_size_)};
    for (Bucket& bucket : level.buckets) bucket.width = width;
    queue_.reserve((levels_.size() + 1) * wheel_size_);
    levels_.push_back(std::move(level));
  }

  /// Blocks for so many items on so many wheels.
  void reserve(std::size_t items, std::size_t wheels) {
    const std::size_t buckets = std::min(wheels * wheel_size_, items);
    while (blocks_.size() < items / kBlockSize + buckets + 1) {
      Block& fresh = blocks_.emplace_back();
      fresh.next = std::exchange(free_, &fresh);
    }
  }

  /// There is one more that was cancelled, or a hole.
  void count_dead() {
    ++dead_;
    if (dead_ > size() + levels_.size() * wheel_size_) sweep();
  }

  /// Puts an item where it belongs. If that is beyond the last wheel, because it has become later
  /// since it came, it goes to the last bucket, and from there on.
  Bucket& put(Pointer&& item) {
    const Tick due = item->due();
    std::size_t i = 0;
    while (i + 1 < levels_.size() && !reaches(levels_[i], due)) ++i;
    Level& level = levels_[i];
    const Tick number = (level.now + std::min(due - level.now, level.reach)) / level.width;
    Bucket& bucket = level.buckets[number % wheel_size_];
    append(bucket, std::move(item));
    use(bucket, number * level.width);
    return bucket;
  }

  void append(Bucket& bucket, Pointer&& item) {
    auto& [first, last] = bucket.blocks;
    if (last == nullptr || last->size == kBlockSize) {
      assert(free_ != nullptr);
      Block* const fresh = std::exchange(free_, free_->next);
      fresh->next = nullptr;
      (last == nullptr ? first : last->next) = fresh;
      last = fresh;
    }
    Pointer& place = last->items[last->size++];
    place = std::move(item);
    place->place_ = &place;
  }

  /// Queues a bucket once a turn, when the first item comes. There is room for all of them.
  void use(Bucket& bucket, Tick expiration) {
    if (bucket.expiration == expiration) return;
    bucket.expiration = expiration;
    queue_.push_back(&bucket);
    std::push_heap(queue_.begin(), queue_.end(), expires_later);
  }

  /// Moves time, on all levels where it enters another bucket.
  void turn_to(Tick now) {
    for (Level& level : levels_) {
      if (now - level.now < level.width) break;
      level.now = now - now % level.width;
    }
  }

  /// A timer that is not due fits into the wheel before, and never comes back here, unless it has
  /// become later.
  template <class OnDue>
  void flush(Bucket& bucket, OnDue& on_due) {
    drain(bucket, [&](Pointer&& item) {
      if (is_dead(item)) {
        release(std::move(item));
      } else if (is_due(item)) {
        on_due(release(std::move(item)));
      } else {
        try_to_reach(item->due());
        put(std::move(item));
      }
    });
  }

  /// Adds the wheels that it takes, for an item that has become later. If memory runs out, the last
  /// one that there is has to do.
  void try_to_reach(Tick due) noexcept {
    try {
      while (!reaches(levels_.back(), due)) {
        reserve(entries_, levels_.size() + 1);
        add_level(levels_.back().reach + 1, levels_.back().now);
      }
    } catch (const std::bad_alloc&) {
    }
  }

  /// Drops all that was cancelled.
  void sweep() {
    for_each_bucket([this](Bucket& bucket) {
      drain(bucket, [&](Pointer&& item) {
        if (is_dead(item)) {
          release(std::move(item));
        } else {
          append(bucket, std::move(item));
        }
      });
    });
  }

  template <class Visit>
  void for_each_bucket(Visit visit) {
    for (Level& level : levels_) {
      for (Bucket& bucket : level.buckets) visit(bucket);
    }
  }

  /// Takes the items out of a bucket, and calls `visit(item)` for each in the order of their
  /// coming.
  template <class Visit>
  void drain(Bucket& bucket, Visit visit) {
    Block* block = std::exchange(bucket.blocks, Blocks{}).first;
    while (block != nullptr) {
      for (std::size_t i = 0; i < block->size; ++i) {
        if (block->items[i] != nullptr) __builtin_prefetch(std::to_address(block->items[i]));
      }
      for (std::size_t i = 0; i < block->size; ++i) {
        if (block->items[i] != nullptr) {
          visit(std::move(block->items[i]));
        } else {  // a hole
          --entries_;
          --dead_;
        }
      }
      block->size = 0;
      Block* const emptied = std::exchange(block, block->next);
      emptied->next = std::exchange(free_, emptied);
    }
  }

  /// The item is here no more.
  Pointer release(Pointer&& item) {
    if (is_dead(item)) --dead_;
    --entries_;
    item->membership_ = WheelItem::Membership::outside;
    return std::move(item);
  }

  const std::size_t wheel_size_;
  std::vector<Level> levels_;
  std::vector<Bucket*> queue_;  // a heap of those in use
  std::deque<Block> blocks_;    // all there are
  Block* free_ = nullptr;       // of these the first that is not in a bucket
  std::size_t entries_ = 0;     // how many items and holes are in the buckets
  std::size_t dead_ = 0;        // how many of them are holes, or were cancelled
};

}  // namespace timers
