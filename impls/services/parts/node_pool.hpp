#pragma once

/// Memory for the nodes of timers, which one thread allocates and another one frees.
///
/// A general allocator is slow at that. The thread of a service frees nodes in the order in which
/// timers end. A producer gets them back in that order. Each lies in another cache line, for which
/// the producer waits. Here nodes lie in *blocks*. A thread allocates from one block at a time, so
/// it gets neighbours. Any thread frees a node into the block that the node is from, by one
/// compare-and-set. Leijen, Zorn and de Moura (Mimalloc: Free List Sharding in Action, 2019) have
/// such a list in each block.
///
/// A block has four states:
///
///   - new: one thread allocates from the block, and no other thread does.
///   - all handed out: the block is *retired*. No thread has it; its nodes lead back to it.
///   - half free: the thread that frees the middle node puts the block on the *shelf*.
///   - all free: its memory is given back, unless the shelf has few such blocks.
///
///     make       O(1), without an atomic operation. For each block: a lock, and an allocation if
///                the shelf is empty
///     destroy    O(1): one compare-and-set. For each block: a lock
///
/// What stays when all nodes are gone: `kSpares` blocks of 16 KiB, and one for each thread that
/// made nodes and still lives. A block with a living node stays, too. AddressSanitizer is told
/// which nodes are free, so it still finds a use after free.

#include <pthread.h>

#include <array>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include "impls/parts/poison.hpp"
#include "impls/services/parts/freed_slots.hpp"
#include "impls/services/parts/prefetch.hpp"

namespace timers {

/// The pool of all nodes of a type, for all threads. A node has a member `slot_in_block`, a
/// std::uint16_t for the pool. The pool is never destroyed: a node may outlive all other objects.
template <class Node>
class NodePool {
  using Slot = std::uint16_t;

 public:
  /// Throws std::bad_alloc. Then nothing has changed, and the arguments are as they were.
  template <class... Args>
  static Node* make(Args&&... args) {
    static_assert(std::is_nothrow_constructible_v<Node, Args...>);
    Source& source = source_;
    if (source.is_empty()) refill(source);
    const Slot slot = source.take();
    Node* const memory = source.block->node(slot);
    unpoison(memory, sizeof(Node));
    Node* const node = std::construct_at(memory, std::forward<Args>(args)...);
    node->slot_in_block = slot;
    if (source.thread_ends) give_up(source);
    return node;
  }

  /// Any thread may call this, not only the one that made the node.
  static void destroy(Node* node) noexcept {
    const Slot slot = node->slot_in_block;
    Block& block = Block::of(node, slot);
    std::destroy_at(node);
    poison(node, sizeof(Node));
    const State state = block.freed.free_unless_all(slot);
    if (state.is_all()) {
      free_last(block, slot);
    } else if (state.is_half()) {
      put_on_shelf(block);
    }
  }

 private:
  static constexpr std::size_t kBytesOfBlock = std::size_t{1} << 14;
  static constexpr std::size_t kBytesOfHead = 2 * kLineBytes;  // and of the general allocator's
  static constexpr Slot kNodes =
      static_cast<Slot>((kBytesOfBlock - kBytesOfHead) / (sizeof(Node) + sizeof(Slot)));
  static constexpr Slot kNone = kNodes;
  static constexpr std::size_t kSpares = 4;
  static constexpr std::size_t kFetchedAhead = 4;  // a node is fetched this many makes ahead

  using Freed = FreedSlots<kNodes>;
  using State = typename Freed::State;

  /// The nodes come first, so that a node and its slot lead to the block.
  struct Block {
    alignas(kLineBytes) std::array<std::byte, kNodes * sizeof(Node)> nodes;
    Freed freed;
    boost::intrusive::list_member_hook<> on_shelf;

    // The memory of the nodes is not initialized: `make` constructs them.
    Block() {
      poison(nodes.data(), nodes.size());
    }  // NOLINT(cppcoreguidelines-pro-type-member-init)
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() { unpoison(nodes.data(), nodes.size()); }

    Node* node(Slot slot) { return reinterpret_cast<Node*>(nodes.data()) + slot; }
    static Block& of(Node* node, Slot slot) { return *reinterpret_cast<Block*>(node - slot); }
  };

  /// What a thread makes nodes from.
  struct Source {
    Block* block = nullptr;
    Slot first = kNone;            // of a list of nodes that are free
    Slot first_unfetched = kNone;  // of that list
    Slot fresh = kNodes;           // this node and those behind it were never used
    bool thread_ends = false;

    bool is_empty() const { return first == kNone && fresh == kNodes; }

    /// Returns a free node. There must be one.
    Slot take() {
      if (first == kNone) return fresh++;
      fetch_another();
      return std::exchange(first, block->freed.behind(first));
    }

    /// The thread gets the block, and takes the nodes that were freed. False if there were none.
    bool take_freed() {
      const State was = block->freed.take();
      if (was.count == kNodes) {
        fresh = 0;  // in the order of their addresses
      } else {
        first = first_unfetched = was.first;
        for (std::size_t i = 0; i < kFetchedAhead; ++i) fetch_another();
      }
      return was.count > 0;
    }

    /// Another core wrote most free nodes last, so it takes a while to fetch their memory.
    /// `prefetch_from_other_core` was measured, and was not faster.
    void fetch_another() {
      if (first_unfetched == kNone) return;
      prefetch(*block->node(first_unfetched));
      first_unfetched = block->freed.behind(first_unfetched);
    }
  };

  static void come_back_at_end_of_thread() {
    struct AtEnd {
      ~AtEnd() {
        source_.thread_ends = true;
        give_up(source_);
      }
    };
    static thread_local const AtEnd at_end;
  }

  struct Shelf {
    std::mutex mutex;
    boost::intrusive::list<
        Block, boost::intrusive::member_hook<Block, boost::intrusive::list_member_hook<>,
                                             &Block::on_shelf>>
        blocks;
    std::size_t spares = 0;  // how many blocks are wholly free; these stand last

    /// A forked child must not find the lock held by a thread that does not exist there.
    Shelf() {
      pthread_atfork([] { shelf().mutex.lock(); }, [] { shelf().mutex.unlock(); },
                     [] { shelf().mutex.unlock(); });
    }
  };

  static Shelf& shelf() {
    alignas(Shelf) static std::byte memory[sizeof(Shelf)];
    static Shelf& never_destroyed = *new (memory) Shelf;
    return never_destroyed;
  }

  /// The shelf is made before `main`. Otherwise a thread could fork while another one makes it, and
  /// the child would wait for that other thread for ever.
  static inline const Shelf& made_early_ = shelf();

  /// Throws std::bad_alloc. Then the source is empty.
  static void refill(Source& source) {
    static_cast<void>(made_early_);  // used, so that it exists
    if (!source.thread_ends) come_back_at_end_of_thread();
    if (source.block != nullptr) {
      do {
        if (source.take_freed()) return;
      } while (!source.block->freed.retire_if_none());
      source.block = nullptr;
    }
    source.block = from_shelf();
    if (source.block != nullptr) {
      source.take_freed();
    } else {
      source.block = new Block;
      source.fresh = 0;
    }
  }

  /// Returns nullptr if the shelf is empty.
  static Block* from_shelf() {
    const std::lock_guard lock(shelf().mutex);
    if (shelf().blocks.empty()) return nullptr;
    Block& block = shelf().blocks.front();
    shelf().blocks.pop_front();
    if (block.freed.look().is_all()) --shelf().spares;
    return &block;
  }

  static void put_on_shelf(Block& block) {
    const std::unique_ptr<Block> gone = [&] {
      const std::lock_guard lock(shelf().mutex);
      return shelve(block, block.freed.look());
    }();
  }

  /// Frees a node that may be the last one of a block that no thread has. The lock keeps other
  /// threads from looking at the block meanwhile.
  static void free_last(Block& block, Slot slot) {
    const std::unique_ptr<Block> gone = [&]() -> std::unique_ptr<Block> {
      const std::lock_guard lock(shelf().mutex);
      const State state = block.freed.free(slot);
      if (state.is_half()) return shelve(block, state);  // It was taken and retired meanwhile.
      // If it is not on the shelf, some thread is about to put it there, or has just taken it.
      if (!state.is_all() || !block.on_shelf.is_linked()) return nullptr;
      shelf().blocks.erase(shelf().blocks.iterator_to(block));
      return shelve(block, state);
    }();
  }

  /// Gives up the block of a source, with the nodes that are left in it.
  static void give_up(Source& source) {
    if (source.block == nullptr) return;
    Block& block = *source.block;
    const std::unique_ptr<Block> gone = [&]() -> std::unique_ptr<Block> {
      const std::lock_guard lock(shelf().mutex);
      source.first_unfetched = kNone;
      while (!source.is_empty()) block.freed.free(source.take());
      source.block = nullptr;
      const State state = block.freed.retire();
      return state.count < kNodes / 2 ? nullptr : shelve(block, state);
    }();
  }

  /// Puts a block on the shelf; `state` says how much of it is free. Or returns it, if its memory
  /// is to be given back. The caller holds the lock.
  static std::unique_ptr<Block> shelve(Block& block, State state) {
    if (state.count < kNodes) {
      shelf().blocks.push_front(block);
    } else if (shelf().spares < kSpares) {
      ++shelf().spares;
      shelf().blocks.push_back(block);
    } else {
      return std::unique_ptr<Block>(&block);
    }
    return nullptr;
  }

  static thread_local Source source_;
};

template <class Node>
constinit thread_local typename NodePool<Node>::Source NodePool<Node>::source_{};

}  // namespace timers
