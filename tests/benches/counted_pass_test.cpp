#include "benches/harness/queues/counted_pass.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "benches/workloads/catalog.hpp"
#include "impls/catalog.hpp"
#include "impls/type_list.hpp"
#include "tests/benches/proving_queues.hpp"

namespace timers::benches {
namespace {

using Reference = OrderedMap<Task>;
constexpr std::uint64_t kSeed = 1;

/// Runs one timer a tick early.
class Hasty : public Reference {
 public:
  Handle insert(Tick deadline, Task task) {
    return Reference::insert(task == 77 ? deadline - 1 : deadline, task);
  }
};

/// Says at the end that it is not empty.
struct NeverEmpty : Reference {
  std::size_t size() const { return 1; }
};

/// Its next_expiry is too late.
struct Sleepy : Reference {
  std::optional<Tick> next_expiry() const {
    const std::optional<Tick> next = Reference::next_expiry();
    return next ? std::optional(*next + 1) : std::nullopt;
  }
};

/// Wants to be called in every tick.
class Restless : public Reference {
 public:
  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    now_ = now;
    return Reference::expire(now, on_expiry);
  }
  std::optional<Tick> next_expiry() const {
    return size() == 0 ? std::nullopt : std::optional(now_ + 1);
  }

 private:
  Tick now_ = 0;
};

template <class Queue, class Way = CountSteps>
std::size_t operations_in(const CountedInput& input) {
  const Way way(input.schedule);
  warm_code<Queue>(input, way);
  CountedPass<Queue> pass(input);
  const Count count = pass.count("a name", way);
  if (count.operations > 0) pass.check(way);
  return count.operations;
}

template <class Queue>
std::string failure_in(const CountedInput& input) {
  try {
    operations_in<Queue>(input);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

CountedInput window_of(Schedule schedule, std::size_t most) {
  cut_to_window(schedule, most);
  return CountedInput(std::move(schedule));
}

TEST(CountedPass, ProvesAWindowOfAQueueOfEachShape) {
  for (const auto make : {&rpc, &tcp, &expire_within_a_minute, &idle, &cancel_random}) {
    const CountedInput input = window_of(make(1'000, kSeed), 900);
    for_each_type(ProvingQueues<Task>{}, [&]<class Queue>() {
      const std::size_t operations = operations_in<Queue>(input);
      EXPECT_GT(operations, 0u);
      if (kMayBeLate<Queue> && input.schedule.counted == Operation::expiry) return;
      EXPECT_EQ(operations, operations_in<Reference>(input));
    });
  }
}

TEST(CountedPass, CountsTheOperationsOfItsWindow) {
  EXPECT_EQ(operations_in<Reference>(window_of(insert_growing(1'000, kSeed), 100)), 100u);
  const CountedInput expiries = window_of(expire_within_a_minute(60'000, kSeed), 25'600);
  EXPECT_NEAR(static_cast<double>(operations_in<Reference>(expiries)), 25'600, 1'000);
}

TEST(CountedPass, FindsATimerThatRunsATickEarly) {
  const CountedInput input = window_of(retry(300, kSeed), 100'000);
  EXPECT_EQ(failure_in<Reference>(input), "");
  EXPECT_NE(failure_in<Hasty>(input).find("wrong timers, times or answers"), std::string::npos);
}

TEST(CountedPass, FindsWhatIsWrongBehindItsWindow) {
  const CountedInput input = window_of(insert_growing(150, kSeed), 100);
  EXPECT_EQ(failure_in<Reference>(input), "");
  EXPECT_NE(failure_in<Hasty>(input), "");
  EXPECT_EQ(failure_in<NeverEmpty>(input), "timers are pending when all are due");
}

TEST(CountWakes, CountsAWholeScheduleOrNothing) {
  const CountedInput input(one_second_and_six_hours(100, kSeed));
  EXPECT_EQ((operations_in<Reference, CountWakes>(input)), 100u);
  EXPECT_EQ((operations_in<HierarchicalWheel<Task>, CountWakes>(input)), 100u);
  EXPECT_EQ((operations_in<Restless, CountWakes>(input)), 0u);
}

TEST(CountWakes, RefusesAQueueThatNamesALaterTick) {
  const CountedInput input(one_second_and_six_hours(100, kSeed));
  EXPECT_THROW((operations_in<Sleepy, CountWakes>(input)), std::runtime_error);
}

TEST(CountQuestions, CountsTheQuestionsAfterEachTick) {
  const CountedInput input(first_second(100, kSeed));
  EXPECT_EQ((operations_in<Reference, CountQuestions>(input)), 100'000u);
}

TEST(CountVerb, CountsTheStepsOfItsVerbAlone) {
  const CountedInput input(cancel_random(100, kSeed));
  const auto count = [&](auto of, Step::Verb verb) {
    using Queue = typename decltype(of)::type;
    const CountVerb way(input.schedule, verb);
    CountedPass<Queue> pass(input);
    const std::size_t operations = pass.count("a name", way).operations;
    pass.check(way);
    return operations;
  };
  EXPECT_EQ(count(std::type_identity<Reference>{}, Step::Verb::cancel), 100u);
  EXPECT_EQ(count(std::type_identity<HierarchicalWheel<Task>>{}, Step::Verb::cancel), 100u);
  EXPECT_EQ(count(std::type_identity<Reference>{}, Step::Verb::insert), 0u);
}

TEST(CountVerb, FindsATimerThatRunsATickEarly) {
  const CountedInput input = window_of(retry(300, kSeed), 100'000);
  const CountVerb way(input.schedule, Step::Verb::expire);
  CountedPass<Hasty> pass(input);
  EXPECT_GT(pass.count("a name", way).operations, 0u);
  EXPECT_THROW(pass.check(way), std::runtime_error);
}

TEST(CountQuestions, RefusesAWrongAnswer) {
  const CountedInput input(first_second(100, kSeed));
  EXPECT_THROW((operations_in<Sleepy, CountQuestions>(input)), std::runtime_error);
}

}  // namespace
}  // namespace timers::benches
