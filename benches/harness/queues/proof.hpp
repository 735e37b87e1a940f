#pragma once

/// The behaviour of a queue in a few numbers, which are equal only if the behaviour was the same.

#include <cstddef>
#include <cstdint>
#include <string>

#include "benches/workloads/schedule.hpp"
#include "impls/timer_queue.hpp"

namespace timers::benches {

/// Every expiry is a triple (line that armed the timer, deadline, `now` of the expire call). Every
/// answer of a cancel or re-arm is the triple (its line, kEndOfTime, 1 for true or 0). Each triple
/// is mixed into one number; all arithmetic is modulo 2^64.
constexpr std::uint64_t mix(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
  std::uint64_t mixed =
      first * 0x9E3779B97F4A7C15u + second * 0xC2B2AE3D27D4EB4Fu + third * 0x165667B19E3779F9u;
  mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
  return mixed ^ (mixed >> 32);
}

struct Proof {
  /// The sum of all triples. It shows what happened, and at which `now`, but not in which order
  /// within a call.
  std::uint64_t digest = 0;
  /// The triples of the expiries in their order: order = (order ^ triple) * odd. Only a queue that
  /// promises FIFO has exactly one right order among equal deadlines.
  std::uint64_t order = 0;
  std::uint64_t expiries = 0;
  /// The sum of the results of all expire calls.
  std::uint64_t returned = 0;
  /// Whether deadlines never decreased within a call.
  bool ascending = true;

  friend bool operator==(const Proof&, const Proof&) = default;
};

/// Watches a replay and makes its proof: two chains of multiplications an expiry, some nanoseconds.
///
/// It is a *witness*. A witness is told when a call of `expire` begins and ends, and which timers
/// run in it; when another verb begins and ends; and what a cancel or re-arm answered.
class Prover {
 public:
  void call_begins(Tick now) {
    now_ = now;
    last_deadline_ = 0;
  }
  void expired(Tick deadline, std::uint64_t task) {
    const std::uint64_t triple = mix(task, deadline, now_);
    proof_.digest += triple;
    proof_.order = (proof_.order ^ triple) * 0xD6E8FEB86659FD93u;
    ++proof_.expiries;
    proof_.ascending &= last_deadline_ <= deadline;
    last_deadline_ = deadline;
  }
  void call_ends(std::size_t returned) { proof_.returned += returned; }
  static void verb_begins() {}
  static void verb_ends(Step::Verb) {}
  void answered(const Step& step, bool answer) {
    proof_.digest += mix(step.line, kEndOfTime, answer ? 1 : 0);
  }

  const Proof& proof() const { return proof_; }

 private:
  Proof proof_;
  Tick now_ = 0;
  Tick last_deadline_ = 0;
};

/// Whether a queue of this type may be late. Then nobody can predict in which call a timer runs:
/// see audit.hpp.
template <class Queue>
inline constexpr bool kMayBeLate = promises_of<Queue>().max_lateness != &Promises::none_late;

/// How `seen` differs from what a queue with these promises must show; "" if it does not.
std::string difference(const Proof& seen, const Proof& expected, const Promises& promises);

}  // namespace timers::benches
