#pragma once

/// The slots of a block of memory that were freed, and whether a thread has the block.
///
/// A list of slots behind one atomic word: any thread adds to it, and the thread that has the
/// block, or gets it, takes all at once. So no single slot is ever popped, and there is no ABA
/// problem. The word also counts the slots, and says whether a thread has the block. So of all
/// threads that free a slot, exactly one learns that its slot was the middle one, or the last.
///
///     free, take, retire    O(1): one compare-and-set or exchange, and another compare-and-set
///                           whenever another thread came first

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace timers {

/// `Atomic` is std::atomic except in tests that control the order of accesses. `Plain` is the type
/// itself except in tests that look for races.
template <std::uint16_t kSlots, template <class> class Atomic = std::atomic,
          template <class> class Plain = std::type_identity_t>
class FreedSlots {
 public:
  using Slot = std::uint16_t;
  static constexpr Slot kNone = kSlots;

  enum class Owner : std::uint32_t { a_thread, nobody };

  /// What is free, and whose the block is.
  struct alignas(8) State {
    Slot first = kNone;  // of a list
    Slot count = 0;
    Owner owner = Owner::a_thread;

    /// Nobody has the block, and half of it is free.
    bool is_half() const { return owner == Owner::nobody && count == kSlots / 2; }
    /// Nobody has the block, and all of it is free.
    bool is_all() const { return owner == Owner::nobody && count == kSlots; }
    bool operator==(const State&) const = default;
  };

  /// At first no slot is free, and a thread has the block.
  FreedSlots() = default;

  /// Frees a slot, and returns the state after that.
  State free(Slot slot) {
    return free_if(slot, [](State) { return true; });
  }

  /// The same, but does nothing if `is_all` would be true of the state that it returns.
  State free_unless_all(Slot slot) {
    return free_if(slot, [](State after) { return !after.is_all(); });
  }

  /// Takes what is free: from now on a thread has the block. Returns the state before that.
  State take() { return word_.exchange(State(), std::memory_order_acquire); }

  /// If no slot is free, nobody has the block from now on. False if some slot is free.
  bool retire_if_none() {
    State none;
    return word_.compare_exchange_strong(none, {.owner = Owner::nobody}, std::memory_order_release,
                                         std::memory_order_relaxed);
  }

  /// From now on nobody has the block. Returns which slots are free.
  State retire() {
    State seen = look();
    while (!word_.compare_exchange_weak(seen, {seen.first, seen.count, Owner::nobody},
                                        std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    return seen;
  }

  /// The state now. The caller must not follow its list.
  State look() const { return word_.load(std::memory_order_relaxed); }

  /// The next slot of the list that was taken; kNone after the last.
  Slot behind(Slot slot) const { return next_[slot]; }

 private:
  template <class Condition>
  State free_if(Slot slot, Condition may_be) {
    State seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      next_[slot] = seen.first;
      const State after{slot, static_cast<Slot>(seen.count + 1), seen.owner};
      if (!may_be(after)) return after;
      if (word_.compare_exchange_weak(seen, after, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
        return after;
      }
    }
  }

  Atomic<State> word_ = State();
  std::array<Plain<Slot>, kSlots> next_;  // of each slot that is free
};

}  // namespace timers
