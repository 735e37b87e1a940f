/// Timers that stay, where the kit cannot look: their owners, and the callbacks that can take them.

#include "impls/queues/parts/staying_timers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impls/queues/coarse_wheel.hpp"
#include "impls/queues/hashed_wheel.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/lazy_wheel.hpp"
#include "impls/queues/min_heap.hpp"
#include "impls/queues/priority_queue.hpp"
#include "impls/queues/radix_set.hpp"
#include "impls/queues/yielding_wheel.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"
#include "tests/conformance/random.hpp"

namespace timers {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

using Task = std::unique_ptr<int>;

/// Calls `test.template operator()<Queue>()` for each of our queues that has such timers.
template <class Test>
void with_each_queue(Test test) {
  using Queues =
      TypeList<MinHeap<Task>, PriorityQueue<Task>, HashedWheel<Task, 8>, HierarchicalWheel<Task>,
               CoarseWheel<Task>, YieldingWheel<Task>, RadixSet<Task>, LazyWheel<Task>>;
  for_each_type(Queues{}, [&]<class Queue>() {
    static_assert(HasStayingTimers<Queue>);
    SCOPED_TRACE(Queue::name);
    test.template operator()<Queue>();
  });
}

Task number(int value) { return std::make_unique<int>(value); }

TEST(StayingTimers, MeetTimersThatAreSetOnceInACallbackThatTakesAReference) {
  with_each_queue([]<class Queue>() {
    Queue queue;
    auto timer = queue.make(number(1));
    for (const Tick deadline : {Tick{3}, Tick{5}}) {
      queue.arm(timer, deadline);
      queue.insert(deadline, number(2));
      std::vector<int> ran;
      queue.expire(deadline, [&](Tick, Task& task) { ran.push_back(*task); });
      EXPECT_THAT(ran, UnorderedElementsAre(1, 2));
    }
    EXPECT_EQ(*queue.task(timer), 1);
  });
}

// A callback that takes a task by value cannot take the task of a timer that stays. All other
// timers run, and this one stays.
TEST(StayingTimers, ThrowInPlaceOfACallbackThatCannotTakeThem) {
  with_each_queue([]<class Queue>() {
    Queue queue;
    for (int i = 1; i <= 3; ++i) queue.insert(5, number(i));
    auto timer = queue.make(number(4));
    queue.arm(timer, 5);
    for (int i = 5; i <= 7; ++i) queue.insert(5, number(i));
    std::vector<int> ran;
    int thrown = 0;
    for (int call = 0; call < 3; ++call) {
      try {
        queue.expire(5, [&](Tick, Task task) { ran.push_back(*task); });
      } catch (const std::logic_error&) {
        ++thrown;
      }
    }
    EXPECT_EQ(thrown, 1);
    EXPECT_THAT(ran, UnorderedElementsAre(1, 2, 3, 5, 6, 7));
    EXPECT_EQ(queue.size(), 0u);

    EXPECT_FALSE(queue.arm(timer, 9));
    EXPECT_EQ(queue.expire(9, [&](Tick, Task& task) { ran.push_back(*task); }), 1u);
    EXPECT_EQ(ran.back(), 4);
  });
}

TEST(StayingTimers, AreDroppedByTheLastOwnerOfMany) {
  with_each_queue([]<class Queue>() {
    Queue queue;
    std::vector<int> ran;
    const auto expire = [&](Tick now) {
      ran.clear();
      queue.expire(now, [&](Tick, Task& task) { ran.push_back(*task); });
    };
    typename Queue::Timer none;
    EXPECT_FALSE(none);
    auto first = queue.make(number(1));
    auto second = queue.make(number(2));
    queue.arm(first, 5);
    queue.arm(second, 5);
    none = std::move(first);
    EXPECT_TRUE(none);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(queue.size(), 2u);

    second = std::move(none);  // drops the timer that it had
    EXPECT_EQ(queue.size(), 1u);
    expire(5);
    EXPECT_THAT(ran, ElementsAre(1));

    queue.arm(second, 7);
    {
      const auto last = std::move(second);
      EXPECT_EQ(queue.size(), 1u);
    }
    EXPECT_EQ(queue.size(), 0u);
    expire(7);
    EXPECT_THAT(ran, ElementsAre());
  });
}

TEST(StayingTimers, KeepATaskThatIsChangedInPlace) {
  with_each_queue([]<class Queue>() {
    Queue queue;
    auto timer = queue.make(number(1));
    for (Tick now = 1; now <= 3; ++now) {
      queue.arm(timer, now);
      queue.expire(now, [](Tick, Task& task) { ++*task; });
    }
    EXPECT_EQ(*queue.task(timer), 4);
    queue.task(timer) = number(10);
    queue.arm(timer, 4);
    int ran = 0;
    queue.expire(4, [&](Tick, Task& task) { ran = *task; });
    EXPECT_EQ(ran, 10);
  });
}

/// A connection that owns a timer. The task of the timer is the connection itself.
struct Connection {
  StayingTimer<LazyWheel<std::shared_ptr<Connection>>> timer;
};

TEST(StayingTimers, MayBeOwnedByTheirOwnTasks) {
  using Queue = LazyWheel<std::shared_ptr<Connection>>;
  const auto alive = std::make_shared<int>(1);
  struct Watched : Connection {
    explicit Watched(std::shared_ptr<int> count) : counted(std::move(count)) {}
    std::shared_ptr<int> counted;
  };
  const auto connect = [&](Queue& queue) {
    auto connection = std::make_shared<Watched>(alive);
    connection->timer = queue.make(connection);
    queue.arm(connection->timer, 5);
  };
  Queue queue;
  for (int i = 0; i < 3; ++i) connect(queue);
  // Connections close in their own callback, when the queue is assigned to, and with the queue.
  queue.expire(5, [](Tick, std::shared_ptr<Connection>& connection) { connection->timer = {}; });
  EXPECT_EQ(alive.use_count(), 1);
  connect(queue);
  queue = Queue();
  EXPECT_EQ(alive.use_count(), 1);
  {
    Queue last;
    connect(last);
    connect(last);
    EXPECT_EQ(alive.use_count(), 3);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

// The task has the last share in the connection. So the owner in the connection dies with the task.
TEST(StayingTimers, MayEndTheMemoryOfTheirOwner) {
  using Queue = LazyWheel<std::shared_ptr<void>>;
  struct OptionalConnection {
    std::optional<Queue::Timer> timer;
  };
  Queue queue;
  // Its memory is freed when it dies, and not when the last weak pointer does.
  std::shared_ptr<OptionalConnection> connection = std::make_unique<OptionalConnection>();
  const std::weak_ptr<OptionalConnection> alive = connection;
  connection->timer.emplace(queue.make(connection));
  queue.arm(*connection->timer, 5);
  OptionalConnection& closes = *connection;
  connection.reset();
  closes.timer.reset();
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(queue.size(), 0u);
}

/// The task of a timer of one queue owns a timer of the other one, which is moved into it.
template <class Queue>
void end_a_task_that_owns_what_comes() {
  Queue queue;
  Queue other;
  const auto alive = std::make_shared<int>(1);
  queue.insert(10, std::make_shared<typename Queue::Timer>(other.make(alive)));
  auto kept = other.make(alive);
  other.arm(kept, 5);
  queue = std::move(other);
  EXPECT_EQ(alive.use_count(), 2) << "one of the two timers was dropped";
  EXPECT_TRUE(kept);
  EXPECT_EQ(queue.expire(5, [](Tick, std::shared_ptr<void>&) {}), 1u);
  EXPECT_TRUE(queue.insert(7, nullptr) != TimerHandle());
  EXPECT_EQ(queue.size(), 1u);
}

TEST(StayingTimers, MayBeOwnedByATaskThatDiesWhenTheirQueueIsMovedThere) {
  end_a_task_that_owns_what_comes<LazyWheel<std::shared_ptr<void>>>();
  end_a_task_that_owns_what_comes<HashedWheel<std::shared_ptr<void>>>();
  end_a_task_that_owns_what_comes<MinHeap<std::shared_ptr<void>>>();
}

TEST(StayingTimers, AreGoneForOwnersThatOutliveTheirQueue) {
  with_each_queue([]<class Queue>() {
    typename Queue::Timer resting;
    typename Queue::Timer armed;
    {
      Queue queue;
      resting = queue.make(number(1));
      armed = queue.make(number(2));
      queue.arm(armed, 5);
      EXPECT_TRUE(resting);
      queue = Queue();
      EXPECT_FALSE(resting);
      EXPECT_FALSE(armed);
      resting = queue.make(number(3));
      EXPECT_TRUE(resting);
    }
    EXPECT_FALSE(resting);
    EXPECT_FALSE(armed);
  });
}

TEST(StayingTimers, FollowAnOwnerThatMovesWhileItsTimerWaits) {
  with_each_queue([]<class Queue>() {
    Queue queue;
    std::vector<typename Queue::Timer> timers;
    for (int i = 0; i < 20; ++i) {  // Owners move when the vector grows.
      timers.push_back(queue.make(number(i)));
      queue.arm(timers.back(), 5);
    }
    std::swap(timers[0], timers[1]);
    timers[2] = std::move(timers[3]);
    auto last = std::move(timers[4]);
    EXPECT_EQ(queue.size(), 19u);
    std::vector<int> ran;
    const auto expire = [&](Tick now) {
      return queue.expire(now, [&](Tick, Task& task) { ran.push_back(*task); });
    };
    EXPECT_EQ(expire(10), 19u);
    EXPECT_THAT(ran, testing::Not(testing::Contains(2)));
    EXPECT_FALSE(queue.disarm(last));
    queue.arm(last, 11);
    auto very_last = std::move(last);
    EXPECT_TRUE(queue.disarm(very_last));
    EXPECT_EQ(expire(20), 0u);
  });
}

// A dropped timer leaves a cell to others, with whatever the queue knows of it.
TEST(StayingTimers, ComeAndGoBesideTimersThatAreSetOnce) {
  conformance::Random random(1);
  LazyWheel<int, 2> queue;
  constexpr std::size_t kPlaces = 50;
  std::vector<LazyWheel<int, 2>::Timer> owners(kPlaces);
  std::vector<TimerHandle> handles(kPlaces);
  std::vector<Tick> deadlines(2 * kPlaces);  // of the pending ones, first those that stay; or 0
  Tick now = 0;
  const auto drop = [&](std::size_t place) {
    owners[place] = {};
    deadlines[place] = 0;
  };
  for (int step = 0; step < 100'000; ++step) {
    const std::size_t place = random.below(kPlaces);
    const Tick deadline = now + 1 + random.up_to_bits(12);
    switch (random.below(6)) {
      case 0:
        drop(place);
        owners[place] = queue.make(static_cast<int>(place));
        break;
      case 1:
        if (!owners[place]) break;
        EXPECT_EQ(queue.arm(owners[place], deadline), deadlines[place] != 0);
        deadlines[place] = deadline;
        break;
      case 2:
        if (!owners[place]) break;
        EXPECT_EQ(queue.disarm(owners[place]), std::exchange(deadlines[place], 0) != 0);
        break;
      case 3:
        queue.cancel(handles[place]);
        handles[place] = queue.insert(deadline, static_cast<int>(kPlaces + place));
        deadlines[kPlaces + place] = deadline;
        break;
      case 4:
        EXPECT_EQ(queue.cancel(handles[place]), std::exchange(deadlines[kPlaces + place], 0) != 0);
        break;
      default:
        now += random.up_to_bits(8);
        queue.expire(now, [&](Tick ran_at, const int& task) {
          const std::size_t number = static_cast<std::size_t>(task);
          EXPECT_EQ(std::exchange(deadlines[number], 0), ran_at);
          EXPECT_LE(ran_at, now);
          if (number < kPlaces && random.one_in(2)) drop(number);  // in its own callback
          if (random.one_in(2)) drop(place);
        });
        for (const Tick left : deadlines) ASSERT_TRUE(left == 0 || left > now) << "step " << step;
    }
  }
}

// A task may contain addresses, for example its own. They are right until its end.
TEST(StayingTimers, DestroyATaskWhereItIs) {
  struct Probe {
    explicit Probe(const Probe** place) : place_of_death(place) {}
    Probe(Probe&& other) noexcept : place_of_death(std::exchange(other.place_of_death, nullptr)) {}
    Probe& operator=(Probe&&) = delete;
    ~Probe() {
      if (place_of_death != nullptr) *place_of_death = this;
    }
    const Probe** place_of_death;
  };
  LazyWheel<Probe> queue;
  const Probe* place_of_death = nullptr;
  auto timer = queue.make(Probe(&place_of_death));
  const Probe* const place = &queue.task(timer);
  timer = {};
  EXPECT_EQ(place_of_death, place);
}

}  // namespace
}  // namespace timers
