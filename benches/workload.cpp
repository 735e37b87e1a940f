#include "benches/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "benches/random.hpp"

namespace timers::benches {

namespace {

constexpr std::uint64_t kSeed = 1;

/// The end of a call: its response, or the expiry of its timer.
struct EndOfCall {
  double time;
  Tick noted;  // the tick in which the caller comes to it
  std::uint32_t slot;
  bool responded;
  friend bool operator>(const EndOfCall& one, const EndOfCall& other) {
    return std::tie(one.time, one.slot) > std::tie(other.time, other.slot);
  }
};

/// The calls that are open, and the steps that they become. Times are in ticks.
class Calls {
 public:
  explicit Calls(double delay) : delay_(delay) {}

  void begin(double time, double service) {
    move_time(static_cast<Tick>(time));
    const auto deadline = static_cast<Tick>(std::ceil(time) + delay_);
    const double response = time + service;
    const auto noted = static_cast<Tick>(response) + 1;
    const std::uint32_t slot = free_slot();
    builder_.insert(slot, deadline, ++line_);
    if (noted < deadline) {
      ends_.push({response, noted, slot, true});
    } else {
      ends_.push({static_cast<double>(deadline), deadline, slot, false});
    }
  }

  ScheduleBuilder& builder() { return builder_; }

 private:
  /// Moves time, a tick at a time, and notes the calls that ended on the way.
  void move_time(Tick tick) {
    while (tick_ < tick) {
      builder_.move_time(++tick_);
      for (; !ends_.empty() && ends_.top().noted <= tick_; ends_.pop()) {
        const EndOfCall& end = ends_.top();
        if (end.responded) builder_.cancel(end.slot, ++line_);
        free_slots_.push_back(end.slot);
      }
    }
  }

  std::uint32_t free_slot() {
    if (free_slots_.empty()) return slots_++;
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  double delay_;
  ScheduleBuilder builder_;
  std::priority_queue<EndOfCall, std::vector<EndOfCall>, std::greater<>> ends_;
  std::vector<std::uint32_t> free_slots_;  // last freed, first used: as memory is
  std::uint32_t slots_ = 0;
  std::uint32_t line_ = 0;
  Tick tick_ = 0;
};

}  // namespace

Schedule rpc(std::size_t pending) {
  constexpr double kDelay = 1000;
  constexpr double kMedian = 20;
  constexpr double kSigma = 1.62880;       // of a log-normal with the upper quartile at 60
  constexpr double kMeanLifetime = 67.45;  // the lesser of service time and delay, until noted
  const double mean_gap = kMeanLifetime / static_cast<double>(pending);
  const std::size_t measured = std::max<std::size_t>(200'000, 2 * pending);

  Random random(kSeed);
  Calls calls(kDelay);
  double time = random.exponential(mean_gap);
  const auto next_call = [&](double still_open_at) {
    const double service = random.log_normal(kMedian, kSigma);
    if (time + service >= still_open_at) calls.begin(time, service);
    time += random.exponential(mean_gap);
  };
  while (time < kDelay) next_call(kDelay);
  for (std::size_t i = 0; i < pending; ++i) next_call(0);
  calls.builder().begin_measurement();
  for (std::size_t i = 0; i < measured; ++i) next_call(0);
  return std::move(calls.builder()).finish(measured);
}

}  // namespace timers::benches
