#include "impls/services/parts/delay_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/allocations.hpp"
#include "tests/services/run_log.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;

template <class T>
using Queue = DelayQueue<T, ManualClock>;

/// All that has expired, in the order in which it can be taken.
template <class T>
std::vector<T> poll_all(Queue<T>& queue) {
  std::vector<T> polled;
  while (auto element = queue.poll()) polled.push_back(std::move(*element));
  return polled;
}

/// A thread that takes once, in its own way, and records what it got and when.
class Taker {
 public:
  using Way = std::function<std::optional<int>(std::stop_token)>;

  Taker(ManualClock& clock, Way take)
      : thread_(clock, [this, &clock, take = std::move(take)] {
          got_ = take(stop_.get_token());
          back_at_ = clock.now().time_since_epoch();
        }) {}
  ~Taker() { interrupt(); }

  void interrupt() { stop_.request_stop(); }

  /// Call these two only when the clock is quiet.
  std::optional<int> got() const { return got_; }
  std::optional<Duration> back_at() const { return back_at_; }

 private:
  std::stop_source stop_;
  std::optional<int> got_;
  std::optional<Duration> back_at_;
  ManualClock::Thread thread_;
};

/// Takers that stand in line, in the order in which they were added.
class Line {
 public:
  Line(ManualClock& clock, Queue<int>& queue) : clock_(clock), queue_(queue) {}

  Taker& add() {
    return add([this](const std::stop_token& stop) { return queue_.take(stop); });
  }
  Taker& add_for(Duration timeout) {
    return add(
        [this, timeout](const std::stop_token& stop) { return queue_.poll_for(timeout, stop); });
  }

 private:
  Taker& add(Taker::Way take) {
    Taker& taker = takers_.emplace_back(clock_, std::move(take));
    clock_.settle();
    return taker;
  }

  ManualClock& clock_;
  Queue<int>& queue_;
  std::deque<Taker> takers_;
};

/// Threads that take again and again, and record what they get.
class Pool {
 public:
  Pool(ManualClock& clock, Queue<int>& queue, std::size_t threads) : log_(clock) {
    while (threads_.size() < threads) {
      threads_.emplace_back(clock, [this, &queue, stop = stop_.get_token()] {
        while (const auto element = queue.take(stop)) log_.task (*element)();
      });
    }
    clock.settle();
  }
  ~Pool() { stop_.request_stop(); }

  std::vector<Ran> taken() const { return log_.runs(); }

 private:
  RunLog log_;
  std::stop_source stop_;
  std::deque<ManualClock::Thread> threads_;
};

// B-Q-01
TEST(DelayQueue, PollsTheHeadOnlyOnceItHasExpired) {
  ManualClock clock;
  Queue<char> queue(clock);
  queue.put('a', 10ms);
  queue.put('b', 5ms);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.peek(), 'b');
  EXPECT_EQ(queue.poll(), std::nullopt);
  EXPECT_EQ(queue.size(), 2u);
  clock.advance_to(Instant{5ms});
  EXPECT_EQ(queue.poll(), 'b');
  EXPECT_EQ(queue.poll(), std::nullopt);
  clock.advance_to(Instant{9ms});
  EXPECT_EQ(queue.poll(), std::nullopt);
  clock.advance_to(Instant{10ms});
  EXPECT_EQ(queue.poll(), 'a');
  EXPECT_TRUE(queue.empty());
}

// B-Q-02
TEST(DelayQueue, PeeksAtTheHeadAlsoBeforeItExpires) {
  ManualClock clock;
  Queue<std::string> queue(clock);
  EXPECT_EQ(queue.peek(), std::nullopt);
  EXPECT_EQ(queue.next_expiry(), std::nullopt);
  queue.put("later", 20ms);
  queue.put("soon", 10ms);
  EXPECT_EQ(queue.peek(), "soon");
  EXPECT_EQ(queue.next_expiry(), Instant{10ms});
  EXPECT_EQ(queue.peek(), "soon");
  EXPECT_EQ(queue.size(), 2u);
}

// B-Q-03
TEST(DelayQueue, CountsWhatHasExpiredAndWhatHasNot) {
  ManualClock clock;
  Queue<int> queue(clock);
  EXPECT_TRUE(queue.empty());
  queue.put(1, 10ms);
  queue.put(2, 20ms);
  queue.put(3, 30ms);
  clock.advance_to(Instant{20ms});
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(poll_all(queue), (std::vector{1, 2}));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_FALSE(queue.empty());
}

// B-Q-04
TEST(DelayQueue, HasEqualDeadlinesInTheOrderOfTheHeap) {
  ManualClock clock;
  Queue<char> queue(clock);
  for (const char name : std::string("ABCDEFGH")) queue.put(name, 100ms);
  clock.advance_to(Instant{100ms});
  EXPECT_EQ(poll_all(queue), (std::vector{'A', 'H', 'G', 'F', 'E', 'D', 'C', 'B'}));
}

// B-Q-05
TEST(DelayQueue, HasTheEarliestDeadlineFirstWheneverItWasPut) {
  constexpr int kSize = 20;
  ManualClock clock(Instant{1s});
  Queue<int> queue(clock);
  for (int i = kSize - 1; i >= 0; i -= 2) queue.put(i, std::chrono::milliseconds(i - kSize));
  for (int i = kSize & 1; i < kSize; i += 2) queue.put(i, std::chrono::milliseconds(i - kSize));
  std::vector<int> ascending;
  for (int i = 0; i < kSize; ++i) ascending.push_back(i);
  EXPECT_EQ(poll_all(queue), ascending);
}

// B-Q-06
TEST(DelayQueue, DrainsWhatHasExpiredInOrder) {
  ManualClock clock;
  Queue<int> queue(clock);
  for (const int i : {3, 0, 4, 1, 2}) queue.put(i, 10ms + i * 1ms);
  clock.advance_to(Instant{12ms});
  std::vector<int> drained;
  EXPECT_EQ(queue.drain_to(std::back_inserter(drained), 2), 2u);
  EXPECT_EQ(queue.drain_to(std::back_inserter(drained)), 1u);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.drain_to(std::back_inserter(drained)), 0u);
  EXPECT_EQ(drained, (std::vector{0, 1, 2}));
}

template <class Source>
concept DrainsToItself = requires(Source queue) {
  queue.drain_to(queue);
};

// B-Q-07
TEST(DelayQueue, DrainsNothingIfAskedForNothingAndNeverIntoItself) {
  static_assert(!DrainsToItself<Queue<int>>);
  ManualClock clock;
  Queue<int> queue(clock);
  queue.put(1, 0ms);
  std::vector<int> drained;
  EXPECT_EQ(queue.drain_to(std::back_inserter(drained), 0), 0u);
  EXPECT_TRUE(drained.empty());
  EXPECT_EQ(queue.size(), 1u);
}

/// A container with room for two.
struct Pair {
  using value_type = std::unique_ptr<int>;  // NOLINT(readability-identifier-naming): the standard's
  std::vector<value_type> elements;

  void push_back(value_type&& element) {
    if (elements.size() == 2) throw std::length_error("a pair has room for 2");
    elements.push_back(std::move(element));
  }
};

// B-Q-08
TEST(DelayQueue, LosesNothingWhenTheTargetOfADrainThrows) {
  ManualClock clock;
  Queue<std::unique_ptr<int>> queue(clock);
  for (const int i : {1, 2, 3, 4}) queue.put(std::make_unique<int>(i), i * 1ms);
  clock.advance_to(Instant{4ms});
  Pair drained;
  EXPECT_THROW(queue.drain_to(std::back_inserter(drained)), std::length_error);
  ASSERT_EQ(drained.elements.size(), 2u);
  EXPECT_EQ(*drained.elements[1], 2);
  ASSERT_EQ(queue.size(), 2u);
  EXPECT_EQ(**queue.poll(), 3);
  EXPECT_EQ(**queue.poll(), 4);
}

// B-Q-09: nobody moves the clock, so an `offer` that waited would wait for ever.
TEST(DelayQueue, HasAlwaysRoom) {
  ManualClock clock;
  Queue<int> queue(clock);
  queue.put(1, 1h);
  EXPECT_TRUE(queue.offer(2, 1h));
  EXPECT_TRUE(queue.offer(3, 1h, /*timeout=*/1h));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.remaining_capacity(), std::numeric_limits<std::size_t>::max());
}

// B-Q-10
TEST(DelayQueue, RemovesNothingThatIsNotThere) {
  ManualClock clock;
  Queue<std::string> queue(clock);
  EXPECT_FALSE(queue.remove("absent"));
  queue.put("present", 1ms);
  EXPECT_FALSE(queue.remove("absent"));
  EXPECT_EQ(queue.size(), 1u);
}

// B-Q-11
TEST(DelayQueue, RemovesOneOfSeveralEqualElementsExpiredOrNot) {
  ManualClock clock;
  Queue<std::string> queue(clock);
  queue.put("duplicate", 10ms);
  queue.put("other", 5ms);
  queue.put("duplicate", 10ms);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_TRUE(queue.remove("duplicate"));
  EXPECT_EQ(queue.size(), 2u);
  clock.advance_to(Instant{10ms});
  EXPECT_TRUE(queue.remove("duplicate"));
  EXPECT_FALSE(queue.remove("duplicate"));
  EXPECT_EQ(poll_all(queue), std::vector<std::string>{"other"});
}

TEST(DelayQueue, KeepsItsOrderWhenElementsAreRemoved) {
  ManualClock clock;
  Queue<int> queue(clock);
  for (const int i : {1, 20, 2, 30, 21, 3, 4, 40, 31, 22, 23, 10, 11, 5, 6}) queue.put(i, i * 1ms);
  EXPECT_TRUE(queue.remove(30));
  EXPECT_TRUE(queue.remove(21));
  EXPECT_EQ(queue.remove_if([](int i) noexcept { return i == 1 || i == 22 || i == 40; }), 3u);
  EXPECT_EQ(queue.remove_if([](int i) noexcept { return i > 100; }), 0u);
  clock.advance_to(Instant{1s});
  EXPECT_EQ(poll_all(queue), (std::vector{2, 3, 4, 5, 6, 10, 11, 20, 23, 31}));
}

TEST(DelayQueue, ReturnsTheElementsThatAreTaken) {
  ManualClock clock;
  Queue<std::unique_ptr<int>> queue(clock);
  for (const int i : {1, 20, 2, 30, 3}) queue.put(std::make_unique<int>(i), i * 1ms);
  const auto is_large = [](const std::unique_ptr<int>& i) noexcept { return *i > 10; };
  EXPECT_THAT(queue.take_if(is_large),
              testing::UnorderedElementsAre(testing::Pointee(20), testing::Pointee(30)));
  EXPECT_THAT(queue.take_if(is_large), testing::IsEmpty());
  clock.advance_to(Instant{1s});
  for (const int i : {1, 2, 3}) EXPECT_THAT(queue.poll(), testing::Optional(testing::Pointee(i)));
  EXPECT_TRUE(queue.empty());
}

// B-Q-12
TEST(DelayQueue, DiscardsWhatHasNotExpiredWhenItIsCleared) {
  ManualClock clock;
  Queue<int> queue(clock);
  queue.put(1, 0ms);
  queue.put(2, 1h);
  queue.clear();
  EXPECT_TRUE(queue.empty());
  clock.advance_by(2h);
  EXPECT_EQ(queue.poll(), std::nullopt);
  queue.put(3, 0ms);
  EXPECT_EQ(queue.poll(), 3);
}

TEST(DelayQueue, GivesAllElementsAtOnceToWhoTakesThemAll) {
  ManualClock clock;
  Queue<std::unique_ptr<int>> queue(clock);
  for (const int i : {1, 2, 3}) queue.put(std::make_unique<int>(i), i * 1h);
  int sum = 0;
  for (const auto& element : queue.take_all()) sum += *element;
  EXPECT_EQ(sum, 6);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.take_all().empty());
}

// B-Q-13
TEST(DelayQueue, WaitsForTheTimeoutOrTheHeadWhateverIsFirst) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  queue.put(1, 1h);
  const Taker& in_vain = line.add_for(20ms);
  clock.run_until(Instant{1s});
  EXPECT_EQ(in_vain.back_at(), 20ms);
  EXPECT_EQ(in_vain.got(), std::nullopt);
  EXPECT_EQ(queue.size(), 1u);

  queue.put(2, 5ms);
  const Taker& in_time = line.add_for(20ms);
  clock.run_until(Instant{2s});
  EXPECT_EQ(in_time.back_at(), 1s + 5ms);
  EXPECT_EQ(in_time.got(), 2);
}

TEST(DelayQueue, DoesNotWaitForATimeoutThatIsNotPositive) {
  ManualClock clock;
  Queue<int> queue(clock);
  queue.put(1, 1ms);
  EXPECT_EQ(queue.poll_for(0ms), std::nullopt);
  EXPECT_EQ(queue.poll_for(Duration::min()), std::nullopt);
  clock.advance_by(1ms);
  EXPECT_EQ(queue.poll_for(Duration::min()), 1);
}

TEST(DelayQueue, WaitsAsLongAsItTakesIfTheTimeoutIsTheLongest) {
  ManualClock clock(Instant{1s});
  Queue<int> queue(clock);
  Line line(clock, queue);
  const Taker& taker = line.add_for(Duration::max());
  clock.run_for(24h * 365);
  EXPECT_EQ(taker.back_at(), std::nullopt);
  queue.put(1, 0ms);
  clock.settle();
  EXPECT_EQ(taker.got(), 1);
}

// B-Q-14
TEST(DelayQueue, BlocksATakerUntilTheHeadExpires) {
  ManualClock clock;
  Queue<std::unique_ptr<int>> queue(clock);
  queue.put(std::make_unique<int>(2), 100ms);
  queue.put(std::make_unique<int>(1), 50ms);
  int taken = 0;
  Duration taken_at{};
  const ManualClock::Thread taker(clock, [&] {
    taken = *queue.take();
    taken_at = clock.now().time_since_epoch();
  });
  clock.run_until(Instant{99ms});
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(taken_at, 50ms);
  EXPECT_EQ(queue.size(), 1u);
  queue.put(std::make_unique<int>(0), 0ms);  // ends the wait of the taker, if it still waits
}

// B-Q-14
TEST(DelayQueue, LosesNothingWhenItsTakersAreInterrupted) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  queue.put(1, 100ms);
  Taker& taker = line.add();
  Taker& timed = line.add_for(80ms);
  clock.run_until(Instant{50ms});
  EXPECT_EQ(taker.back_at(), std::nullopt);
  EXPECT_EQ(timed.back_at(), std::nullopt);
  taker.interrupt();
  timed.interrupt();
  clock.settle();
  EXPECT_EQ(taker.back_at(), 50ms);
  EXPECT_EQ(timed.back_at(), 50ms);
  EXPECT_EQ(taker.got(), std::nullopt);
  EXPECT_EQ(timed.got(), std::nullopt);
  clock.run_until(Instant{100ms});
  EXPECT_EQ(queue.poll(), 1);
}

// B-Q-14
TEST(DelayQueue, GivesNothingToATakerWhoWasInterruptedBefore) {
  ManualClock clock;
  Queue<int> queue(clock);
  queue.put(1, 0ms);
  std::stop_source stop;
  EXPECT_EQ(queue.poll_for(1h, stop.get_token()), 1);
  queue.put(2, 0ms);
  stop.request_stop();
  EXPECT_EQ(queue.take(stop.get_token()), std::nullopt);
  EXPECT_EQ(queue.poll_for(1h, stop.get_token()), std::nullopt);
  EXPECT_EQ(queue.size(), 1u);
}

// B-Q-15, D-28
TEST(DelayQueue, KeepsAllWhenNoneHasExpired) {
  for (const std::size_t size : {0u, 1u, 2u}) {
    ManualClock clock;
    Queue<int> queue(clock);
    for (std::size_t i = 0; i < size; ++i) queue.put(1, 1h);
    EXPECT_EQ(queue.poll(), std::nullopt);
    EXPECT_EQ(queue.size(), size);
  }
}

// B-Q-17, D-29: an element wakes only the thread that takes it and the next one in line.
TEST(DelayQueue, WakesNoHerd) {
  constexpr int kElements = 1000;
  ManualClock clock;
  Queue<int> queue(clock);
  const Pool pool(clock, queue, 300);
  std::vector<Ran> each_at_its_deadline;
  for (int i = 1; i <= kElements; ++i) {
    queue.put(i, i * 10ms);
    each_at_its_deadline.push_back({i, i * 10ms});
  }
  clock.run_until(Instant{10s});
  EXPECT_EQ(pool.taken(), each_at_its_deadline);
  EXPECT_EQ(clock.wakes(), 2u * kElements);
}

// B-Q-17
TEST(DelayQueue, HandsWhatExpiresTogetherToAllWhoWait) {
  constexpr std::size_t kThreads = 20;
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  std::vector<Taker*> takers;
  while (takers.size() < kThreads) takers.push_back(&line.add());
  for (std::size_t i = 0; i < kThreads; ++i) queue.put(1, 10ms);
  clock.advance_to(Instant{10ms});
  for (const Taker* taker : takers) EXPECT_EQ(taker->got(), 1);
  EXPECT_TRUE(queue.empty());
}

// B-Q-17, C-09
TEST(DelayQueue, WakesTheFirstInLineForANewHeadAndNobodyForAnother) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  const Taker& first = line.add();
  const Taker& second = line.add();
  line.add();
  EXPECT_EQ(clock.wakes(), 0u);
  queue.put(50, 50ms);
  clock.settle();
  EXPECT_EQ(clock.wakes(), 1u);
  queue.put(60, 60ms);
  queue.put(51, 50ms);
  clock.settle();
  EXPECT_EQ(clock.wakes(), 1u);
  queue.put(40, 40ms);
  clock.settle();
  EXPECT_EQ(clock.wakes(), 2u);
  clock.run_until(Instant{40ms});
  EXPECT_EQ(first.got(), 40);
  EXPECT_EQ(first.back_at(), 40ms);
  clock.run_until(Instant{50ms});
  EXPECT_EQ(second.got(), 50);
  EXPECT_EQ(second.back_at(), 50ms);
}

// B-Q-17
TEST(DelayQueue, WakesNobodyElseWhenOneInTheMiddleLeaves) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  queue.put(1, 1h);
  const Taker& first = line.add();
  Taker& second = line.add();
  line.add();
  second.interrupt();
  clock.settle();
  EXPECT_EQ(second.back_at(), 0ms);
  EXPECT_EQ(first.back_at(), std::nullopt);
  EXPECT_EQ(clock.wakes(), 1u);
}

// B-Q-18
TEST(DelayQueue, KeepsWhatNeverExpiresAndHasPassedWhatIsLongAgo) {
  ManualClock clock(Instant{1s});
  Queue<int> queue(clock);
  for (const int i : {1, 2, 3}) queue.put(i, Duration::max());
  queue.put(4, Instant::max());
  EXPECT_EQ(queue.peek(), 1);
  EXPECT_EQ(queue.next_expiry(), Instant::max());
  clock.advance_to(Instant::max());
  EXPECT_EQ(queue.poll(), std::nullopt);
  EXPECT_TRUE(queue.remove(3));
  EXPECT_EQ(queue.size(), 3u);
  queue.put(5, -1ms);
  queue.put(6, Duration::min());
  queue.put(7, Instant::min());
  EXPECT_EQ(poll_all(queue), (std::vector{7, 6, 5}));
}

TEST(DelayQueue, TakesDelaysInAnyUnit) {
  ManualClock clock;
  Queue<int> queue(clock);
  queue.put(1, std::chrono::years(1000));
  EXPECT_EQ(queue.next_expiry(), Instant::max());
  queue.put(2, std::chrono::years(-1000));
  EXPECT_EQ(queue.next_expiry(), Instant::min());
  EXPECT_EQ(queue.poll_for(std::chrono::years(1000)), 2);
}

// B-Q-18, C-09
TEST(DelayQueue, LetsATakerWaitForWhatNeverExpires) {
  ManualClock clock(Instant{1s});
  Queue<int> queue(clock);
  Line line(clock, queue);
  queue.put(1, Duration::max());
  const Taker& taker = line.add();
  clock.run_until(Instant::max());
  EXPECT_EQ(taker.back_at(), std::nullopt);
  queue.put(2, -1ms);
  clock.settle();
  EXPECT_EQ(taker.got(), 2);
}

// C-10
TEST(DelayQueue, LooksAgainWhenTheHeadIsGone) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  const Taker& taker = line.add();
  queue.put(100, 100ms);
  queue.put(200, 200ms);
  clock.run_until(Instant{50ms});
  EXPECT_TRUE(queue.remove(100));
  clock.run_until(Instant{150ms});
  EXPECT_EQ(taker.back_at(), std::nullopt);
  clock.run_until(Instant{200ms});
  EXPECT_EQ(taker.got(), 200);
  EXPECT_EQ(taker.back_at(), 200ms);
}

// C-09, C-10
TEST(DelayQueue, WakesATakerWhoseQueueWasCleared) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  const Taker& taker = line.add();
  queue.put(1, 100ms);
  clock.settle();
  queue.clear();
  queue.put(2, 300ms);
  clock.run_until(Instant{200ms});
  EXPECT_EQ(taker.back_at(), std::nullopt);
  queue.clear();
  clock.run_until(Instant{400ms});
  EXPECT_EQ(taker.back_at(), std::nullopt);
  queue.put(3, 5ms);
  clock.run_until(Instant{1s});
  EXPECT_EQ(taker.got(), 3);
  EXPECT_EQ(taker.back_at(), 405ms);
}

// C-11
TEST(DelayQueue, LeavesTheHeadToTheNextWhenTheFirstIsInterrupted) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  queue.put(1, 100ms);
  Taker& first = line.add();
  const Taker& second = line.add();
  const Taker& third = line.add();
  clock.run_until(Instant{50ms});
  first.interrupt();
  clock.run_until(Instant{1s});
  EXPECT_EQ(first.back_at(), 50ms);
  EXPECT_EQ(first.got(), std::nullopt);
  EXPECT_EQ(second.back_at(), 100ms);
  EXPECT_EQ(second.got(), 1);
  EXPECT_EQ(third.back_at(), std::nullopt);
}

// C-11
TEST(DelayQueue, LeavesTheHeadToTheNextWhenTheTimeOfTheFirstIsUp) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  queue.put(1, 100ms);
  const Taker& first = line.add_for(50ms);
  const Taker& second = line.add();
  clock.run_until(Instant{1s});
  EXPECT_EQ(first.back_at(), 50ms);
  EXPECT_EQ(first.got(), std::nullopt);
  EXPECT_EQ(second.back_at(), 100ms);
  EXPECT_EQ(second.got(), 1);
}

// C-11
TEST(DelayQueue, LosesNoWakeUpWhenOneInTheMiddleLeaves) {
  ManualClock clock;
  Queue<int> queue(clock);
  Line line(clock, queue);
  const Taker& first = line.add();
  Taker& second = line.add();
  const Taker& third = line.add_for(30ms);
  const Taker& fourth = line.add();
  second.interrupt();
  queue.put(1, 40ms);
  queue.put(2, 50ms);
  clock.run_until(Instant{1s});
  EXPECT_EQ(second.back_at(), 0ms);
  EXPECT_EQ(third.back_at(), 30ms);
  EXPECT_EQ(first.back_at(), 40ms);
  EXPECT_EQ(fourth.back_at(), 50ms);
}

// C-11: the first in line leaves, and at the same moment a new head calls it.
TEST(DelayQueue, LosesNoWakeUpThatMeetsAnInterruption) {
  for (int round = 0; round < 200; ++round) {
    ManualClock clock;
    Queue<int> queue(clock);
    Line line(clock, queue);
    Taker& first = line.add();
    const Taker& second = line.add();
    queue.put(1, 10ms);
    first.interrupt();
    clock.run_until(Instant{10ms});
    EXPECT_EQ(first.back_at(), 0ms);
    ASSERT_EQ(second.got(), 1);
    ASSERT_EQ(second.back_at(), 10ms);
  }
}

// The example of the header.
TEST(DelayQueue, RetriesAfter2And4And8And16Seconds) {
  ManualClock clock;
  Queue<Instant> retries(clock);  // the times at which messages were sent
  RunLog log(clock);
  std::stop_source stop;
  const ManualClock::Thread sender(clock, [&] {
    int retry = 0;
    while (const auto sent = retries.take(stop.get_token())) {
      const auto waited = clock.now() - *sent;
      log.task(++retry)();
      if (waited < 16s) retries.put(*sent, waited);
    }
  });
  retries.put(clock.now(), 2s);
  clock.run_for(1min);
  EXPECT_EQ(log.runs(), (std::vector<Ran>{{1, 2s}, {2, 4s}, {3, 8s}, {4, 16s}}));
  stop.request_stop();
}

/// Asks the queue for its size in its destructor. That would hang if elements died under the lock.
struct Inquirer {
  using Dying = std::shared_ptr<Inquirer>;
  struct Element {
    int id;
    Dying dying;
    bool operator==(const Element& other) const { return id == other.id; }
  };

  Inquirer(Queue<Element>& asked, std::vector<std::size_t>& sizes) : queue(asked), heard(sizes) {}
  Inquirer(const Inquirer&) = delete;
  Inquirer& operator=(const Inquirer&) = delete;
  ~Inquirer() { heard.push_back(queue.size()); }

  Queue<Element>& queue;
  std::vector<std::size_t>& heard;
};

TEST(DelayQueue, LetsElementsCallBackWhenTheyDie) {
  ManualClock clock;
  Queue<Inquirer::Element> queue(clock);
  std::vector<std::size_t> sizes;
  for (const int i : {1, 2, 3, 4}) queue.put({i, std::make_shared<Inquirer>(queue, sizes)}, 0ms);
  queue.poll();
  EXPECT_EQ(queue.remove_if([](const auto& element) noexcept { return element.id == 2; }), 1u);
  EXPECT_TRUE(queue.remove({3, nullptr}));
  queue.clear();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2, 1, 0}));
}

/// Cannot be compared with 0.
struct Proud {
  int number;
  bool operator==(const Proud& other) const {
    if (number * other.number == 0) throw std::domain_error("there is nothing like 0");
    return number == other.number;
  }
};

TEST(DelayQueue, IsAsItWasWhenAComparisonThrows) {
  ManualClock clock;
  Queue<Proud> queue(clock);
  for (const int number : {1, 0, 2}) queue.put({number}, number * 1ms);
  EXPECT_THROW(queue.remove({2}), std::domain_error);
  clock.advance_by(2ms);
  ASSERT_EQ(queue.size(), 3u);
  for (const int number : {0, 1, 2}) EXPECT_EQ(queue.poll()->number, number);
}

TEST(DelayQueue, IsAsItWasWhenMemoryRunsOut) {
  ManualClock clock;
  Queue<int> queue(clock);
  queue.put(1, 10ms);
  conformance::Ration none{0};
  {
    const conformance::Rationing rationing(&none);
    EXPECT_THROW(queue.put(2, 5ms), std::bad_alloc);
  }
  EXPECT_TRUE(none.refused);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.peek(), 1);
}

}  // namespace
}  // namespace timers
