#pragma once

/// Times each call of a queue alone: insert, cancel, re-arm and expire.
///
/// Some of the time of a call is not the queue's: an interrupt, another program, the hypervisor.
/// Two things tell it apart. A call is seen in several passes, in which the queue does the same,
/// and the fastest counts. And if a call is long, the system is asked how often the thread was
/// taken off the processor: if it was, the time of that call does not count at all.

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "benches/harness/queues/proof.hpp"
#include "benches/harness/switches.hpp"
#include "benches/harness/time_stamp_counter.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Where a stretch of steps begins.
struct StretchBegin {
  std::size_t schedule;
  std::size_t step;
  friend auto operator<=>(const StretchBegin&, const StretchBegin&) = default;
};

/// A witness of passes through the same stretches of steps. `Counter` reads time, and `switches()`
/// says how often the thread was off the processor.
template <class Counter, auto switches>
class CallTimesBy {
 public:
  /// Begins with this stretch anew, and passes what it sees on to this prover.
  void start_over(StretchBegin stretch, Prover& prover) {
    prover_ = &prover;
    times_ = &by_stretch_[stretch];
    next_ = {};
    switches_ = switches();
  }

  void call_begins(Tick now) {
    prover_->call_begins(now);
    verb_begins();
  }
  void expired(Tick deadline, std::uint64_t task) { prover_->expired(deadline, task); }
  void call_ends(std::size_t returned) {
    verb_ends(Step::Verb::expire);
    prover_->call_ends(returned);
    most_expiries_ = std::max(most_expiries_, returned);
  }
  void verb_begins() { begin_ = Counter::now(); }
  void verb_ends(Step::Verb verb) {
    const std::uint64_t taken = Counter::now() - begin_;
    add(verb, std::max(taken, Counter::own_cost()) - Counter::own_cost());
  }
  void answered(const Step& step, bool answer) { prover_->answered(step, answer); }

  /// How many calls of this verb have a time.
  std::size_t calls(Step::Verb verb) const { return sorted(verb).size(); }
  /// The greatest number of timers that ran in a call of `expire`.
  std::size_t most_expiries() const { return most_expiries_; }
  /// How many times of calls do not count, as the thread was off the processor.
  std::size_t interruptions() const { return interruptions_; }

  /// In ascending order, in ns: the fastest time of each call of this verb.
  std::vector<double> sorted(Step::Verb verb) const {
    std::vector<double> times;
    for (const auto& [begin, of_stretch] : by_stretch_) {
      for (const Ticks ticks : of_stretch[static_cast<std::size_t>(verb)]) {
        if (ticks != kUnknown) times.push_back(ticks * Counter::nanoseconds());
      }
    }
    std::sort(times.begin(), times.end());
    return times;
  }

 private:
  using Ticks = std::uint32_t;
  static constexpr std::size_t kVerbs = 4;
  using Times = std::array<std::vector<Ticks>, kVerbs>;  // by the number of the call
  static constexpr Ticks kUnknown = std::numeric_limits<Ticks>::max();
  static constexpr double kLong = 20'000;  // ns; the system is not asked after shorter calls

  void add(Step::Verb verb, std::uint64_t taken) {
    Ticks ticks = static_cast<Ticks>(std::min<std::uint64_t>(taken, kUnknown - 1));
    if (static_cast<double>(taken) * Counter::nanoseconds() > kLong) {
      const long now = switches();
      if (now != switches_) {
        ticks = kUnknown;
        ++interruptions_;
      }
      switches_ = now;
    }
    std::vector<Ticks>& times = (*times_)[static_cast<std::size_t>(verb)];
    std::size_t& next = next_[static_cast<std::size_t>(verb)];
    if (next == times.size()) times.push_back(kUnknown);
    times[next] = std::min(times[next], ticks);
    ++next;
  }

  Prover* prover_ = nullptr;
  std::uint64_t begin_ = 0;
  std::map<StretchBegin, Times> by_stretch_;
  Times* times_ = nullptr;
  std::array<std::size_t, kVerbs> next_{};  // of each verb, the number of its next call
  long switches_ = 0;
  std::size_t interruptions_ = 0;
  std::size_t most_expiries_ = 0;
};

using CallTimes = CallTimesBy<TimeStampCounter, &switches_of_this_thread>;

}  // namespace timers::benches
