/// Every short sequence of operations, each queue against the model.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/conformance/queues/oracle.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_exhaustive {
namespace {

/// A queue in the course of a sequence, with its timers in the order of their insertion.
struct Stage {
  explicit Stage(const QueueKind& kind) : oracle(kind) {}

  void insert(Tick delay) { timers.push_back(oracle.insert(oracle.now() + delay)); }
  void cancel_oldest() {
    if (!timers.empty()) oracle.cancel(oldest());
  }
  void cancel_newest() {
    if (!timers.empty()) oracle.cancel(newest());
  }
  void rearm_oldest(Tick delay) {
    if (!timers.empty()) rearm(oldest(), delay);
  }
  void rearm_newest(Tick delay) {
    if (!timers.empty()) rearm(newest(), delay);
  }
  void step(Tick ticks, std::size_t limit = kNoLimit) {
    oracle.expire(oracle.now() + ticks, limit);
  }

  /// Brings out all timers, each at its tick and not before.
  void drain() {
    while (const auto first = oracle.model().first()) {
      if (!oracle.content()) return;
      if (first->due > oracle.now() + 1) oracle.expire(first->due - 1);
      oracle.expire(std::max(first->due, oracle.now()));
    }
  }

  void start_over() {
    timers.clear();
    oracle.start_over();
  }

  Oracle oracle;
  std::vector<TimerId> timers;

 private:
  void rearm(TimerId timer, Tick delay) { oracle.rearm(timer, oracle.now() + delay); }

  /// The first timer that is pending; if none is, one that is gone.
  TimerId oldest() const {
    for (const TimerId timer : timers) {
      if (oracle.model().is_pending(timer)) return timer;
    }
    return timers.front();
  }
  TimerId newest() const {
    for (auto timer = timers.rbegin(); timer != timers.rend(); ++timer) {
      if (oracle.model().is_pending(*timer)) return *timer;
    }
    return timers.back();
  }
};

struct Symbol {
  const char* meaning;
  void (*act)(Stage&);
};

// The delays and steps lie at the edges of wheels of 4 and of 8 buckets.
constexpr Symbol kAlphabet[] = {
    {"insert 1", [](Stage& stage) { stage.insert(1); }},
    {"insert 4", [](Stage& stage) { stage.insert(4); }},
    {"insert 5", [](Stage& stage) { stage.insert(5); }},
    {"insert 16", [](Stage& stage) { stage.insert(16); }},
    {"insert 17", [](Stage& stage) { stage.insert(17); }},
    {"step 1", [](Stage& stage) { stage.step(1); }},
    {"step 4", [](Stage& stage) { stage.step(4); }},
    {"step 17", [](Stage& stage) { stage.step(17); }},
    {"step 4, at most 1", [](Stage& stage) { stage.step(4, 1); }},
    {"cancel the oldest", [](Stage& stage) { stage.cancel_oldest(); }},
    {"cancel the newest", [](Stage& stage) { stage.cancel_newest(); }},
    {"re-arm the oldest to 8", [](Stage& stage) { stage.rearm_oldest(8); }},
    {"re-arm the newest to 3", [](Stage& stage) { stage.rearm_newest(3); }},
};
/// The others do nothing with a new queue, so no sequence begins with them.
constexpr std::size_t kBeginnings = 9;

/// A sequence of symbols, counted through like a number.
template <std::size_t kLength>
class Sequence {
 public:
  static constexpr std::uint64_t count() {
    std::uint64_t count = kBeginnings;
    for (std::size_t i = 1; i < kLength; ++i) count *= std::size(kAlphabet);
    return count;
  }

  void act(Stage& stage) const {
    for (const std::size_t digit : digits_) kAlphabet[digit].act(stage);
  }

  /// Goes on to the next sequence. Returns false after the last.
  bool advance() {
    std::size_t end = kBeginnings;
    for (std::size_t& digit : digits_) {
      if (++digit < end) return true;
      digit = 0;
      end = std::size(kAlphabet);
    }
    return false;
  }

  std::string meaning() const {
    std::string meaning;
    for (const std::size_t digit : digits_) {
      meaning += (meaning.empty() ? "" : ", ") + std::string(kAlphabet[digit].meaning);
    }
    return meaning;
  }

 private:
  std::array<std::size_t, kLength> digits_{};
};

template <std::size_t kLength>
void run_all_sequences(const QueueKind& kind) {
  Stage stage(kind);
  Sequence<kLength> sequence;
  std::uint64_t count = 0;
  do {
    sequence.act(stage);
    stage.drain();
    stage.start_over();
    ++count;
    if (!stage.oracle.content()) {
      FAIL() << kind.name << " breaks the contract when one does this with a new queue:\n\n    "
             << sequence.meaning() << ", and runs out all timers\n\n"
             << stage.oracle.objection();
    }
  } while (sequence.advance());
  EXPECT_EQ(count, sequence.count());
  EXPECT_GT(stage.oracle.operations(), count);
}

// in place of chance, everything. A queue whose edges lie wide apart shows less of itself
// in few operations.
const Sentence every_sequence("AgreesWithTheModelOnEveryShortSequence", [](const QueueKind& kind) {
  constexpr std::size_t kLength = kSanitized ? 4 : 5;
  if (kind.is_small && !kind.is_pooled) {
    run_all_sequences<kLength + 1>(kind);
  } else {
    run_all_sequences<kLength>(kind);
  }
});

}  // namespace
}  // namespace timers::conformance::about_exhaustive
