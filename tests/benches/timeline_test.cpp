#include "benches/workloads/timeline.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/benches/steps_in_words.hpp"

namespace timers::benches {
namespace {

using Words = std::vector<std::string>;

TEST(Timeline, OrdersWithinATickByVerbAndThenByTime) {
  Timeline timeline;
  const auto first = timeline.insert(0.2, 9);
  const auto second = timeline.insert(0.1, 9);
  timeline.insert(2.1, 9);
  timeline.rearm(2.2, first, 8);
  timeline.cancel(2.9, second);
  EXPECT_EQ(words(std::move(timeline).schedule(0, 2, Operation::verb)),
            (Words{"insert 0 9 #1", "insert 1 9 #2", "expire 1", "expire 2", "cancel 0 #3",
                   "rearm 1 8 #4", "insert 0 9 #5", "expire 9"}));
}

TEST(Timeline, GivesTheSlotOfAnEndedTimerToTheNextOne) {
  Timeline timeline;
  const auto first = timeline.insert(0, 1);
  timeline.expires(1, first);
  timeline.insert(1, 5);
  EXPECT_EQ(words(std::move(timeline).schedule(0, 1, Operation::insert)),
            (Words{"insert 0 1 #1", "expire 1", "insert 0 5 #2", "expire 5"}));
}

TEST(Timeline, MeasuresBehindTheTickWhereItBegins) {
  Timeline timeline;
  timeline.insert(1, 9);
  timeline.insert(2, 9);
  timeline.insert(3, 9);
  const Schedule schedule = std::move(timeline).schedule(1, 2, Operation::insert);
  EXPECT_EQ(words(schedule),
            (Words{"expire 1", "insert 0 9 #1", "expire 2", "insert 1 9 #2", "expire 9"}));
  EXPECT_EQ(schedule.measured_begin, 2u);
  EXPECT_EQ(schedule.measured_end, 4u);
}

TEST(Timeline, RefusesWhatIsToldOfATimerThatIsNotPending) {
  Timeline cancelled;
  const auto gone = cancelled.insert(0, 9);
  cancelled.cancel(1, gone);
  cancelled.rearm(2, gone, 9);
  EXPECT_THROW(std::move(cancelled).schedule(0, 3, Operation::verb), std::logic_error);

  Timeline in_its_first_tick;
  in_its_first_tick.rearm(0.5, in_its_first_tick.insert(0.2, 9), 9);
  EXPECT_THROW(std::move(in_its_first_tick).schedule(0, 3, Operation::verb), std::logic_error);
}

}  // namespace
}  // namespace timers::benches
