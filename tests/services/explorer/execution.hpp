#pragma once

/// What some threads have done to memory in a run so far, and what an access may do next, according
/// to the memory model of C++20.
///
/// An execution is a graph. Its nodes are the accesses: each thread has a sequence of them. Its
/// edges say which store a load *reads from*, and in which order the stores to a location are (its
/// *modification order*). All else follows from these:
///
///   - What *happens before* an access. Each access has a vector clock, which counts the accesses
///     of each thread. A release sends the clock and an acquire receives it, also through fences,
///     and through the read-modify-writes that follow the release (the release sequence).
///   - *Coherence*: a load reads no store that is older than one which its thread must know. A
///     store comes after all stores that its thread must know. A read-modify-write comes directly
///     after the store that it reads.
///   - The *total order S* of the sequentially consistent operations. It exists if the orders that
///     the standard demands (atomics.order, 4) form no cycle. The standard's "strongly happens
///     before" is taken literally.
///   - *Races* of two plain accesses, neither of which happens before the other.
///
/// Not covered (load buffering): a load never reads a store that depends on this load, or that
/// comes later in the same thread; nor do two threads read from each other in a cycle. The standard
/// allows the latter for relaxed accesses, and compilers and some machines do it. Other checkers
/// exclude it, too (Relacy, and GenMC with RC11). Consume counts as acquire.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace timers {

constexpr bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

class Execution {
 public:
  static constexpr std::size_t kMostThreads = 4;
  /// The number of the thread that makes the program before its threads begin, and examines it when
  /// they have ended.
  static constexpr std::size_t kMaker = kMostThreads;
  /// A run with more accesses is taken for endless.
  static constexpr std::size_t kMostAccesses = 400;

  using Id = std::uint16_t;  // of an access
  using Word = std::uint64_t;
  using Order = std::memory_order;

  static constexpr Id kNone = 0xffff;

  /// An atomic value. `stores` is its modification order; the first store is its initialization.
  struct Location {
    std::vector<Id> stores;
    std::vector<Id> loads;  // without read-modify-writes
  };

  /// When each thread last accessed a plain value.
  struct Plain {
    std::array<std::uint16_t, kMostThreads + 1> written{};
    std::array<std::uint16_t, kMostThreads + 1> read{};
  };

  /// Begins a new run. From now on the maker acts.
  void clear() {
    accesses_.clear();
    total_order_.clear();
    fences_.clear();
    threads_ = {};
  }

  /// The threads begin: all that the maker did happened before.
  void fork() {
    for (std::size_t thread = 0; thread < kMostThreads; ++thread) {
      threads_[thread] = {.clock = threads_[kMaker].clock};
    }
  }

  /// The threads have ended.
  void join() {
    for (const Thread& thread : threads_) threads_[kMaker].clock.join(thread.clock);
  }

  /// Whether there were more accesses than a reasonable program has.
  bool is_too_long() const {
    return accesses_.size() >= kMostAccesses || total_order_.size() >= TotalOrder::kMost - 1;
  }
  Id last() const { return static_cast<Id>(accesses_.size() - 1); }
  Word value(Id id) const { return accesses_[id].value; }

  /// Whether an access to a location comes before another. If both access the same location,
  /// coherence decides; otherwise, whether the one happens before the other.
  bool is_before(Id one, Id other) const {
    const Access& first = accesses_[one];
    const Access& second = accesses_[other];
    if (first.location == second.location && first.location != nullptr) {
      return rank(one, first) < rank(other, second);
    }
    return first.is_before(second.clock) && one != other;
  }

  /// Whether the making of a location and all accesses to it so far happened before what `thread`
  /// does.
  bool knows_all(std::size_t thread, const Location& location) const {
    const auto knows = [&](Id id) { return happened(id, thread); };
    return std::all_of(location.stores.begin(), location.stores.end(), knows) &&
           std::all_of(location.loads.begin(), location.loads.end(), knows);
  }
  bool knows_making(std::size_t thread, const Location& location) const {
    return happened(location.stores.front(), thread);
  }

  /// The place in the modification order of the oldest store that `thread` may read.
  std::size_t oldest_to_read(std::size_t thread, const Location& location) const {
    std::size_t oldest = 0;
    for (std::size_t i = location.stores.size(); i-- > 0;) {
      if (!happened(location.stores[i], thread)) continue;
      oldest = i;
      break;
    }
    for (const Id load : location.loads) {
      if (!happened(load, thread)) continue;
      oldest = std::max(oldest, position(location, accesses_[load].source));
    }
    return oldest;
  }

  /// Whether a read-modify-write reads the store in that place. Then no store may come between
  /// them.
  bool is_followed_at_once(const Location& location, std::size_t place) const {
    return place + 1 < location.stores.size() && accesses_[location.stores[place + 1]].is_change();
  }

  /// Whether the total order S allows a load of the store in `place`.
  bool may_load(std::size_t thread, const Location& location, std::size_t place,
                Order order) const {
    return may_enter(thread, location, rank_of_load(place), order, location.stores[place]);
  }
  /// The same for a store that is put in that place.
  bool may_store(std::size_t thread, const Location& location, std::size_t place,
                 Order order) const {
    return may_enter(thread, location, rank_of_new_store(place), order, kNone);
  }
  /// The same for a read-modify-write that reads the store in that place.
  bool may_change(std::size_t thread, const Location& location, std::size_t place,
                  Order order) const {
    return may_enter(thread, location, rank_of_new_store(place + 1), order, location.stores[place]);
  }

  Id load(std::size_t thread, Location& location, std::size_t place, Order order) {
    const Id source = location.stores[place];
    const Access access = arrive(thread, location, rank_of_load(place), order, source);
    location.loads.push_back(static_cast<Id>(accesses_.size()));
    return keep(access, accesses_[source].value);
  }

  Id store(std::size_t thread, Location& location, std::size_t place, Word value, Order order) {
    Access access = arrive(thread, location, rank_of_new_store(place), order, kNone);
    access.is_store = true;
    access.message = releases(order) ? access.clock : threads_[thread].released_by_fence;
    insert(location, place);
    return keep(access, value);
  }

  /// A read-modify-write of the store in `place`.
  Id change(std::size_t thread, Location& location, std::size_t place, Word value, Order order) {
    const Id source = location.stores[place];
    Access access = arrive(thread, location, rank_of_new_store(place + 1), order, source);
    access.is_store = true;
    access.message = releases(order) ? access.clock : threads_[thread].released_by_fence;
    access.message.join(accesses_[source].message);  // the release sequence continues
    insert(location, place + 1);
    return keep(access, value);
  }

  void fence(std::size_t thread, Order order) {
    Thread& self = threads_[thread];
    Clock clock = self.clock;
    ++clock.times[thread];
    if (acquires(order)) clock.join(self.to_be_acquired_by_fence);
    if (order == std::memory_order_seq_cst) {
      enter_fence(thread, clock);
      fences_.push_back({thread, clock.times[thread], total_order_.size() - 1, clock});
    }
    if (releases(order)) self.released_by_fence = clock;
    self.clock = clock;
  }

  /// Whether a plain access races with an earlier one.
  bool races(std::size_t thread, const Plain& plain, bool writes) const {
    const auto& knows = threads_[thread].clock.times;
    for (std::size_t other = 0; other <= kMostThreads; ++other) {
      if (plain.written[other] > knows[other]) return true;
      if (writes && plain.read[other] > knows[other]) return true;
    }
    return false;
  }
  void touch(std::size_t thread, Plain& plain, bool writes) {
    (writes ? plain.written : plain.read)[thread] = ++threads_[thread].clock.times[thread];
  }

  /// A location is destroyed: from now on its accesses have no order.
  void forget(const Location& location) {
    for (Access& access : accesses_) {
      if (access.location == &location) access.location = nullptr;
    }
  }

 private:
  struct Clock {
    std::array<std::uint16_t, kMostThreads + 1> times{};

    void join(const Clock& other) {
      for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], other.times[i]);
    }
  };

  struct Access {
    const Location* location = nullptr;
    std::size_t thread = 0;
    std::uint16_t time = 0;
    Id source = kNone;  // for a load and a read-modify-write
    bool is_store = false;
    bool is_in_total_order = false;
    std::size_t number = 0;  // its number in the total order
    Word value = 0;          // a load reads it, all others write it
    Clock clock;
    Clock message{};  // what happened before an access that acquires from this one

    bool is_change() const { return is_store && source != kNone; }
    bool is_before(const Clock& other) const { return time <= other.times[thread]; }
  };

  struct Fence {
    std::size_t thread = 0;
    std::uint16_t time = 0;
    std::size_t number = 0;  // its number in the total order
    Clock clock;

    bool is_before(const Clock& other) const { return time <= other.times[thread]; }
  };

  struct Thread {
    Clock clock{};
    Clock released_by_fence{};
    Clock to_be_acquired_by_fence{};
  };

  /// For sequentially consistent operations: which of them must come before which.
  class TotalOrder {
   public:
    static constexpr std::size_t kMost = 64;

    struct Member {
      std::uint64_t later = 0;  // a bit for each member that must come later
      std::uint16_t thread = 0;
      std::uint16_t time = 0;
    };

    std::size_t size() const { return size_; }
    void clear() { size_ = 0; }
    const Member& operator[](std::size_t number) const { return members_[number]; }

    std::size_t add(std::size_t thread, std::uint16_t time) {
      members_[size_] = {0, static_cast<std::uint16_t>(thread), time};
      return size_++;
    }

    /// Returns false if that would form a cycle.
    bool put_before(std::size_t one, std::size_t other) {
      if (one == other || is_before(other, one)) return false;
      if (is_before(one, other)) return true;
      const std::uint64_t later = members_[other].later | bit(other);
      for (std::size_t i = 0; i < size_; ++i) {
        if (i == one || is_before(i, one)) members_[i].later |= later;
      }
      return true;
    }

   private:
    static std::uint64_t bit(std::size_t number) { return std::uint64_t{1} << number; }
    bool is_before(std::size_t one, std::size_t other) const {
      return (members_[one].later & bit(other)) != 0;
    }

    std::array<Member, kMost> members_{};
    std::size_t size_ = 0;
  };

  bool happened(Id id, std::size_t thread) const {
    return accesses_[id].is_before(threads_[thread].clock);
  }

  static std::size_t position(const Location& location, Id store) {
    return static_cast<std::size_t>(
        std::find(location.stores.begin(), location.stores.end(), store) - location.stores.begin());
  }

  // Accesses to a location are ordered by their ranks. Loads of the same store have equal ranks.
  static constexpr std::size_t rank_of_load(std::size_t place) { return 4 * place + 1; }
  static constexpr std::size_t rank_of_store(std::size_t place) { return 4 * place; }
  /// The rank of a store that is put before the store in that place, and after all loads of the
  /// previous one.
  static constexpr std::size_t rank_of_new_store(std::size_t place) {
    return place == 0 ? 0 : rank_of_store(place) - 1;
  }
  std::size_t rank(Id id, const Access& access) const {
    return access.is_store ? rank_of_store(position(*access.location, id))
                           : rank_of_load(position(*access.location, access.source));
  }

  /// The clock of a thread after an access that reads `source`.
  Clock clock_after(std::size_t thread, Id source, Order order) const {
    Clock clock = threads_[thread].clock;
    ++clock.times[thread];
    if (source != kNone && acquires(order)) clock.join(accesses_[source].message);
    return clock;
  }

  bool may_enter(std::size_t thread, const Location& location, std::size_t rank_of_new, Order order,
                 Id source) const {
    if (order != std::memory_order_seq_cst && fences_.empty()) return true;
    TotalOrder trial = total_order_;
    return enter(trial, thread, location, rank_of_new, order, clock_after(thread, source, order));
  }

  /// Puts what an access demands into the total order. Returns false if that is impossible.
  bool enter(TotalOrder& order_of_all, std::size_t thread, const Location& location,
             std::size_t rank_of_new, Order order, const Clock& clock) const {
    const bool is_member = order == std::memory_order_seq_cst && thread != kMaker;
    if (!is_member && fences_.empty()) return true;
    if (is_member) add_member(order_of_all, thread);
    const std::size_t self = order_of_all.size() - 1;
    const auto compare = [&](Id id, std::size_t its_rank) {
      const Access& access = accesses_[id];
      if (its_rank < rank_of_new) {
        return !is_member || put_before(order_of_all, access, access.clock, self);
      }
      if (its_rank == rank_of_new) return true;
      return put_before(order_of_all, is_member, self, clock, access);
    };
    for (std::size_t i = 0; i < location.stores.size(); ++i) {
      if (!compare(location.stores[i], rank_of_store(i))) return false;
    }
    for (const Id load : location.loads) {
      if (!compare(load, rank(load, accesses_[load]))) return false;
    }
    return true;
  }

  /// Adds a member, after all members that strongly happen before it.
  void add_member(TotalOrder& order_of_all, std::size_t thread) const {
    const auto& knows = threads_[thread].clock.times;
    const std::size_t self =
        order_of_all.add(thread, static_cast<std::uint16_t>(knows[thread] + 1));
    for (std::size_t i = 0; i < self; ++i) {
      const auto& member = order_of_all[i];
      // A member of another thread comes before, if this thread also knows a later access of that
      // one.
      if (member.thread == thread || member.time < knows[member.thread]) {
        order_of_all.put_before(i, self);
      }
    }
  }

  /// Puts an access, and the fences before it, before a member.
  bool put_before(TotalOrder& order_of_all, const Access& access, const Clock& clock,
                  std::size_t member) const {
    if (access.is_in_total_order && !order_of_all.put_before(access.number, member)) return false;
    return std::all_of(fences_.begin(), fences_.end(), [&](const Fence& fence) {
      return !fence.is_before(clock) || order_of_all.put_before(fence.number, member);
    });
  }

  /// Puts a new access, and the fences before it, before another access and the fences after that
  /// one.
  bool put_before(TotalOrder& order_of_all, bool is_member, std::size_t self, const Clock& clock,
                  const Access& access) const {
    const auto before_access = [&](std::size_t member) {
      if (access.is_in_total_order && !order_of_all.put_before(member, access.number)) return false;
      return std::all_of(fences_.begin(), fences_.end(), [&](const Fence& fence) {
        return !access.is_before(fence.clock) || order_of_all.put_before(member, fence.number);
      });
    };
    if (is_member && !before_access(self)) return false;
    return std::all_of(fences_.begin(), fences_.end(), [&](const Fence& fence) {
      return !fence.is_before(clock) || before_access(fence.number);
    });
  }

  /// A thread makes an access: puts it into the total order and advances the clock of the thread.
  Access arrive(std::size_t thread, const Location& location, std::size_t rank_of_new, Order order,
                Id source) {
    Thread& self = threads_[thread];
    const Clock clock = clock_after(thread, source, order);
    enter(total_order_, thread, location, rank_of_new, order, clock);
    self.clock = clock;
    if (source != kNone) self.to_be_acquired_by_fence.join(accesses_[source].message);
    const bool is_in_total_order = order == std::memory_order_seq_cst && thread != kMaker;
    return {.location = &location,
            .thread = thread,
            .time = clock.times[thread],
            .source = source,
            .is_in_total_order = is_in_total_order,
            .number = total_order_.size() - 1,
            .clock = clock};
  }

  Id keep(const Access& access, Word value) {
    accesses_.push_back(access);
    accesses_.back().value = value;
    return last();
  }

  void insert(Location& location, std::size_t place) {
    location.stores.insert(location.stores.begin() + static_cast<std::ptrdiff_t>(place),
                           static_cast<Id>(accesses_.size()));
  }

  /// Puts a fence into the total order, after each access that comes before an access which happens
  /// before the fence.
  void enter_fence(std::size_t thread, const Clock& clock) {
    add_member(total_order_, thread);
    const std::size_t self = total_order_.size() - 1;
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      const Access& behind = accesses_[i];
      if (behind.location == nullptr || !behind.is_before(clock)) continue;
      for (std::size_t j = 0; j < accesses_.size(); ++j) {
        const Access& before = accesses_[j];
        if (before.location != behind.location) continue;
        if (rank(static_cast<Id>(j), before) < rank(static_cast<Id>(i), behind)) {
          put_before(total_order_, before, before.clock, self);
        }
      }
    }
  }

  std::array<Thread, kMostThreads + 1> threads_{};
  std::vector<Access> accesses_;
  std::vector<Fence> fences_;  // the sequentially consistent ones
  TotalOrder total_order_;
};

}  // namespace timers
