#pragma once

/// Wheels within wheels that turn only when a bucket expires, in ticks: the core of Kafka's timer.
///
/// Scheme 7 of Varghese & Lauck. The first wheel has buckets of one tick. Items too far ahead for a
/// wheel go to the next wheel, whose buckets are each as wide as the whole wheel before. A wheel is
/// made when it is first needed. With 20 buckets per wheel:
///
///     ticks ahead      1 … 19    20 … 399    400 … 7999    8000 … 159999
///     a bucket is           1          20           400             8000 wide
///
/// No call visits empty buckets: buckets in use stand in a heap, ordered by their first tick. At
/// its first tick a bucket *expires*: time moves to this tick, and the bucket is emptied. Due items
/// are given out, the others go to finer wheels (a cascade). So the time of the wheels is the tick
/// at which a bucket expired last, and lags behind while no bucket expires.
///
/// The original links the items of a bucket with each other, so that each cancel and each move
/// waits for the memory of the neighbours. Here a bucket is a list of blocks with pointers to its
/// items. The call that empties a bucket knows all addresses beforehand, and the cache misses
/// overlap. A cancelled item is only marked. It is dropped when its bucket expires, or in a sweep.
/// A cancel sweeps if marked items outnumber the others and the buckets together. An item that is
/// put off stays where it is, until its bucket expires.
///
///     insert    O(1); O(log b) for b buckets in use if its bucket was unused
///     cancel    O(1) amortised; O(n) for the one call that makes a sweep due
///     take      the same
///     expire    O(log b) a bucket, and O(1) an item, which moves at most once per wheel
///
/// Blocks go from bucket to bucket and are not given back. They take 8 bytes per item, for the
/// largest number of items that there was. So only `insert` and `reserve_one` fail when memory runs
/// out. Nothing here is safe against concurrent calls.

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

/// The base class of what the wheels hold. An item has two members:
///
///     Tick due() const         when it is due; the end of time means never. Any thread may put it
///                              off at any time.
///     bool settle(Tick now)    whether it is due by `now`. If so, it stays due from then on.
class WheelItem {
  template <class Pointer>
  friend class TimingWheel;

  enum class Membership : unsigned char { outside, inside, cancelled };
  Membership membership_ = Membership::outside;
  void* place_ = nullptr;  // the address of the pointer in its bucket that leads to it
};

/// `Pointer` leads to a WheelItem. If it owns the item, the wheels own it, until they give it out
/// or drop it. The destructor of an item must neither throw nor call the wheels.
template <class Pointer>
class TimingWheel {
  struct Block;

  /// A list of blocks. All blocks but the last one are full.
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

  /// Wheels of `size` buckets each, at least 2. Their time is `start`.
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

  /// Makes sure that there are enough blocks for one more item, wherever the items go. All blocks
  /// are full, except one in each bucket in use, and one that is being emptied.
  void reserve_one() { reserve(entries_ + 1, levels_.size()); }

  /// Puts in again an item that was taken out. After `reserve_one` this needs no memory: if no
  /// wheel reaches that far, the item waits in the last wheel.
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

  /// Empties all buckets that have expired by `now`, in the order of their expirations, and calls
  /// `on_due(item)` for each due item. `on_due` must not throw. Returns whether there was such a
  /// bucket, even if none of its items was due or all of them were cancelled.
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

  /// Takes all items out, and calls `visit(item)` for each, in no order. `visit` must not throw.
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
    Tick reach;  // an item that is further ahead belongs to the next level
    Tick now;    // a multiple of the width
    std::vector<Bucket> buckets;
  };

  /// Of two buckets that expire at once the wider one is first: most of its items came first.
  static bool expires_later(const Bucket* bucket, const Bucket* other) {
    if (bucket->expiration != other->expiration) return bucket->expiration > other->expiration;
    return bucket->width < other->width;
  }

  static bool reaches(const Level& level, Tick tick) { return tick - level.now <= level.reach; }

  static bool is_dead(const Pointer& item) {
    return item->membership_ == WheelItem::Membership::cancelled;
  }

  /// The last possible level reaches the end of time, because its span would overflow.
  void add_level(Tick width, Tick now) {
    const bool is_last = width > kEndOfTime / wheel_size_;
    const Tick reach = is_last ? kEndOfTime : width * wheel_size_ - 1;
    Level level{width, reach, now - now % width, std::vector<Bucket>(wheel_size_)};
    for (Bucket& bucket : level.buckets) bucket.width = width;
    queue_.reserve((levels_.size() + 1) * wheel_size_);
    levels_.push_back(std::move(level));
  }

  /// Makes blocks for `items` items on `wheels` wheels.
  void reserve(std::size_t items, std::size_t wheels) {
    const std::size_t buckets = std::min(wheels * wheel_size_, items);
    while (blocks_.size() < items / kBlockSize + buckets + 1) {
      Block& fresh = blocks_.emplace_back();
      fresh.next = std::exchange(free_, &fresh);
    }
  }

  /// Counts one more cancelled item or hole.
  void count_dead() {
    ++dead_;
    if (dead_ > size() + levels_.size() * wheel_size_) sweep();
  }

  /// Puts an item where it belongs. An item that was put off beyond the last wheel goes to the last
  /// bucket, and moves on from there.
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

  /// Queues a bucket once a turn, when its first item comes. The queue has room for all buckets.
  void use(Bucket& bucket, Tick expiration) {
    if (bucket.expiration == expiration) return;
    bucket.expiration = expiration;
    queue_.push_back(&bucket);
    std::push_heap(queue_.begin(), queue_.end(), expires_later);
  }

  /// Moves time, on each level where it enters another bucket.
  void turn_to(Tick now) {
    for (Level& level : levels_) {
      if (now - level.now < level.width) break;
      level.now = now - now % level.width;
    }
  }

  /// An item that is not due fits into a finer wheel, and never comes back here, unless it was put
  /// off.
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

  /// For an item that was put off: adds wheels until one reaches it. If memory runs out, the item
  /// goes to the last wheel that there is.
  void try_to_reach(Tick due) noexcept {
    try {
      while (!reaches(levels_.back(), due)) {
        reserve(entries_, levels_.size() + 1);
        add_level(levels_.back().reach + 1, levels_.back().now);
      }
    } catch (const std::bad_alloc&) {
    }
  }

  /// Drops all cancelled items.
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

  /// Takes the items out of a bucket, and calls `visit(item)` for each, in the order in which they
  /// came.
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

  /// The item leaves the wheels.
  Pointer release(Pointer&& item) {
    if (is_dead(item)) --dead_;
    --entries_;
    item->membership_ = WheelItem::Membership::outside;
    return std::move(item);
  }

  const std::size_t wheel_size_;
  std::vector<Level> levels_;
  std::vector<Bucket*> queue_;  // a heap of the buckets in use
  std::deque<Block> blocks_;    // all blocks
  Block* free_ = nullptr;       // the first block that is not in a bucket
  std::size_t entries_ = 0;     // how many items and holes are in the buckets
  std::size_t dead_ = 0;        // how many of them are holes, or were cancelled
};

}  // namespace timers
