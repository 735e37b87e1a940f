/// What a user reads when a queue fails the kit: the law, what was expected, what was seen, and
/// what was done before. All of that is on the first screen.

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/conformance/journal.hpp"
#include "tests/conformance/queues/laws.hpp"
#include "tests/conformance/queues/scenario.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/kit/wrong_queues.hpp"

namespace timers::conformance {
namespace {

using testing::HasSubstr;

/// All failures of `test`, one after the other.
std::string messages_of(const std::function<void()>& test) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    test();
  }
  std::string messages;
  for (int i = 0; i < results.size(); ++i) {
    messages += std::string(results.GetTestPartResult(i).message()) + '\n';
  }
  return messages;
}

/// What the sentence of this name reports about a queue.
std::string messages_of(std::string_view name, const QueueKind& kind) {
  for (const Sentence* sentence : Sentence::all()) {
    if (sentence->name() == name) return messages_of([&] { sentence->test(kind); });
  }
  ADD_FAILURE() << "the kit has no sentence " << name;
  return "";
}

/// Whether a message fits on a screen, with the lines of GoogleTest around it.
void expect_one_screen(const std::string& message) {
  constexpr std::size_t kLines = 20;
  constexpr std::size_t kColumns = 100;
  std::size_t lines = 0;
  std::istringstream in(message);
  for (std::string line; std::getline(in, line); ++lines) EXPECT_LE(line.size(), kColumns) << line;
  EXPECT_LE(lines, kLines) << message;
}

//
TEST(Messages, TellTheLawAndWhatWasDoneWhereASentenceFails) {
  const std::string message = messages_of("RunsATimerOfBucketZeroInTime", kind_of<LateAt64>());
  EXPECT_THAT(message, HasSubstr("ordered_map breaks the contract in "));
  EXPECT_THAT(message, HasSubstr("law:      next_expiry is never later than the tick at which the "
                                 "next timer runs.\n"
                                 "expected: at most 64, for timer 1, due at 64\n"
                                 "seen:     65\n"
                                 "history:  insert 1 at 64\n"));
}

//
TEST(Messages, TellTheLawBeforeTheHistoryWhereQueueAndModelDiffer) {
  const std::string message =
      messages_of("AgreesWithTheModelOnRandomHistories", kind_of<SwallowsExceptions>());
  expect_one_screen(message);
  const std::size_t law = message.find("law:      An exception of a callback leaves expire.");
  ASSERT_NE(law, std::string::npos);
  EXPECT_GT(message.find("const History history{"), law);
}

//
TEST(Messages, TellWhatWasDoneWhereAQueueIsNotAsExpected) {
  const auto sentence = [] {
    Scenario queue(kind_of<DeafInCallbacks>());
    queue.insert(1, 5);
    queue.insert(2, 6);
    queue.on_expiry(1, [&] { queue.cancel(2); });
    queue.expire(5);
  };
  const std::string message = messages_of(sentence);
  expect_one_screen(message);
  EXPECT_THAT(message, HasSubstr("law:      cancel tells whether the timer was pending.\n"
                                 "expected: true, as timer 2 was pending\n"
                                 "seen:     false\n"
                                 "history:  insert 1 at 5, insert 2 at 6, expire to 5, run 1, "
                                 "cancel 2\n"));
}

TEST(Messages, TellOnlyTheFirstThatIsWrong) {
  const auto sentence = [] {
    Scenario queue(kind_of<CountsToThree>());
    for (Id id = 1; id <= 100; ++id) queue.insert(id, id);
    queue.expire(100);
  };
  const std::string message = messages_of(sentence);
  EXPECT_THAT(message, HasSubstr("expected: 4\nseen:     3\n"));
  expect_one_screen(message);
  EXPECT_EQ(message.find("law:"), message.rfind("law:"));
}

TEST(Journal, KeepsWhatWasDoneLastInShortLines) {
  Journal journal(&tick_in_words);
  EXPECT_EQ(journal.text(), "history:  nothing was done");
  journal.note("insert", 1, " at ", 5);
  journal.note("cancel", 1);
  journal.note_time("expire to", kEndOfTime - 2);
  journal.note("destroy the queue");
  EXPECT_EQ(journal.text(),
            "history:  insert 1 at 5, cancel 1, expire to kEndOfTime - 2, destroy the queue");
  for (std::uint64_t id = 0; id < 1000; ++id) journal.note("insert", id, " at ", 1'000'000 + id);
  const std::string text = journal.text();
  expect_one_screen(text);
  EXPECT_THAT(text, HasSubstr("history:  ... (980 before), insert 976 at 1000976, "));
  EXPECT_THAT(text, testing::EndsWith("insert 999 at 1000999"));
}

TEST(Ticks, AreToldFromTheEndOfTimeWhereThatIsNear) {
  EXPECT_EQ(tick_in_words(5), "5");
  EXPECT_EQ(tick_in_words(kEndOfTime), "kEndOfTime");
  EXPECT_EQ(tick_in_words(kEndOfTime - 7), "kEndOfTime - 7");
  EXPECT_EQ(tick_in_words(kEndOfTime - 1024), "18446744073709550591");
}

}  // namespace
}  // namespace timers::conformance
