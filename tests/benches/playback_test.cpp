#include "benches/harness/queues/playback.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "benches/harness/queues/golden_vector.hpp"
#include "benches/harness/queues/prediction.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/traces/recordings.hpp"
#include "benches/traces/trace.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/catalog.hpp"
#include "tests/benches/proving_queues.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/queues/weak_queues.hpp"

namespace timers::benches {
namespace {

constexpr const char* kTraces = TIMERBENCH_SOURCE_DIR "/benches/traces";

using Reference = OrderedMap<Task>;

/// The reference queue without its ability to re-arm.
using WithoutRearm = PlainQueue<Task>;

struct Log {
  Tick now = 0;
  std::vector<std::tuple<Task, Tick, Tick>> expiries;  // the line that armed it, its deadline, and
                                                       // now
  std::vector<std::pair<std::uint32_t, bool>> answers;

  void call_begins(Tick tick) { now = tick; }
  void expired(Tick deadline, Task task) { expiries.emplace_back(task, deadline, now); }
  void call_ends(std::size_t) {}
  static void verb_begins() {}
  static void verb_ends(Step::Verb) {}
  void answered(const Step& step, bool answer) { answers.emplace_back(step.line, answer); }
};

Schedule of_all_cases() {
  ScheduleBuilder builder;
  builder.insert(0, 5, 1);
  builder.insert(1, 5, 2);
  builder.rearm(0, 5, 3);  // due after the timer of line 2
  builder.move_time(7);
  builder.cancel(1, 4);     // too late: it has run
  builder.rearm(0, 9, 5);   // too late: becomes an insert
  builder.insert(1, 3, 6);  // in the past: due at 8
  builder.rearm(0, 11, 7);
  builder.insert(0, 9, 8);  // the handle of line 5 is overwritten, and its timer expires
  builder.cancel(0, 9);
  return std::move(builder).finish(Operation::verb);
}

TEST(Playback, ShowsEachExpiryWithItsLineDeadlineAndNow) {
  Log log;
  replay<Reference>(of_all_cases(), log);
  const std::vector<std::tuple<Task, Tick, Tick>> expiries = {
      {2, 5, 7}, {1, 5, 7}, {6, 8, 11}, {5, 11, 11}};
  EXPECT_EQ(log.expiries, expiries);
}

TEST(Playback, ShowsTheAnswerOfEachCancelAndRearm) {
  Log log;
  replay<Reference>(of_all_cases(), log);
  const std::vector<std::pair<std::uint32_t, bool>> answers = {
      {3, true}, {4, false}, {5, false}, {7, true}, {9, true}};
  EXPECT_EQ(log.answers, answers);
}

TEST(Playback, CancelsAndInsertsForAQueueThatCannotRearm) {
  static_assert(!CanRearm<WithoutRearm>);
  EXPECT_EQ(prove<WithoutRearm>(of_all_cases()), prove<Reference>(of_all_cases()));
}

TEST(Prediction, IsWhatTheReferenceShows) {
  EXPECT_EQ(predict(of_all_cases()), prove<Reference>(of_all_cases()));
}

TEST(Prediction, OfAWindowIsWhatTheReferenceShowsWhenTheLastStepFollowsAtOnce) {
  const Schedule schedule = of_all_cases();
  for (std::size_t cut = 0; cut < schedule.steps.size(); ++cut) {
    Prover prover;
    Playback<Reference> replay(schedule);
    replay.run_until(cut, prover);
    replay.skip_to(schedule.steps.size() - 1);
    replay.run_until(schedule.steps.size(), prover);
    EXPECT_EQ(predict(schedule, cut), prover.proof()) << cut;
  }
}

TEST(Prediction, IsWhatQueuesShowOnTheRecordedTraces) {
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTraces)) {
    if (entry.path().filename().string().find(".trace") == std::string::npos) continue;
    const Schedule schedule = schedule_of(read_trace(entry.path()), 1'000'000);
    const Proof expected = predict(schedule);
    EXPECT_GT(expected.expiries, 500u);
    for_each_type(ProvingQueues<Task>{}, [&]<class Queue>() {
      EXPECT_EQ(fault_of<Queue>(schedule, expected), "") << Queue::name << " on " << entry.path();
    });
    ++traces;
  }
  EXPECT_GE(traces, 8);
}

Proof proof_of(const std::vector<std::tuple<Task, Tick, Tick>>& expiries) {
  Prover prover;
  for (const auto& [task, deadline, now] : expiries) {
    prover.call_begins(now);
    prover.expired(deadline, task);
    prover.call_ends(1);
  }
  return prover.proof();
}

TEST(Proof, DiffersWhenATimerIsMissing) {
  EXPECT_EQ(difference(proof_of({{1, 5, 5}}), proof_of({{1, 5, 5}, {2, 5, 5}}), {}),
            "1 timers expired, not 2");
}

TEST(Proof, DiffersWhenATimerExpiresInAnotherCallOrUnderAnotherName) {
  const Proof right = proof_of({{1, 5, 5}, {2, 7, 7}});
  EXPECT_NE(difference(proof_of({{1, 5, 6}, {2, 7, 7}}), right, {}), "");
  EXPECT_NE(difference(proof_of({{1, 4, 5}, {2, 7, 7}}), right, {}), "");
  EXPECT_NE(difference(proof_of({{3, 5, 5}, {2, 7, 7}}), right, {}), "");
  EXPECT_NE(difference(proof_of({{2, 5, 5}, {1, 7, 7}}), right, {}), "");
  EXPECT_EQ(difference(proof_of({{1, 5, 5}, {2, 7, 7}}), right, {}), "");
}

TEST(Proof, AsksForTheOrderOfEqualDeadlinesOnlyWhereItIsPromised) {
  const Proof right = proof_of({{1, 5, 5}, {2, 5, 5}});
  const Proof turned = proof_of({{2, 5, 5}, {1, 5, 5}});
  EXPECT_NE(difference(turned, right, {}), "");
  EXPECT_EQ(difference(turned, right, {.fifo = false}), "");
}

TEST(Proof, AsksForAscendingDeadlinesWhereTheyArePromised) {
  Prover prover;
  prover.call_begins(9);
  prover.expired(6, 1);
  prover.expired(5, 2);
  prover.call_ends(2);
  EXPECT_EQ(difference(prover.proof(), prover.proof(), {}), "deadlines decrease within a call");
  EXPECT_EQ(difference(prover.proof(), prover.proof(), {.expires_in_order = false}), "");
}

TEST(Proof, DiffersWhenExpireMiscountsOrAnAnswerIsWrong) {
  const Step cancel(Step::Verb::cancel, 0, 0, 3);
  Prover right;
  right.answered(cancel, true);
  Prover wrong;
  wrong.answered(cancel, false);
  EXPECT_NE(difference(wrong.proof(), right.proof(), {}), "");
  Prover miscounted = right;
  miscounted.call_ends(1);
  EXPECT_EQ(difference(miscounted.proof(), right.proof(), {}),
            "expire says that 1 timers ran, but 0 did");
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Expectation, IsTheGoldenText) {
  const std::filesystem::path golden = TIMERBENCH_SOURCE_DIR "/tests/benches/golden";
  const Trace tiny = read_trace(std::filesystem::path(kTraces) / "tiny.trace.gz");
  EXPECT_EQ(expectation<Reference>(tiny, 1'000'000), contents(golden / "tiny@1ms.expected"));
  EXPECT_EQ(expectation<Reference>(tiny, 1'000), contents(golden / "tiny@1us.expected"));
  const Trace cases = read_trace(golden / "cases.trace");
  EXPECT_EQ(expectation<Reference>(cases, 1'000'000), contents(golden / "cases@1ms.expected"));
  EXPECT_EQ(expectation<Reference>(cases, 1'000), contents(golden / "cases@1us.expected"));
}

TEST(Expectation, EndsInTheGoldenDigestsOfTheRecordings) {
  if (conformance::kSanitized) GTEST_SKIP() << "it takes long, and does what the golden text does";
  std::string ends;
  for (const Recording& recording : recordings_of(traces_in(kTraces))) {
    const std::string text = expectation<Reference>(read_trace(recording.file), recording.tick_ns);
    ends += recording.name + '\n' + text.substr(text.find("# expiries: "));
  }
  EXPECT_EQ(ends, contents(TIMERBENCH_SOURCE_DIR "/tests/benches/golden/recordings.digests"));
}

}  // namespace
}  // namespace timers::benches
