/// Every short sequence of operations, in which each queue is compared with the model.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/conformance/allocations.hpp"
#include "tests/conformance/queues/oracle.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_exhaustive {
namespace {

/// The state of a queue within a sequence, with its timers in the order of their insertion.
struct Stage {
  explicit Stage(const QueueKind& kind) : oracle(kind) {}

  void insert(Tick delay) {
    was_stale = false;
    timers.push_back(oracle.insert(oracle.now() + delay));
  }
  void cancel(TimerId timer) {
    was_stale = !oracle.model().is_pending(timer);
    oracle.cancel(timer);
  }
  void rearm(TimerId timer, Tick delay) {
    was_stale = !oracle.model().is_pending(timer);
    oracle.rearm(timer, oracle.now() + delay);
  }
  void step(Tick ticks, std::size_t limit = kNoLimit) {
    was_stale = false;
    oracle.expire(oracle.now() + ticks, limit);
  }

  /// The first timer that is pending. If no timer is pending, one that is gone.
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

  /// Expires all timers, each at its tick and not before.
  void drain() {
    while (const auto first = oracle.model().first()) {
      if (!oracle.content()) return;
      if (first->due > oracle.now() + 1) oracle.expire(first->due - 1);
      oracle.expire(std::max(first->due, oracle.now()));
    }
  }

  void start_over() {
    timers.clear();
    was_stale = false;
    oracle.start_over();
  }

  Oracle oracle;
  std::vector<TimerId> timers;
  bool was_stale = false;  // whether the last call named a timer that is gone
};

// Whether a symbol does something at this place that no other symbol does.

bool always(const Stage&) { return true; }
/// While a queue has never had a timer, two steps in a row do the same as one longer step.
bool is_first_step(const Stage& stage) { return !stage.timers.empty() || stage.oracle.now() == 0; }
bool has_pending(const Stage& stage) { return stage.oracle.model().size() > 0; }
/// Calls on timers that are gone do nothing. So several of them in a row do the same as one.
bool names_a_timer(const Stage& stage) {
  return has_pending(stage) || (!stage.timers.empty() && !stage.was_stale);
}
bool names_another_than_the_oldest(const Stage& stage) {
  return names_a_timer(stage) && stage.newest() != stage.oldest();
}

struct Symbol {
  const char* meaning;
  bool (*is_new)(const Stage&);
  void (*act)(Stage&);
  bool QueueKind::*needs = nullptr;
};

// The delays and steps lie at the edges of wheels of 4 and of 8 buckets a level.
constexpr Symbol kAlphabet[] = {
    {"insert 1", always, [](Stage& stage) { stage.insert(1); }},
    {"insert 4", always, [](Stage& stage) { stage.insert(4); }},
    {"insert 5", always, [](Stage& stage) { stage.insert(5); }},
    {"insert 16", always, [](Stage& stage) { stage.insert(16); }},
    {"insert 17", always, [](Stage& stage) { stage.insert(17); }},
    {"step 1", is_first_step, [](Stage& stage) { stage.step(1); }},
    {"step 4", is_first_step, [](Stage& stage) { stage.step(4); }},
    {"step 17", is_first_step, [](Stage& stage) { stage.step(17); }},
    {"step 4, at most 1", has_pending, [](Stage& stage) { stage.step(4, 1); },
     &QueueKind::can_limit},
    {"cancel the oldest", names_a_timer, [](Stage& stage) { stage.cancel(stage.oldest()); }},
    {"cancel the newest", names_another_than_the_oldest,
     [](Stage& stage) { stage.cancel(stage.newest()); }},
    {"re-arm the oldest to 8", names_a_timer, [](Stage& stage) { stage.rearm(stage.oldest(), 8); },
     &QueueKind::can_rearm},
    {"re-arm the newest to 3", names_a_timer, [](Stage& stage) { stage.rearm(stage.newest(), 3); },
     &QueueKind::can_rearm},
};

/// All sequences of a given number of symbols, one after the other. Leaves out sequences that do
/// the same as others.
class Sequences {
 public:
  Sequences(const QueueKind& kind, std::size_t length) : length_(length) {
    for (const Symbol& symbol : kAlphabet) {
      if (symbol.needs == nullptr || kind.*symbol.needs) alphabet_.push_back(&symbol);
    }
  }

  /// Carries out the current sequence.
  void act(Stage& stage) {
    for (Place& place : places_) place.symbol()->act(stage);
    while (places_.size() < length_) {
      Place& next = places_.emplace_back();
      next.symbols.reserve(alphabet_.size());
      for (const Symbol* symbol : alphabet_) {
        if (symbol->is_new(stage)) next.symbols.push_back(symbol);
      }
      next.symbol()->act(stage);
    }
  }

  /// Goes on to the next sequence. Returns false after the last.
  bool advance() {
    while (!places_.empty() && ++places_.back().at == places_.back().symbols.size()) {
      places_.pop_back();
    }
    return !places_.empty();
  }

  std::string meaning() const {
    std::string meaning;
    for (const Place& place : places_) {
      meaning += (meaning.empty() ? "" : ", ") + std::string(place.symbol()->meaning);
    }
    return meaning;
  }

 private:
  /// The symbols that may follow what stands before this place. `insert` always may.
  struct Place {
    const Symbol* symbol() const { return symbols[at]; }

    std::vector<const Symbol*> symbols;
    std::size_t at = 0;
  };

  std::size_t length_;
  std::vector<const Symbol*> alphabet_;
  std::vector<Place> places_;
};

void run_all_sequences(const QueueKind& kind, std::size_t length) {
  Stage stage(kind);
  Sequences sequences(kind, length);
  std::uint64_t count = 0;
  do {
    sequences.act(stage);
    stage.drain();
    stage.start_over();
    ++count;
    if (!stage.oracle.content()) {
      FAIL() << kind.name << " breaks the contract when one does this with a new queue:\n\n    "
             << sequences.meaning() << ", and runs out all timers\n\n"
             << stage.oracle.objection();
    }
  } while (sequences.advance());
  EXPECT_GT(stage.oracle.operations(), count);
}

/// A queue whose edges lie far apart shows little of its behaviour in few operations. And a queue
/// that is large when it is empty takes long to make, and each sequence makes one.
std::size_t length_for(const QueueKind& kind) {
  constexpr std::size_t kLength = kSanitized ? 3 : 5;
  constexpr std::ptrdiff_t kLarge = 20'000;
  if (kind.is_small && !kind.is_pooled) return kLength + 1;
  const AllocationMeter meter;
  const auto queue = kind.make();
  return meter.live_bytes() > kLarge ? kLength - 1 : kLength;
}

// every sequence in place of random ones.
const Sentence every_sequence("AgreesWithTheModelOnEveryShortSequence", [](const QueueKind& kind) {
  run_all_sequences(kind, length_for(kind));
});

}  // namespace
}  // namespace timers::conformance::about_exhaustive
