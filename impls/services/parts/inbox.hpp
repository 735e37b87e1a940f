#pragma once

/// How timers come to the thread that drives them, from any number of others, without a lock.
///
/// A stack of nodes behind one atomic word, after Treiber (1986), of which the reader takes all at
/// once and turns them round: so nothing is ever popped, and nothing can be mistaken for what stood
/// there before. The word has the address of the last node in its lower 48 bits, and above it the
/// number of nodes: that costs the writers nothing, and tells them when the reader should come.
/// So an address must not need more than 48 bits. Linux gives no others to a program on x86-64 and
/// aarch64 that does not ask for them. Addresses with a tag above, as HWAddressSanitizer has them,
/// will not do.
///
/// A push and a take both change the word, so one comes after the other and knows what was done
/// before the other. Either the take finds the node, or the push knows what the reader announced
/// before it looked. So a reader that announces its sleep first misses nothing.
///
/// A node may have a trail (trail.hpp). Then the reader need not wait for one node after the other.
///
///     push               O(1): one compare-and-set, and another for each writer that was quicker
///     take_all, close    O(k) for k nodes

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace timers {

/// A node with a trail. `lead_to` comes before it is pushed, with the address of a node that this
/// thread pushed some time before, here or elsewhere, or 0. `prefetch_ahead` comes when it is
/// taken.
template <class Node>
concept HasTrail = requires(Node& node, std::uintptr_t earlier) {
  node.lead_to(earlier);
  node.prefetch_ahead();
};

/// `Node` has a member `Node* next_in_inbox`, which is the inbox's while the node is in it.
/// `Atomic` is another than std::atomic only in tests that order its accesses.
template <class Node, template <class> class Atomic = std::atomic>
class Inbox {
 public:
  /// Up to here the nodes are counted.
  static constexpr std::size_t kMostCounted = 0xffff;

  /// Puts a node in, and returns how many there are now; 0 if the inbox is closed, and did not take
  /// it. All that its reader did before it closed the inbox has happened then.
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

  /// How many nodes there are, as far as they are counted.
  std::size_t size() const { return count_of(word_.load(std::memory_order_relaxed)); }

  /// Takes all nodes, in the order of their coming: the first, which leads to the others by
  /// `next_in_inbox`, or nullptr. For one reader at a time. Leaves nothing but the mark of an inbox
  /// that is closed.
  Node* take_all() { return in_order(word_.fetch_and(kClosed, std::memory_order_acq_rel)); }

  /// Takes all nodes, and any that comes later is not taken in.
  Node* close() { return in_order(word_.exchange(kClosed, std::memory_order_acq_rel)); }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kTrail = 8;  // a trail leads over so many nodes of a thread
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

  /// What this thread pushed kTrail pushes before `node`, which it is about to push.
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
        if (left-- > kTrail) node->prefetch_ahead();  // or it leads to a node of an earlier take
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
