#pragma once

/// A node with several owners, and memory from the pool of its type. The last owner destroys it.

#include <atomic>
#include <cstdint>
#include <utility>

#include "impls/services/parts/node_pool.hpp"

namespace timers {

/// The base class of `Derived`. Its owners are boost::intrusive_ptrs. `Atomic` is std::atomic
/// except in tests that control the order of accesses.
template <class Derived, template <class> class Atomic = std::atomic>
class PooledNode {
 public:
  explicit PooledNode(std::uint32_t owners) noexcept : owners_(owners) {}
  PooledNode(const PooledNode&) = delete;
  PooledNode& operator=(const PooledNode&) = delete;

  /// Throws std::bad_alloc, and then the arguments are as they were.
  template <class... Args>
  static Derived* make(Args&&... args) {
    return NodePool<Derived>::make(std::forward<Args>(args)...);
  }

 protected:
  ~PooledNode() = default;

 private:
  friend void intrusive_ptr_add_ref(PooledNode* node) {
    node->owners_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(PooledNode* node) {
    if (node->has_one_owner() || node->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Derived::destroy(static_cast<Derived*>(node));
    }
  }

  /// Whether the caller, which is an owner, is the only one. Then nobody else can change the count,
  /// and the caller need not write it. To read it costs less than an atomic subtraction.
  bool has_one_owner() const { return owners_.load(std::memory_order_acquire) == 1; }

  static void destroy(Derived* node) noexcept { NodePool<Derived>::destroy(node); }

  Atomic<std::uint32_t> owners_;

 public:
  std::uint16_t slot_in_block = 0;  ///< For the pool. Here it takes no room from derived classes.
};

}  // namespace timers
