/// A task holds any callable, moves it, and destroys it exactly once.

#include "impls/timer_task.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace timers {
namespace {

static_assert(std::is_nothrow_move_constructible_v<TimerTask>);
static_assert(std::is_nothrow_move_assignable_v<TimerTask>);
static_assert(!std::is_copy_constructible_v<TimerTask>);
static_assert(!std::is_constructible_v<TimerTask, int>);
static_assert(!std::is_constructible_v<TimerTask, void (*)(int)>);
static_assert(sizeof(TimerTask) == 4 * sizeof(void*));

/// How often the callables of a test ran, and how many of them live.
struct Count {
  int runs = 0;
  int living = 0;
};

/// A callable that occupies `size` bytes, and counts how often memory is allocated for its type.
template <std::size_t size, std::size_t alignment = alignof(void*)>
class Counted {
 public:
  explicit Counted(Count& count) : count_(&count) { ++count_->living; }
  Counted(Counted&& other) noexcept : count_(other.count_) { ++count_->living; }
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --count_->living; }

  void operator()() { ++count_->runs; }

  static void* operator new(std::size_t bytes, std::align_val_t where) {
    ++allocations;
    return ::operator new(bytes, where);
  }
  static void* operator new(std::size_t bytes) {
    ++allocations;
    return ::operator new(bytes);
  }
  static void operator delete(void* memory, std::align_val_t where) {
    ::operator delete(memory, where);
  }
  static void operator delete(void* memory) { ::operator delete(memory); }

  static inline int allocations = 0;

 private:
  alignas(alignment) Count* count_;
  std::array<std::byte, size - sizeof(void*)> rest_{};
};

TEST(TimerTask, IsNothingByDefault) {
  EXPECT_FALSE(TimerTask());
  EXPECT_FALSE(TimerTask(nullptr));
}

TEST(TimerTask, RunsAnyNumberOfTimes) {
  int runs = 0;
  TimerTask task = [&] { ++runs; };
  ASSERT_TRUE(task);
  task();
  task();
  EXPECT_EQ(runs, 2);
}

int runs_of_function = 0;
int run_function() { return ++runs_of_function; }

TEST(TimerTask, TakesFunctionsAndPointersToThem) {
  runs_of_function = 0;
  TimerTask pointer = &run_function;
  TimerTask function = run_function;
  pointer();
  function();
  EXPECT_EQ(runs_of_function, 2);
}

TEST(TimerTask, IsNothingFromNothing) {
  void (*no_function)() = nullptr;
  EXPECT_FALSE(TimerTask(no_function));
  EXPECT_FALSE(TimerTask(std::function<void()>()));
  int runs = 0;
  TimerTask task = std::function<void()>([&] { ++runs; });
  ASSERT_TRUE(task);
  task();
  EXPECT_EQ(runs, 1);
}

TEST(TimerTask, TakesWhatCannotBeCopied) {
  int seen = 0;
  TimerTask task = [number = std::make_unique<int>(42), &seen] { seen = *number; };
  TimerTask moved = std::move(task);
  moved();
  EXPECT_EQ(seen, 42);
}

TEST(TimerTask, TakesACallableThatChanges) {
  std::vector<int> seen;
  TimerTask task = [&seen, turn = 0]() mutable { seen.push_back(++turn); };
  task();
  TimerTask moved = std::move(task);
  moved();
  EXPECT_EQ(seen, (std::vector{1, 2}));
}

TEST(TimerTask, CopiesANamedCallableAndLeavesIt) {
  const auto number = std::make_shared<int>(1);
  const auto callable = [number] { ++*number; };
  TimerTask task = callable;
  EXPECT_EQ(number.use_count(), 3);
  task();
  callable();
  EXPECT_EQ(*number, 3);
}

TEST(TimerTask, LetsExceptionsOutAndCanRunAgain) {
  int runs = 0;
  TimerTask task = [&] {
    if (++runs == 1) throw std::runtime_error("once");
  };
  EXPECT_THROW(task(), std::runtime_error);
  task();
  EXPECT_EQ(runs, 2);
}

TEST(TimerTask, LeavesNothingBehindWhenItIsMoved) {
  int runs = 0;
  TimerTask first = [&] { ++runs; };
  TimerTask second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): what is seen
  ASSERT_TRUE(second);
  first = std::move(second);
  EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move): what is seen
  ASSERT_TRUE(first);
  first();
  EXPECT_EQ(runs, 1);
}

TEST(TimerTask, SurvivesAMoveToItself) {
  int runs = 0;
  TimerTask task = [&] { ++runs; };
  TimerTask& same = task;
  task = std::move(same);
  ASSERT_TRUE(task);
  task();
  EXPECT_EQ(runs, 1);
}

template <class Callable>
class ACallable : public testing::Test {};

using Callables = testing::Types<Counted<16>, Counted<24>, Counted<32>, Counted<1000>,
                                 Counted<32, 32>, Counted<64, 64>>;
TYPED_TEST_SUITE(ACallable, Callables);

TYPED_TEST(ACallable, IsDestroyedOnce) {
  Count count;
  {
    TimerTask task = TypeParam(count);
    EXPECT_EQ(count.living, 1);
    TimerTask moved = std::move(task);
    EXPECT_EQ(count.living, 1);
    moved();
    EXPECT_EQ(count.runs, 1);
    EXPECT_EQ(count.living, 1);
  }
  EXPECT_EQ(count.living, 0);
}

TYPED_TEST(ACallable, IsDestroyedWhenAnotherTakesItsPlace) {
  Count count;
  Count other;
  TimerTask task = TypeParam(count);
  task = TypeParam(other);
  EXPECT_EQ(count.living, 0);
  EXPECT_EQ(other.living, 1);
  task();
  EXPECT_EQ(other.runs, 1);
  task = nullptr;
  EXPECT_EQ(other.living, 0);
  EXPECT_FALSE(task);
}

TYPED_TEST(ACallable, IsDestroyedWithTheVectorThatGrewUnderIt) {
  Count count;
  {
    std::vector<TimerTask> tasks;
    for (int i = 0; i < 100; ++i) tasks.emplace_back(TypeParam(count));
    EXPECT_EQ(count.living, 100);
    for (TimerTask& task : tasks) task();
    EXPECT_EQ(count.runs, 100);
  }
  EXPECT_EQ(count.living, 0);
}

TYPED_TEST(ACallable, IsAllocatedOnlyIfItIsLarge) {
  constexpr bool kIsLarge =
      sizeof(TypeParam) > 24 || std::alignment_of_v < TypeParam >> alignof(void*);
  Count count;
  const int before = TypeParam::allocations;
  TimerTask task = TypeParam(count);
  TimerTask moved = std::move(task);
  moved();
  EXPECT_EQ(count.runs, 1);
  EXPECT_EQ(TypeParam::allocations - before, kIsLarge ? 1 : 0);
}

TYPED_TEST(ACallable, IsWhereItsTypeWantsToBe) {
  struct Aligned : TypeParam {
    Aligned(Count& count, std::uintptr_t& seen) : TypeParam(count), place(&seen) {}
    void operator()() { *place = reinterpret_cast<std::uintptr_t>(this); }
    std::uintptr_t* place;
  };
  Count count;
  std::uintptr_t place = 1;
  TimerTask task = Aligned(count, place);
  task();
  EXPECT_EQ(place % alignof(Aligned), 0u);
}

TEST(TimerTask, KeepsAnAddressUntilThereIsATask) {
  int runs = 0;
  TimerTask task = [&runs] { ++runs; };
  const TimerTask taken = std::move(task);
  task.keep(12'345);
  EXPECT_FALSE(task);
  EXPECT_EQ(task.kept(), 12'345u);
  task = [&runs] { ++runs; };
  task();
  EXPECT_EQ(runs, 1);
}

TEST(TimerTask, AllocatesACallableThatMayThrowWhenItIsMoved) {
  struct ThrowsWhenMoved {
    explicit ThrowsWhenMoved(int& of_runs) : runs(&of_runs) {}
    ThrowsWhenMoved(const ThrowsWhenMoved& other) noexcept(false) : runs(other.runs) {}
    void operator()() const { ++*runs; }
    int* runs;
  };
  int runs = 0;
  TimerTask task = ThrowsWhenMoved(runs);
  TimerTask moved = std::move(task);  // moves only a pointer
  moved();
  EXPECT_EQ(runs, 1);
}

TEST(TimerTask, IsNotMadeOfACallableThatThrowsWhenItIsTaken) {
  struct Throws {
    Throws() = default;
    Throws(const Throws&) { throw std::runtime_error("cannot be copied today"); }
    void operator()() const {}
  };
  const Throws callable;
  EXPECT_THROW(TimerTask{callable}, std::runtime_error);
}

}  // namespace
}  // namespace timers
