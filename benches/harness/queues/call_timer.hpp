#pragma once

/// Times each call of `expire`.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/harness/queues/proof.hpp"
#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Watches several passes through the same schedule. Of a call seen several times the fastest
/// counts, since what the system adds to it differs from time to time and what the queue does is
/// the same.
template <class Clock>
class CallTimerBy {
 public:
  /// Begins a pass, and passes what it sees in it on to this prover.
  void start_over(Prover& prover) {
    prover_ = &prover;
    next_ = 0;
    ++passes_;
  }

  void call_begins(Tick now) {
    prover_->call_begins(now);
    begin_ = Clock::now();
  }
  void expired(Tick deadline, std::uint64_t task) { prover_->expired(deadline, task); }
  void call_ends(std::size_t returned) {
    const auto taken = std::chrono::nanoseconds(Clock::now() - begin_).count();
    prover_->call_ends(returned);
    if (next_ == fastest_.size()) fastest_.push_back(taken);
    fastest_[next_] = std::min(fastest_[next_], taken);
    ++next_;
    most_expiries_ = std::max(most_expiries_, returned);
  }
  void answered(const Step& step, bool answer) { prover_->answered(step, answer); }

  std::size_t passes() const { return passes_; }
  std::size_t calls() const { return fastest_.size(); }
  std::size_t most_expiries() const { return most_expiries_; }

  /// The time in ns below which this share of the calls stays; 0 without calls.
  double quantile(double share) const {
    if (fastest_.empty()) return 0;
    std::vector<std::int64_t> sorted = fastest_;
    const auto rank = std::min(static_cast<std::size_t>(share * static_cast<double>(sorted.size())),
                               sorted.size() - 1);
    const auto at_rank = sorted.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(sorted.begin(), at_rank, sorted.end());
    return static_cast<double>(*at_rank);
  }

 private:
  Prover* prover_ = nullptr;
  decltype(Clock::now()) begin_{};
  std::vector<std::int64_t> fastest_;  // by the call's number
  std::size_t next_ = 0;
  std::size_t passes_ = 0;
  std::size_t most_expiries_ = 0;
};

using CallTimer = CallTimerBy<std::chrono::steady_clock>;

}  // namespace timers::benches
