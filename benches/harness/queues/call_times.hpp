#pragma once

/// Times each call of a queue alone: insert, cancel, re-arm and expire.
///
/// Some of the time of a call does not belong to the queue: an interrupt, another program, the
/// hypervisor. Two methods remove that time. First, if several passes time a call, its fastest time
/// counts: the queue does the same in each pass. Second, after a long call the system is asked how
/// long the thread was off the processor since the last long call. Time off between two calls is
/// subtracted. If some is left, the call was *interrupted*. The time of an interrupted call counts
/// only if no pass timed the call undisturbed, and then without the time off the processor.

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "benches/harness/absence.hpp"
#include "benches/harness/queues/proof.hpp"
#include "benches/harness/time_stamp_counter.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Where a stretch of steps begins.
struct StretchBegin {
  std::size_t schedule;
  std::size_t step;
  friend auto operator<=>(const StretchBegin&, const StretchBegin&) = default;
};

/// A witness of passes through the same stretches of steps. `Counter` reads time. `absence()` says
/// when the thread was off the processor so far.
template <class Counter, auto absence>
class CallTimesBy {
 public:
  /// Which calls of a stretch are kept: all calls, or only those of more than 20 µs. For so long a
  /// call the state of the cache does not matter.
  enum class Which { all, long_ones };

  /// Begins this stretch, and passes on what it sees to this prover.
  void start_over(StretchBegin stretch, Which which, Prover& prover) {
    prover_ = &prover;
    which_ = which;
    const auto [known, is_new] = by_stretch_.try_emplace(stretch);
    times_ = &known->second;
    is_first_pass_ = is_new;
    next_ = {};
    absence_ = absence();
    ticks_between_calls_ = 0;
    last_end_ = Counter::now();
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
  void verb_ends(Step::Verb verb) { add(verb, Counter::now()); }
  void answered(const Step& step, bool answer) { prover_->answered(step, answer); }

  /// The greatest number of timers that ran in a call of `expire`.
  std::size_t most_expiries() const { return most_expiries_; }
  /// How many times were interrupted, i.e. the thread was off the processor meanwhile.
  std::size_t interruptions() const { return interruptions_; }

  /// The longest call of this verb, in ns; 0 if there is none. It is among the stretches of which
  /// only long calls are kept.
  double longest(Step::Verb verb) const {
    Ticks longest = 0;
    for (const auto& [begin, of_stretch] : by_stretch_) {
      for (const auto& [call, fastest] : of_stretch[static_cast<std::size_t>(verb)].long_ones) {
        longest = std::max(longest, fastest.ticks());
      }
    }
    return longest * Counter::nanoseconds();
  }

  /// The fastest time of each call of this verb, in ns, in ascending order. They are of the
  /// stretches of which all calls are kept.
  std::vector<double> sorted(Step::Verb verb) const {
    std::vector<double> times;
    for (const auto& [begin, of_stretch] : by_stretch_) {
      const Times& of_verb = of_stretch[static_cast<std::size_t>(verb)];
      for (const Fastest& fastest : of_verb.all) {
        times.push_back(fastest.ticks() * Counter::nanoseconds());
      }
    }
    std::sort(times.begin(), times.end());
    return times;
  }

 private:
  using Ticks = float;  // exact up to 2^24, and half as large as the counter
  static constexpr Ticks kUnknown = std::numeric_limits<Ticks>::infinity();
  static constexpr std::size_t kVerbs = 4;
  static constexpr double kLong = 20'000;  // ns; after a shorter call the system is not asked

  /// The fastest time of a call.
  class Fastest {
   public:
    void add(Ticks ticks, bool was_interrupted) {
      Ticks& known = was_interrupted ? interrupted_ : undisturbed_;
      known = std::min(known, ticks);
    }
    Ticks ticks() const { return undisturbed_ != kUnknown ? undisturbed_ : interrupted_; }

   private:
    Ticks undisturbed_ = kUnknown;  // unknown if every time was interrupted
    Ticks interrupted_ = kUnknown;
  };
  /// The calls of one verb in a stretch, by their numbers: all of them, or only long ones.
  struct Times {
    std::vector<Fastest> all;
    std::map<std::size_t, Fastest> long_ones;
  };

  /// Keeps the time of a call that has ended. It is never inlined: otherwise each verb of each
  /// queue would have a copy, and this would be most of the code of a bench.
  [[gnu::noinline]] void add(Step::Verb verb, std::uint64_t end) {
    const std::uint64_t between_reads = end - begin_;
    const std::uint64_t taken = between_reads - std::min(between_reads, Counter::own_cost());
    const std::uint64_t between_calls = begin_ - last_end_;
    if (is_long(between_calls)) ticks_between_calls_ += between_calls;
    last_end_ = end;
    const std::uint64_t away = is_long(taken) ? std::min(taken, ask_for_ticks_away()) : 0;
    if (away > 0) ++interruptions_;
    keep(verb, taken - away, away > 0);
  }

  void keep(Step::Verb verb, std::uint64_t ticks, bool was_interrupted) {
    const auto own = static_cast<Ticks>(ticks);
    Times& times = (*times_)[static_cast<std::size_t>(verb)];
    const std::size_t call = next_[static_cast<std::size_t>(verb)]++;
    if (which_ == Which::long_ones) {
      // A call that is long in one pass and short in another one was disturbed.
      const bool counts = is_first_pass_ ? is_long(ticks) : times.long_ones.contains(call);
      if (counts) times.long_ones[call].add(own, was_interrupted);
      return;
    }
    if (call == times.all.size()) times.all.emplace_back();
    times.all[call].add(own, was_interrupted);
  }

  static bool is_long(std::uint64_t ticks) {
    return static_cast<double>(ticks) * Counter::nanoseconds() > kLong;
  }

  /// For how long the thread was off the processor since the system was last asked. If it was away
  /// between two calls, that time was long, and does not count.
  std::uint64_t ask_for_ticks_away() {
    const Absence now = absence();
    const Absence since = now - std::exchange(absence_, now);
    const std::uint64_t between_calls = std::exchange(ticks_between_calls_, 0);
    if (since.switches == 0) return 0;
    const double ns = std::max(since.seconds, 0.0) * 1e9;
    const auto away = static_cast<std::uint64_t>(ns / Counter::nanoseconds());
    return away - std::min(away, between_calls);
  }

  Prover* prover_ = nullptr;
  Which which_ = Which::all;
  bool is_first_pass_ = true;              // of this stretch
  std::uint64_t begin_ = 0;                // of the present call
  std::uint64_t last_end_ = 0;             // of the call before
  std::uint64_t ticks_between_calls_ = 0;  // if they are long; since the system was last asked
  using TimesOfVerbs = std::array<Times, kVerbs>;
  std::map<StretchBegin, TimesOfVerbs> by_stretch_;
  TimesOfVerbs* times_ = nullptr;
  std::array<std::size_t, kVerbs> next_{};  // for each verb, the number of its next call
  Absence absence_;
  std::size_t interruptions_ = 0;
  std::size_t most_expiries_ = 0;
};

using CallTimes = CallTimesBy<TimeStampCounter, &absence_so_far>;

}  // namespace timers::benches
