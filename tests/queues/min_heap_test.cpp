#include "impls/queues/min_heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace timers {
namespace {

std::string order_of_ties(const std::string& tasks) {
  MinHeap<char, HeapTies> queue;
  for (const char task : tasks) queue.insert(100, task);
  std::string order;
  queue.expire(100, [&](Tick, char task) { order += task; });
  return order;
}

// B-T-11, as measured on java.util.TaskQueue.
TEST(MinHeapWithHeapTies, ExpiresEqualDeadlinesAsJavaUtilTimerDoes) {
  EXPECT_EQ(order_of_ties("ABCD"), "ADCB");
  EXPECT_EQ(order_of_ties("ABCDE"), "AEDCB");
  EXPECT_EQ(order_of_ties("ABCDEFGH"), "AHGFEDCB");
  EXPECT_EQ(order_of_ties("ABCDEFGHIJ"), "AJIHGFEDCB");
}

// B-T-12, as measured on java.util.TaskQueue.
TEST(MinHeapWithHeapTies, ExpiresMixedTiesAsJavaUtilTimerDoes) {
  MinHeap<int, HeapTies> queue;
  int number = 0;
  const std::vector<Tick> deadlines = {50, 10, 30, 10, 50, 30, 10};
  for (const Tick deadline : deadlines) queue.insert(deadline, number++);
  std::vector<int> order;
  queue.expire(50, [&](Tick, int task) { order.push_back(task); });
  EXPECT_THAT(order, testing::ElementsAre(1, 3, 6, 2, 5, 0, 4));
}

}  // namespace
}  // namespace timers
