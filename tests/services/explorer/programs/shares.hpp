#pragma once

/// Programs for the explorer, in which two threads share a node. The last one to give up its share
/// destroys the node.

#include <cstdint>
#include <optional>
#include <string>

#include "impls/services/parts/pooled_node.hpp"
#include "tests/services/explorer/explorer.hpp"

namespace timers::programs {

struct SharedNode : PooledNode<SharedNode, StepwiseAtomic> {
  SharedNode(std::uint32_t owners, std::optional<SharedNode>& in) : PooledNode(owners), place(in) {}
  static void destroy(SharedNode* node) { node->place.reset(); }

  std::optional<SharedNode>& place;
  StepwiseAtomic<int> uses = 0;
};

struct OwnersOfOneNode {
  std::optional<SharedNode> place;
  OwnersOfOneNode() { place.emplace(2u, place); }
  /// Makes another share from its own, and gives up both.
  void first() {
    SharedNode* const node = &*place;
    intrusive_ptr_add_ref(node);
    use(node);
    use(node);
  }
  void second() { use(&*place); }
  static void use(SharedNode* node) {
    node->uses.fetch_add(1, std::memory_order_relaxed);
    intrusive_ptr_release(node);
  }
  std::string fault() const { return place ? "a node that nobody owns is left" : ""; }
};

}  // namespace timers::programs
