/// Histories are drawn at random, run, made small and printed.

#include "tests/conformance/queues/history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "tests/conformance/queues/random_history.hpp"
#include "tests/conformance/queues/shrink.hpp"
#include "tests/kit/wrong_queues.hpp"

namespace timers::conformance {
namespace {

/// The first random history that shows the fault of this kind of queue, made small.
History shortest(const QueueKind& kind) {
  const auto fails = [&](const History& history) { return run(history, kind).has_value(); };
  for (std::uint64_t seed = 1;; ++seed) {
    const History history = random_history(seed);
    if (fails(history)) return shrink(history, fails);
  }
}

/// Whether the text occurs in this file, so that it was compiled here.
bool is_compiled_here(const std::string& text) {
  const std::ifstream file(TIMERBENCH_SOURCE_DIR "/tests/kit/history_test.cpp");
  std::stringstream source;
  source << file.rdbuf();
  std::string indented = "  ";
  for (const char letter : text) indented += letter == '\n' ? "\n  " : std::string(1, letter);
  indented.resize(indented.size() - 2);
  return source.str().find(indented) != std::string::npos;
}

TEST(RandomHistory, IsTheSameWithEveryCompiler) {
  std::uint64_t digest = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    for (const char letter : to_cpp(random_history(seed))) {
      digest = (digest ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
    }
  }
  EXPECT_EQ(digest, 17524362845893784058u);
}

TEST(RandomHistory, HasNoMoreOperationsThanAllowed) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    EXPECT_LE(random_history(seed, 50).size(), 52u) << seed;
  }
}

TEST(RandomHistory, UsesEveryVerbAndReachesTheEndOfTime) {
  const auto has = [](const History& history, auto&& condition) {
    return std::any_of(history.begin(), history.end(), condition);
  };
  int insert = 0, cancel = 0, rearm = 0, limited = 0, moved = 0, ended = 0, deep = 0, destroyed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    using Verb = Operation::Verb;
    const History history = random_history(seed);
    insert += has(history, [](const Operation& o) { return o.verb == Verb::insert; });
    cancel += has(history, [](const Operation& o) { return o.verb == Verb::cancel; });
    rearm += has(history, [](const Operation& o) { return o.verb == Verb::rearm; });
    moved += has(history, [](const Operation& o) { return o.verb == Verb::move_queue; });
    limited += has(history, [](const Operation& o) { return o.limit != kNoLimit; });
    ended += has(history, [](const Operation& o) { return o == expire(at(kEndOfTime)); });
    deep += has(history, [](const Operation& o) { return !o.on_expiry.empty(); });
    destroyed += has(history, [](const Operation& o) { return !o.on_destruction.empty(); });
  }
  EXPECT_GT(std::min({insert, cancel, rearm}), 150);
  EXPECT_GT(std::min({limited, moved, ended, deep, destroyed}), 20);
}

TEST(History, SkipsWhatNamesNoTimer) {
  EXPECT_EQ(run({cancel(3), rearm(1000, after(1)), throws(), expire(after(1))}, kind_of<Right>()),
            std::nullopt);
}

TEST(History, CountsEachExpiryAsAnOperation) {
  std::uint64_t operations = 0;
  run({insert(0, after(1), {insert(1, after(1))}), expire(after(1)), expire(after(1))},
      kind_of<Right>(), &operations);
  EXPECT_EQ(operations, 4u);
}

TEST(History, IsPrintedAsItIsWritten) {
  const History history{
      insert(0, at(kEndOfTime)),
      insert(1, after(0x10000), {cancel(0), throws()}),
      insert(2, after(65535), {}, {rearm(1, at(kEndOfTime - 3)), expire(after(0))}),
      expire(after(1), 2),
      move_queue(),
  };
  EXPECT_TRUE(is_compiled_here(to_cpp(history))) << to_cpp(history);
  EXPECT_EQ(testing::PrintToString(history[3]), "expire(after(1), 2)");
  EXPECT_EQ(testing::PrintToString(history[4].verb), "move_queue");
}

// The shrinker printed each of the following histories, and each shows the fault.

TEST(Shrink, LeavesTheOneOperationThatIsWrong) {
  const History history{
      insert(0, after(64)),
  };
  EXPECT_EQ(shortest(kind_of<LateAt64>()), history);
  EXPECT_TRUE(is_compiled_here(to_cpp(history)));
  EXPECT_TRUE(run(history, kind_of<LateAt64>()));
}

TEST(Shrink, LeavesAsManyTimersAsItTakes) {
  const History history{
      insert(0, after(0)),
      insert(1, after(0)),
      insert(2, after(0)),
      insert(3, after(0)),
  };
  EXPECT_EQ(shortest(kind_of<CountsToThree>()), history);
  EXPECT_TRUE(is_compiled_here(to_cpp(history)));
  EXPECT_TRUE(run(history, kind_of<CountsToThree>()));
}

TEST(Shrink, KeepsWhatACallbackMustDo) {
  const History history{
      insert(0, after(0), {throws()}),
      expire(after(1)),
  };
  EXPECT_EQ(shortest(kind_of<SwallowsExceptions>()), history);
  EXPECT_TRUE(is_compiled_here(to_cpp(history)));
  EXPECT_TRUE(run(history, kind_of<SwallowsExceptions>()));
}

TEST(Shrink, KeepsTheTimersThatACallbackMeets) {
  const History history = shortest(kind_of<DeafInCallbacks>());
  ASSERT_EQ(history.size(), 3u) << to_cpp(history);
  EXPECT_EQ(history[0].verb, Operation::Verb::insert);
  EXPECT_EQ(history[1].verb, Operation::Verb::insert);
  EXPECT_EQ(history[2].verb, Operation::Verb::expire);
}

TEST(Shrink, SaysHowAQueueDiverges) {
  const History history{
      insert(0, after(7)),
      insert(1, at(64)),
      expire(after(70)),
      insert(2, at(64)),
  };
  EXPECT_EQ(report(history, kind_of<LateAt64>()),
            "ordered_map breaks the contract at insert(0, after(64)), operation 0.\n"
            "law:      next_expiry is exact, as the queue promises.\n"
            "expected: 64, as now is 0\n"
            "seen:     65\n"
            "\n"
            "The shortest history found that shows it:\n"
            "\n"
            "const History history{\n"
            "    insert(0, after(64)),\n"
            "};\n");
}

}  // namespace
}  // namespace timers::conformance
