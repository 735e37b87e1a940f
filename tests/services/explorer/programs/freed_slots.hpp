#pragma once

/// Programs for the explorer, in which two threads use the freed slots of a block.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "impls/services/parts/freed_slots.hpp"
#include "tests/services/explorer/explorer.hpp"

namespace timers::programs {

constexpr std::uint16_t kSlots = 4;
using Slots = FreedSlots<kSlots, StepwiseAtomic, Checked>;

/// The slots in a list, each as often as it occurs.
inline std::multiset<int> listed(const Slots& slots, Slots::State state) {
  std::multiset<int> all;
  for (auto slot = state.first; slot != Slots::kNone && all.size() < 9; slot = slots.behind(slot)) {
    all.insert(slot);
  }
  return all;
}

/// The nodes of the slots are not atomic.
struct Block {
  std::optional<Slots> slots{std::in_place};
  std::array<Checked<int>, kSlots> nodes;

  /// The thread calls it that knows that the whole block is free.
  void give_back() {
    for (auto& node : nodes) node = -1;
    slots.reset();
  }
};

/// Frees slots of a block. Counts how often it freed the middle slot, and how often the last one.
struct Freer {
  explicit Freer(Block& of) : block(of) {}

  void free(std::uint16_t slot) {
    free(slot, [this] {
      for (auto& node : block.nodes) node = -1;
    });
  }
  /// Calls `give_back` if the whole block is free.
  template <class GiveBack>
  void free(std::uint16_t slot, GiveBack give_back) {
    block.nodes[slot] = 0;
    Slots::State state = block.slots->free_unless_all(slot);
    if (state.is_all()) {
      ++refused;
      state = block.slots->free(slot);
    }
    halves += state.is_half();
    wholes += state.is_all();
    if (state.is_all()) give_back();
  }

  Block& block;
  int halves = 0;
  int wholes = 0;
  int refused = 0;
};

struct TwoFreers {
  TwoFreers() { block.slots->retire(); }
  void first() {
    one.free(0);
    one.free(1);
  }
  void second() {
    other.free(2);
    other.free(3);
  }
  std::string fault() const {
    if (listed(*block.slots, block.slots->look()) != std::multiset{0, 1, 2, 3})
      return "a slot is lost";
    if (one.halves + other.halves != 1) return "not one of them freed the middle slot";
    if (one.wholes + other.wholes != 1) return "not one of them freed the last slot";
    if (one.refused + other.refused != 1) return "not one of them was told before";
    return "";
  }

  Block block;
  Freer one{block};
  Freer other{block};
};

/// The thread that has the block takes its free slots. If there are none, it gives the block up.
struct FreerAndSource {
  void first() {
    freer.free(0);
    freer.free(1);
  }
  void second() {
    if (block.slots->retire_if_none()) return;
    const Slots::State state = block.slots->take();
    taken = listed(*block.slots, state);
    for (const int slot : taken) block.nodes[static_cast<std::size_t>(slot)] = 1;
    is_count_right = state.count == taken.size();
  }
  std::string fault() const {
    std::multiset<int> all = listed(*block.slots, block.slots->look());
    const bool is_retired = block.slots->look().owner == Slots::Owner::nobody;
    all.insert(taken.begin(), taken.end());
    if (all != std::multiset{0, 1}) return "a slot is lost, or there twice";
    if (!is_count_right) return "the count is wrong";
    if (is_retired && !taken.empty()) return "it was given up with slots that are free";
    if (freer.halves != is_retired) return "the middle slot is not told of";
    return "";
  }

  Block block;
  Freer freer{block};
  std::multiset<int> taken;
  bool is_count_right = true;
};

/// A thread that ends gives up a block.
struct FreerAndLastOwner {
  void first() {
    freer.free(0);
    freer.free(1);
  }
  void second() { left = block.slots->retire().count; }
  std::string fault() const {
    if (listed(*block.slots, block.slots->look()) != std::multiset{0, 1}) return "a slot is lost";
    if (block.slots->look().owner != Slots::Owner::nobody) return "somebody has it";
    if (freer.halves + (left == kSlots / 2) != 1) return "not one of them knows that half is free";
    return "";
  }

  Block block;
  Freer freer{block};
  int left = 0;
};

/// The thread that has the block hands out its last slots and gives the block up. The other thread
/// frees all slots. Exactly one of the two learns that the memory can be given back.
template <bool kIfNone>
struct OwnerAndLastFreer {
  OwnerAndLastFreer() {
    block.slots->free(0);
    block.slots->free(1);
  }
  void first() {
    listed(*block.slots, block.slots->take());
    is_handed_out.store(true, std::memory_order_release);
    if (kIfNone && block.slots->retire_if_none()) return;
    if (block.slots->retire().count == kSlots) block.give_back();
  }
  void second() {
    if (!is_handed_out.load(std::memory_order_acquire)) return;
    for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
      freer.free(slot, [this] { block.give_back(); });
    }
    has_freed = true;
  }
  std::string fault() const {
    return has_freed == !block.slots ? "" : "the memory is not given back once";
  }

  StepwiseAtomic<bool> is_handed_out = false;
  Block block;
  Freer freer{block};
  bool has_freed = false;
};

/// Two threads free all slots of a block that nobody has, as in NodePool. One of them puts the
/// block on the shelf. One of them gives the memory back. Both do so under the lock of the shelf.
struct ShelfAndLastFreer {
  ShelfAndLastFreer() { block.slots->retire(); }
  void first() {
    free(0);
    free(1);
  }
  void second() {
    free(2);
    free(3);
  }
  void free(std::uint16_t slot) {
    block.nodes[slot] = 0;
    const Slots::State state = block.slots->free_unless_all(slot);
    if (!state.is_all() && !state.is_half()) return;
    const std::lock_guard lock(shelf);
    if (state.is_half()) {
      if (block.slots->look().is_all()) return block.give_back();
      is_on_shelf = true;
    } else if (block.slots->free(slot).is_all() && is_on_shelf) {
      is_on_shelf = false;
      block.give_back();
    }
  }
  std::string fault() const {
    return block.slots || is_on_shelf ? "the memory is not given back once" : "";
  }

  Block block;
  StepwiseMutex shelf;
  Checked<bool> is_on_shelf = false;
};

}  // namespace timers::programs
