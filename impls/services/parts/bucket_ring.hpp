#pragma once

/// A ring of buckets, one for each tick: the structure of a hashed wheel.
///
/// An entry stands in bucket `tick mod size`, in the order of arrival, together with entries of
/// other turns. Netty counts the turns of an entry down at each visit to its bucket. Here a bucket
/// knows its earliest tick. So no visit is for nothing, and a jump over many turns skips them.
///
///     insert, remove    O(1)
///     first_due         O(ticks until then), and no more than O(size)
///     visit_due         O(n) for n entries in the bucket, of all turns; O(1) if none is due
///
/// Nothing here is safe against concurrent calls.

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <vector>

#include "impls/services/parts/prefetch.hpp"
#include "impls/timer_queue.hpp"

namespace timers {

/// The base class of what the ring holds.
struct RingEntry : boost::intrusive::list_base_hook<> {
  explicit RingEntry(Tick due) : tick(due) {}

  Tick tick;  ///< When it is due; do not change it in the ring. The end of time means never.
};

/// `Entry` is derived from RingEntry. The ring does not own its entries.
template <class Entry>
class BucketRing {
 public:
  using Entries = boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>>;

  /// `size` is a power of two.
  explicit BucketRing(std::size_t size) : buckets_(size) {}

  std::size_t size() const { return buckets_.size(); }

  void insert(Entry& entry) {
    Bucket& bucket = bucket_of(entry.tick);
    bucket.entries.push_back(entry);
    bucket.earliest = std::min(bucket.earliest, entry.tick);
  }

  void remove(Entry& entry) {
    Bucket& bucket = bucket_of(entry.tick);
    bucket.entries.erase(bucket.entries.iterator_to(entry));
    if (bucket.entries.empty()) bucket.earliest = kEndOfTime;
  }

  /// The first tick from `now` on in which an entry may be due, if none is due before `now`. It is
  /// the end of time if no entry is ever due.
  Tick first_due(Tick now) const {
    Tick first = kEndOfTime;
    for (std::size_t ahead = 0; ahead < size(); ++ahead) {
      const Tick earliest = buckets_[index_of(now + ahead)].earliest;
      if (earliest <= now + ahead) return now + ahead;
      first = std::min(first, earliest);
    }
    return first;
  }

  /// Calls `visit(entry)` for each entry that is due in `tick`, and for entries of former turns
  /// that were left in its bucket. `visit` may remove that entry, and insert it again.
  template <class Visit>
  void visit_due(Tick tick, Visit visit) {
    Bucket& bucket = bucket_of(tick);
    if (bucket.earliest > tick) return;
    bucket.earliest = kEndOfTime;
    Tick earliest = kEndOfTime;
    for (auto next = bucket.entries.begin(); next != bucket.entries.end();) {
      Entry& entry = *next++;
      if (next != bucket.entries.end()) prefetch(*next);
      if (entry.tick > tick) {
        earliest = std::min(earliest, entry.tick);
      } else {
        visit(entry);
      }
    }
    bucket.earliest = std::min(bucket.earliest, earliest);
  }

  /// Calls `visit(entry)` for each entry, in no order. `visit` may remove that entry.
  template <class Visit>
  void for_each(Visit visit) {
    for (Bucket& bucket : buckets_) {
      for (auto next = bucket.entries.begin(); next != bucket.entries.end();) visit(*next++);
    }
  }

 private:
  struct Bucket {
    Entries entries;
    Tick earliest = kEndOfTime;  // no entry that is still to be visited is due before this tick
  };

  std::size_t index_of(Tick tick) const { return tick & (size() - 1); }
  Bucket& bucket_of(Tick tick) { return buckets_[index_of(tick)]; }

  std::vector<Bucket> buckets_;
};

}  // namespace timers
