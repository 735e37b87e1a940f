/// How much more work the calls of a queue do when more timers are pending.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/conformance/queues/needs.hpp"
#include "tests/conformance/queues/sentence.hpp"
#include "tests/conformance/queues/touched_pages.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/sanitizers.hpp"

namespace timers::conformance::about_growth {
namespace {

constexpr std::size_t kFew = 512;
constexpr std::size_t kMany = 8'192;
constexpr std::size_t kVeryMany = 32'768;
constexpr Tick kMeanDelay = 4'096;

/// A promise says how work grows, not how much work there is. Besides, among few timers two of them
/// often share a page, so few timers touch fewer pages.
constexpr double kLenience = 5;

enum class Verb : std::uint8_t { insert, cancel, rearm, next_expiry, expire, size };
constexpr std::array<std::string_view, 6> kNames{"insert",      "cancel", "rearm",
                                                 "next_expiry", "expire", "size"};

/// A figure for each verb.
using Figures = std::array<double, kNames.size()>;
double& figure(Figures& figures, Verb verb) { return figures[static_cast<std::size_t>(verb)]; }

struct Work {
  Figures pages{};        ///< Pages that a call touches, on average.
  std::size_t bytes = 0;  ///< The memory of the queue for its timers.
};

/// Keeps a number of timers pending, and makes as many calls of each verb. It watches some of these
/// calls, chosen at random.
class Turn {
 public:
  Turn(const QueueKind& kind, std::size_t timers, bool has_one_delay)
      : kind_(kind),
        has_one_delay_(has_one_delay),
        queue_(pages_.supply_for([&] { return kind.make(); })),
        handles_(timers) {
    free_.reserve(timers);
    for (std::size_t id = 0; id < timers; ++id) free_.push_back(id);
    for (std::size_t step = 0; step < 2 * timers; ++step) {
      const bool is_full = step >= timers;
      is_watched_ = is_full && random_.below(timers) < kWatched;
      expire(step * kMeanDelay / timers);
      if (is_full) {
        call_each();
      } else {
        insert();
      }
    }
  }

  Work work() const {
    Work work{.bytes = pages_.bytes()};
    const double calls = calls_[static_cast<std::size_t>(Verb::expire)];
    for (std::size_t verb = 0; verb < kNames.size(); ++verb) {
      work.pages[verb] = touched_[verb] / std::max(1.0, calls_[verb]);
    }
    figure(work.pages, Verb::expire) *= calls / std::max(ran_, calls);
    return work;
  }

 private:
  static constexpr std::size_t kWatched = 64;

  template <class Call>
  void call(Verb verb, Call do_call) {
    if (!is_watched_) {
      pages_.supply_for(do_call);
      return;
    }
    figure(touched_, verb) += static_cast<double>(pages_.in(do_call));
    figure(calls_, verb) += 1;
  }

  Tick deadline() {
    return now_ + (has_one_delay_ ? kMeanDelay : 1 + random_.below(2 * kMeanDelay));
  }

  void insert() {
    const std::size_t id = free_.back();
    const Tick when = deadline();
    call(Verb::insert, [&] { handles_[id] = queue_->insert(when, ProbeTask(id)); });
    free_.pop_back();
  }

  void expire(Tick now) {
    now_ = now;
    std::size_t ran = 0;
    call(Verb::expire, [&] {
      ran = queue_->expire(now_, [&](Tick, ProbeTask task) { free_.push_back(task.id()); });
    });
    if (is_watched_) ran_ += static_cast<double>(ran);
  }

  void call_each() {
    while (!free_.empty()) insert();
    const std::size_t other = random_.below(handles_.size());
    call(Verb::cancel, [&] { queue_->cancel(handles_[other]); });
    free_.push_back(other);
    insert();
    const std::size_t another = random_.below(handles_.size());
    const Tick when = deadline();
    if (kind_.can_rearm) call(Verb::rearm, [&] { queue_->rearm(handles_[another], when); });
    if (kind_.has_next_expiry) call(Verb::next_expiry, [&] { queue_->next_expiry(); });
    std::size_t size = 0;
    call(Verb::size, [&] { size = queue_->size(); });
    EXPECT_EQ(size, handles_.size());
  }

  const QueueKind& kind_;
  const bool has_one_delay_;
  TouchedPages pages_;
  std::unique_ptr<AnyQueue> queue_;
  std::vector<AnyQueue::Handle> handles_;
  std::vector<std::size_t> free_;
  Random random_{46};
  Tick now_ = 0;
  bool is_watched_ = false;
  Figures touched_{};
  Figures calls_{};
  double ran_ = 0;  // timers that ran in watched calls
};

/// By which factor the work may grow from kFew timers to `timers`.
double most_growth(Growth growth, std::size_t timers) {
  const auto times_as_many = static_cast<double>(timers) / kFew;
  switch (growth) {
    case Growth::constant:
      return kLenience;
    case Growth::logarithmic:
      return kLenience * (1 + std::log2(times_as_many) / std::log2(kFew));
    case Growth::linear:
      return kLenience * times_as_many;
  }
  return 0;
}

std::string_view in_words(Growth growth) {
  return growth == Growth::constant ? "O(1)" : growth == Growth::linear ? "O(n)" : "O(log n)";
}

void compare(Growth promise, const Work& few, const Work& more, std::size_t timers) {
  const double most = most_growth(promise, timers);
  for (std::size_t verb = 0; verb < kNames.size(); ++verb) {
    const double among_few = std::max(1.0, few.pages[verb]);
    EXPECT_LE(more.pages[verb], most * among_few)
        << "With " << kFew << " timers pending, " << kNames[verb] << " touches " << among_few
        << " pages of memory on average, and with " << timers << " it touches " << more.pages[verb]
        << ". It promises " << in_words(promise) << ": so that may grow by " << most << " times.";
  }
}

/// With very many timers the test would take long for a queue of linear work, and for any queue
/// under a sanitizer. kMany timers show a fault of these, too.
void expect_as_promised(const QueueKind& kind, bool has_one_delay) {
  need(!kind.is_small, "it is made small, to meet its edges");
  need_time(kind, 4 * kMeanDelay);
  need(TouchedPages::can_be_counted(), "Valgrind does not let the kit count touches of memory");
  const Growth promise = kind.promises.growth;
  const Work few = Turn(kind, kFew, has_one_delay).work();
  for (const std::size_t timers : {kMany, kVeryMany}) {
    const bool is_enough = kSanitized || promise == Growth::linear || testing::Test::HasFailure();
    if (timers == kVeryMany && is_enough) return;
    const Work more = Turn(kind, timers, has_one_delay).work();
    need(more.bytes > sizeof(Tick) * timers, "its memory does not come from operator new");
    compare(promise, few, more, timers);
  }
}

// A-118, D-85
const Sentence even("WorksNoHarderAmongManyTimersThanItPromises",
                    [](const QueueKind& kind) { expect_as_promised(kind, false); });

//
const Sentence one_delay("WorksNoHarderAmongManyTimersOfOneDelayThanItPromises",
                         [](const QueueKind& kind) { expect_as_promised(kind, true); });

}  // namespace
}  // namespace timers::conformance::about_growth
