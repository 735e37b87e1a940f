#pragma once

/// Through an inbox any number of producers hand timers to the thread that drives them, without a
/// lock.
///
/// It is a stack of nodes behind one atomic word, after Treiber (1986). The reader takes all nodes
/// at once and reverses their order. So no single node is ever popped, and there is no ABA problem.
/// The word has the address of the last node in its lower 48 bits, and the number of nodes above
/// it. The count costs the producers nothing, and tells them when to wake the reader. So an address
/// must fit in 48 bits. Linux gives longer ones only to programs that ask for them, on x86-64 and
/// aarch64. Tagged addresses, such as those of HWAddressSanitizer, do not work.
///
/// A push and a take both change the word. So one of them comes later, and sees all that happened
/// before the other. Either the take finds the node, or the push sees what the reader announced
/// before it looked. So a reader that first announces its sleep misses nothing.
///
/// A node may have a trail (trail.hpp). Then the reader need not wait for one node after the other.
///
///     push               O(1): one compare-and-set, and another whenever another writer came first
///     take_all, close    O(k) for k nodes

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace timers {

/// A node with a trail. `lead_to` is called before the push, with the address of a node that this
/// thread pushed some time before, into this inbox or another one, or 0. `prefetch_ahead` is called
/// when the node is taken.
template <class Node>
concept HasTrail = requires(Node& node, std::uintptr_t earlier) {
  node.lead_to(earlier);
  node.prefetch_ahead();
};

/// `Node` has a member `Node* next_in_inbox`, which the inbox owns while the node is in it.
/// `Atomic` is std::atomic except in tests that control the order of accesses.
template <class Node, template <class> class Atomic = std::atomic>
class Inbox {
 public:
  /// The count stops here, however many nodes there are.
  static constexpr std::size_t kMostCounted = 0xffff;

  /// Puts a node in, and returns how many there are now. Returns 0 if the inbox is closed, and does
  /// not take the node. Then the caller sees all that the reader did before it closed the inbox.
  std::size_t push(Node* node) {
    if constexpr (HasTrail<Node>) node->lead_to(pushed_before(node));
    Word seen = word_.load(std::memory_order_acquire);
    for (;;) {
      if (seen == kClosed) return 0;
      const std::size_t count = count_of(seen) < kMostCounted ? count_of(seen) + 1 : kMostCounted;
      node->next_in_inbox = node_of(seen);
      if (word_.compare_exchange_weak(seen, word_of(node, count), std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return count;
      }
    }
  }

  /// How many nodes there are, up to `kMostCounted`.
  std::size_t size() const { return count_of(word_.load(std::memory_order_relaxed)); }

  /// Takes all nodes, in the order in which they came. Returns the first, which leads to the others
  /// by `next_in_inbox`, or nullptr. For one reader at a time. A closed inbox stays closed, and is
  /// empty.
  Node* take_all() { return in_order(word_.fetch_and(kClosed, std::memory_order_acq_rel)); }

  /// Takes all nodes, and closes the inbox: from now on it takes no node.
  Node* close() { return in_order(word_.exchange(kClosed, std::memory_order_acq_rel)); }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kTrail = 16;  // how many pushes of its thread a trail goes back
  static constexpr unsigned kAddressBits = 48;
  static constexpr Word kEmpty = 0;
  static constexpr Word kClosed = 1;  // no node is at an odd address

  static Word word_of(Node* node, std::size_t count) {
    const auto address = reinterpret_cast<std::uintptr_t>(node);
    assert(address >> kAddressBits == 0);
    return Word{count} << kAddressBits | address;
  }
  static std::size_t count_of(Word word) { return word >> kAddressBits; }
  static Node* node_of(Word word) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the count stands in the bits above the address.
    return reinterpret_cast<Node*>(word & ((Word{1} << kAddressBits) - 1));
  }

  /// `node` is about to be pushed. Returns what this thread pushed kTrail pushes before.
  static std::uintptr_t pushed_before(const Node* node) {
    static constinit thread_local std::array<std::uintptr_t, kTrail> pushed{};
    static constinit thread_local std::size_t pushes = 0;
    return std::exchange(pushed[pushes++ % kTrail], reinterpret_cast<std::uintptr_t>(node));
  }

  static Node* in_order(Word last_first) {
    if (last_first == kClosed) return nullptr;
    Node* ordered = nullptr;
    std::size_t left = count_of(last_first);
    for (Node* node = node_of(last_first); node != nullptr;) {
      if constexpr (HasTrail<Node>) {
        if (left-- > kTrail) node->prefetch_ahead();  // other trails lead to an earlier take
      }
      Node* const before = node->next_in_inbox;
      node->next_in_inbox = ordered;
      ordered = node;
      node = before;
    }
    return ordered;
  }

  Atomic<Word> word_ = kEmpty;
};

}  // namespace timers
