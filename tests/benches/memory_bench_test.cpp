/// The memory bench counts what a queue holds and leaves behind, and rejects a wrong queue.

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "benches/harness/queues/memory_use.hpp"
#include "impls/catalog.hpp"
#include "tests/benches/proving_queues.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::benches {
namespace {

constexpr std::size_t kTimers = 1000;

using Right = OrderedMap<Task>;

/// A cancelled timer stays in memory until time reaches its deadline.
class KeepsItsDead {
 public:
  using Task = benches::Task;
  struct Handle {
    Right::Handle timer;
    Tick deadline = 0;
    bool operator==(const Handle&) const = default;
  };
  static constexpr const char* name = "keeps_its_dead";

  Handle insert(Tick deadline, Task task) { return {queue_.insert(deadline, task), deadline}; }
  bool cancel(Handle handle) {
    if (!queue_.cancel(handle.timer)) return false;
    dead_.emplace(handle.deadline, 0);
    return true;
  }
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    dead_.erase(dead_.begin(), dead_.upper_bound(now));
    return queue_.expire(now, on_expiry);
  }
  std::size_t size() const { return queue_.size(); }

 private:
  Right queue_;
  std::multimap<Tick, Task> dead_;
};

constexpr double kLeastBytesOfADeadTimer = sizeof(Tick) + sizeof(Task) + 4 * sizeof(void*);

TEST(MemoryUse, IsTheQueueItselfAtLeast) {
  EXPECT_GE(memory_use<Right>(kTimers).bytes_empty, sizeof(Right));
  constexpr std::size_t kBytesOfASentinel = 8;
  EXPECT_GE((memory_use<HashedWheel<Task, 4096>>(kTimers).bytes_empty), 4096 * kBytesOfASentinel);
}

TEST(MemoryUse, CountsWhatATimerTakes) {
  const MemoryUse nodes = memory_use<Right>(kTimers);
  const MemoryUse heap = memory_use<MinHeap<Task>>(kTimers);
  EXPECT_GT(nodes.bytes_per_timer, kLeastBytesOfADeadTimer + sizeof(Task));
  EXPECT_LT(nodes.bytes_per_timer, 150);
  EXPECT_GT(heap.bytes_per_timer, sizeof(Task) + 2 * sizeof(Tick));
  EXPECT_LT(heap.bytes_per_timer, nodes.bytes_per_timer);
}

TEST(MemoryUse, SeesThePeakWhileAnArrayGrows) {
  constexpr std::size_t kArrayHasJustDoubled = 4100;
  const MemoryUse heap = memory_use<MinHeap<Task>>(kArrayHasJustDoubled);
  EXPECT_GT(heap.peak_bytes_per_timer, heap.bytes_per_timer * 1.1);
}

TEST(MemoryUse, CountsTheAllocationsOfATimer) {
  EXPECT_EQ(memory_use<Right>(kTimers).allocations_per_operation, 1);
  EXPECT_EQ(memory_use<HierarchicalWheel<Task>>(kTimers).allocations_per_operation, 0);
}

TEST(MemoryUse, CountsTheAllocationsOfACancel) {
  const double allocations = memory_use<KeepsItsDead>(kTimers).allocations_per_operation;
  EXPECT_GT(allocations, 1.4);
  EXPECT_LT(allocations, 1.6);
}

TEST(MemoryUse, SeesNoLeakInARightQueue) {
  for_each_type(ProvingQueues<Task>{}, []<class Queue>() {
    EXPECT_NEAR(memory_use<Queue>(kTimers).leak_bytes_per_operation, 0, 0.01) << Queue::name;
  });
}

TEST(MemoryUse, SeesTheLeakOfAQueueThatKeepsItsDead) {
  const double leak = memory_use<KeepsItsDead>(kTimers).leak_bytes_per_operation;
  EXPECT_GE(leak, kLeastBytesOfADeadTimer);
  EXPECT_LT(leak, 2 * kLeastBytesOfADeadTimer);
}

TEST(MemoryUse, SeesTheLeakOfAnArrayThatDoubles) {
  /// Remembers every cancelled timer.
  struct KeepsALog : Right {
    bool cancel(Handle handle) {
      log.push_back(handle);
      return Right::cancel(handle);
    }
    std::vector<Handle> log;
  };
  const double leak = memory_use<KeepsALog>(kTimers).leak_bytes_per_operation;
  EXPECT_GT(leak, sizeof(KeepsALog::Handle) * 0.5);
  EXPECT_LT(leak, sizeof(KeepsALog::Handle) * 2.0);
}

TEST(MemoryUse, SeesTheResidueOfAQueueThatKeepsItsDead) {
  const double clean = memory_use<Right>(kTimers).residue_bytes;
  const double residue = memory_use<KeepsItsDead>(kTimers).residue_bytes;
  EXPECT_GE(residue - clean, kTimers * kLeastBytesOfADeadTimer);
}

TEST(MemoryUse, FitsALineByLeastSquares) {
  EXPECT_DOUBLE_EQ(slope({5, 7, 9, 11}), 2);
  EXPECT_DOUBLE_EQ(slope({0, 1, 0, 1, 0}), 0);
}

/// The complaint of the bench about a wrong queue.
template <class Queue>
std::string objection() {
  try {
    memory_use<Queue>(kTimers);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(MemoryUse, HasNoObjectionToARightQueue) {
  EXPECT_EQ(objection<PlainQueue<Task>>(), "");
  EXPECT_EQ(objection<KeepsItsDead>(), "");
}

TEST(MemoryUse, RefusesAQueueThatLosesATimer) {
  struct LosesOne : Right {
    Handle insert(Tick deadline, Task task) {
      const Handle handle = Right::insert(deadline, task);
      if (++inserts == kTimers / 2) Right::cancel(handle);
      return handle;
    }
    std::size_t inserts = 0;
  };
  EXPECT_EQ(objection<LosesOne>(), "999 timers are pending, not 1000");
}

TEST(MemoryUse, RefusesAQueueThatDeniesItsCancels) {
  struct Denies : Right {
    bool cancel(Handle handle) { return !Right::cancel(handle); }
  };
  EXPECT_EQ(objection<Denies>(), "0 timers were cancelled, not 1000");
}

TEST(MemoryUse, RefusesAQueueThatDeniesItsCancelsInTheSteadyState) {
  struct DeniesLater : Right {
    bool cancel(Handle handle) { return Right::cancel(handle) && ++cancels <= kTimers; }
    std::size_t cancels = 0;
  };
  EXPECT_NE(objection<DeniesLater>().find("1000 timers were cancelled, not "), std::string::npos);
}

TEST(MemoryUse, RefusesAQueueThatCancelsNothing) {
  struct Deaf : Right {
    bool cancel(Handle) { return true; }
  };
  EXPECT_EQ(objection<Deaf>(), "1000 timers are pending when all are cancelled, not 0");
}

/// A cancelled timer stays, but does not count.
struct RunsTheCancelled : Right {
  bool cancel(Handle) {
    ++cancelled;
    return true;
  }
  std::size_t size() const { return Right::size() - cancelled; }
  std::size_t cancelled = 0;
};

TEST(MemoryUse, RefusesAQueueThatRunsWhatWasCancelled) {
  EXPECT_EQ(objection<RunsTheCancelled>(), "1000 timers expired that were cancelled, not 0");
}

TEST(MemoryUse, RefusesAQueueThatRunsTheWrongTimers) {
  struct Confused : Right {
    Handle insert(Tick deadline, Task task) { return Right::insert(deadline, task ^ 1); }
  };
  EXPECT_NE(objection<Confused>().find("wrong timers or times"), std::string::npos);
}

/// Runs the right timers, but returns one more.
struct Boasts : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    const std::size_t ran = Right::expire(now, on_expiry);
    return ran == 0 ? 0 : ran + 1;
  }
};

TEST(MemoryUse, RefusesAQueueThatMiscounts) {
  EXPECT_NE(objection<Boasts>().find("expiries were returned, not"), std::string::npos);
}

TEST(MemoryUse, RefusesAQueueThatIsEarly) {
  struct Early : Right {
    Handle insert(Tick deadline, Task task) { return Right::insert(deadline / 2, task); }
  };
  EXPECT_NE(objection<Early>().find("timers expired before their time, not 0"), std::string::npos);
}

/// Lags behind: it ignores the last ten seconds.
struct Late : Right {
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    return Right::expire(now - 10'000, on_expiry);
  }
};

TEST(MemoryUse, RefusesAQueueThatIsLate) { EXPECT_NE(objection<Late>(), ""); }

TEST(MemoryUse, RefusesAQueueThatKeepsMemoryForEver) {
  static std::vector<std::unique_ptr<Tick>> left_behind;
  struct LeavesSomething : Right {
    LeavesSomething() { left_behind.push_back(std::make_unique<Tick>()); }
  };
  EXPECT_NE(objection<LeavesSomething>().find("bytes outlive the queue, not 0"), std::string::npos);
  left_behind.clear();
}

}  // namespace
}  // namespace timers::benches
