#include "impls/services/parts/node_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/conformance/allocations.hpp"

namespace timers {
namespace {

using conformance::live_bytes_of_all_threads;
using conformance::Ration;
using conformance::Rationing;

/// A node that has its own value twice. Each test has its own type of node, and so its own pool.
template <int kTest>
struct Node {
  explicit Node(std::size_t of) noexcept : value(of), again(~of) {}
  bool is_whole() const { return again == ~value; }

  std::size_t value;
  std::size_t again;
  std::uint64_t more[6] = {};
  std::uint16_t slot_in_block = 0;
};

constexpr std::ptrdiff_t kBlock = std::ptrdiff_t{1} << 14;
constexpr std::ptrdiff_t kMostLeft = 6 * kBlock;  // four spare blocks, and one for each of two
                                                  // threads

template <class Some>
std::vector<Some*> made(std::size_t count) {
  std::vector<Some*> nodes(count);
  for (std::size_t i = 0; i < count; ++i) nodes[i] = NodePool<Some>::make(i);
  return nodes;
}

template <class Some>
void destroy_shuffled(std::vector<Some*> nodes, unsigned seed = 1) {
  std::shuffle(nodes.begin(), nodes.end(), std::minstd_rand(seed));
  for (Some* node : nodes) NodePool<Some>::destroy(node);
}

TEST(NodePool, GivesEachNodeMemoryOfItsOwn) {
  using Some = Node<0>;
  std::vector<Some*> nodes = made<Some>(10'000);
  for (std::size_t i = 0; i < nodes.size(); i += 2) NodePool<Some>::destroy(nodes[i]);
  for (std::size_t i = 0; i < nodes.size(); i += 2) nodes[i] = NodePool<Some>::make(i);
  EXPECT_EQ(std::set<Some*>(nodes.begin(), nodes.end()).size(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ASSERT_TRUE(nodes[i]->is_whole());
    ASSERT_EQ(nodes[i]->value, i);
  }
  destroy_shuffled(nodes);
}

TEST(NodePool, PutsNeighboursSideBySide) {
  using Some = Node<1>;
  const std::vector<Some*> nodes = made<Some>(100);
  for (std::size_t i = 1; i < nodes.size(); ++i) EXPECT_EQ(nodes[i], nodes[i - 1] + 1);
  destroy_shuffled(nodes);
}

TEST(NodePool, NeedsLittleMoreThanItsNodes) {
  using Some = Node<2>;
  constexpr std::size_t kNodes = 100'000;
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  std::vector<Some*> nodes = made<Some>(kNodes);
  const std::ptrdiff_t bytes =
      live_bytes_of_all_threads() - before - static_cast<std::ptrdiff_t>(kNodes * sizeof(Some*));
  EXPECT_LT(bytes, static_cast<std::ptrdiff_t>(kNodes * sizeof(Some)) * 21 / 20);
  destroy_shuffled(nodes);
}

TEST(NodePool, GivesMemoryBackAfterAPeak) {
  using Some = Node<3>;
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  for (const unsigned seed : {1U, 2U, 3U}) {
    destroy_shuffled(made<Some>(100'000), seed);
    EXPECT_LE(live_bytes_of_all_threads() - before, kMostLeft);
  }
}

TEST(NodePool, GivesMemoryBackThatOtherThreadsFree) {
  using Some = Node<4>;
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  std::vector<Some*> nodes;
  std::thread([&] { nodes = made<Some>(100'000); }).join();
  std::thread([&] { destroy_shuffled(nodes); }).join();
  nodes = std::vector<Some*>();
  EXPECT_LE(live_bytes_of_all_threads() - before, kMostLeft);
}

TEST(NodePool, NeedsNoMoreMemoryForMoreRounds) {
  using Some = Node<5>;
  std::minstd_rand random(1);
  std::vector<Some*> nodes = made<Some>(50'000);
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    Some*& node = nodes[random() % nodes.size()];
    NodePool<Some>::destroy(node);
    node = NodePool<Some>::make(i);
  }
  const std::ptrdiff_t grown = live_bytes_of_all_threads() - before;
  EXPECT_LE(grown, static_cast<std::ptrdiff_t>(nodes.size() * sizeof(Some)));
  destroy_shuffled(nodes);
}

TEST(NodePool, UsesWhatIsFreeWhereOneNodeInSixteenStays) {
  using Some = Node<6>;
  std::vector<Some*> nodes = made<Some>(100'000);
  std::vector<Some*> staying;
  for (std::size_t i = 0; i < nodes.size(); i += 16) {
    staying.push_back(std::exchange(nodes[i], nullptr));
  }
  std::erase(nodes, nullptr);
  const std::size_t freed = nodes.size();
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  destroy_shuffled(nodes);
  nodes = std::vector<Some*>();
  nodes = made<Some>(freed);
  EXPECT_LE(live_bytes_of_all_threads() - before, kMostLeft);
  destroy_shuffled(nodes);
  destroy_shuffled(staying);
}

TEST(NodePool, HasNothingOfAThreadThatEnded) {
  using Some = Node<7>;
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  for (int i = 0; i < 100; ++i) {
    std::thread([] { destroy_shuffled(made<Some>(10)); }).join();
  }
  EXPECT_LE(live_bytes_of_all_threads() - before, kMostLeft);
  Some* last = nullptr;
  std::thread([&] { last = NodePool<Some>::make(7U); }).join();
  EXPECT_TRUE(last->is_whole());
  NodePool<Some>::destroy(last);
  EXPECT_LE(live_bytes_of_all_threads() - before, kMostLeft);
}

TEST(NodePool, IsAsItWasWhenMemoryRunsOut) {
  using Some = Node<8>;
  std::vector<Some*> nodes;
  for (const bool is_enough : {false, true, false, true}) {
    Ration ration{is_enough ? 1U : 0U};
    const Rationing rationing(&ration);
    if (is_enough) {
      Some* const node = NodePool<Some>::make(1U);
      const Rationing unlimited(nullptr);
      nodes.push_back(node);
    } else {
      try {
        for (;;) {
          Some* const node = NodePool<Some>::make(1U);
          const Rationing unlimited(nullptr);
          nodes.push_back(node);
        }
      } catch (const std::bad_alloc&) {
      }
    }
  }
  EXPECT_GT(nodes.size(), 100U);
  EXPECT_EQ(std::set<Some*>(nodes.begin(), nodes.end()).size(), nodes.size());
  destroy_shuffled(nodes);
}

/// Lives until the end of its thread, and longer than what the pool keeps for that thread.
template <class Some>
struct MakesAtTheEnd {
  ~MakesAtTheEnd() { destroy_shuffled(made<Some>(1'000)); }
  int exists = 0;
};

TEST(NodePool, ServesAThreadThatEnds) {
  using Some = Node<9>;
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  std::thread([] {
    static thread_local MakesAtTheEnd<Some> late;
    ++late.exists;
    destroy_shuffled(made<Some>(10));
  }).join();
  EXPECT_LE(live_bytes_of_all_threads() - before, kMostLeft);
}

TEST(NodePool, LosesNoNodeOfManyThreads) {
  using Some = Node<10>;
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kRounds = 50'000;
  constexpr std::size_t kPlaces = 4'096;
  const std::ptrdiff_t before = live_bytes_of_all_threads();
  std::atomic<std::size_t> broken = 0;
  {
    std::vector<std::atomic<Some*>> places(kPlaces);
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        std::minstd_rand random(static_cast<unsigned>(thread) + 1);
        for (std::size_t i = 0; i < kRounds; ++i) {
          Some* const node = NodePool<Some>::make(random());
          Some* const other = places[random() % kPlaces].exchange(node);
          if (other == nullptr) continue;
          broken += !other->is_whole();
          NodePool<Some>::destroy(other);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<Some*> left;
    for (std::atomic<Some*>& place : places) {
      if (place != nullptr) left.push_back(place);
    }
    EXPECT_EQ(std::set<Some*>(left.begin(), left.end()).size(), left.size());
    destroy_shuffled(left);
  }
  EXPECT_EQ(broken, 0U);
  EXPECT_LE(live_bytes_of_all_threads() - before, kMostLeft);
}

}  // namespace
}  // namespace timers
