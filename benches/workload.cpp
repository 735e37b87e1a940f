#include "benches/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "benches/random.hpp"

namespace timers::benches {

namespace {

constexpr std::uint64_t kSeed = 1;

/// The end of a call: its response, or the expiry of its timer.
struct EndOfCall {
  double time;
  std::uint32_t slot;
  bool responded;
  friend bool operator>(const EndOfCall& one, const EndOfCall& other) {
    return one.time > other.time;
  }
};

/// The calls that are open, and the steps that they become. Times are in ticks.
class Calls {
 public:
  explicit Calls(double timeout) : timeout_(timeout) {}

  /// Moves time, a tick at a time, over the ends of calls that lie on the way.
  void move_time(double time) {
    while (!ends_.empty() && ends_.top().time <= time) {
      const EndOfCall end = ends_.top();
      ends_.pop();
      tick_to(end.time);
      if (end.responded) builder_.cancel(end.slot, ++line_);
      free_slots_.push_back(end.slot);
    }
    tick_to(time);
  }

  void begin(double time, double service) {
    move_time(time);
    const double deadline = std::ceil(time) + timeout_;
    const bool responds = std::floor(time + service) < deadline;
    const std::uint32_t slot = free_slot();
    builder_.insert(slot, static_cast<Tick>(deadline), ++line_);
    ends_.push({responds ? time + service : deadline, slot, responds});
  }

  ScheduleBuilder& builder() { return builder_; }

 private:
  void tick_to(double time) {
    while (tick_ < static_cast<Tick>(time)) builder_.move_time(++tick_);
  }

  std::uint32_t free_slot() {
    if (free_slots_.empty()) return slots_++;
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  double timeout_;
  ScheduleBuilder builder_;
  std::priority_queue<EndOfCall, std::vector<EndOfCall>, std::greater<>> ends_;
  std::vector<std::uint32_t> free_slots_;  // last freed, first used: as memory is
  std::uint32_t slots_ = 0;
  std::uint32_t line_ = 0;
  Tick tick_ = 0;
};

}  // namespace

Schedule rpc(std::size_t pending) {
  constexpr double kTimeout = 1000;
  constexpr double kMedian = 20;
  constexpr double kSigma = 1.62880;       // of a log-normal with the upper quartile at 60
  constexpr double kMeanLifetime = 66.96;  // of the lesser of service time and timeout
  const double mean_gap = kMeanLifetime / static_cast<double>(pending);
  const std::size_t measured = std::max<std::size_t>(200'000, 2 * pending);

  Random random(kSeed);
  Calls calls(kTimeout);
  double time = random.exponential(mean_gap);
  const auto next_call = [&](double still_open_at) {
    const double service = random.log_normal(kMedian, kSigma);
    if (time + service >= still_open_at) calls.begin(time, service);
    time += random.exponential(mean_gap);
  };
  while (time < kTimeout) next_call(kTimeout);
  for (std::size_t i = 0; i < pending; ++i) next_call(0);
  calls.builder().begin_measurement();
  for (std::size_t i = 0; i < measured; ++i) next_call(0);
  return std::move(calls.builder()).finish(measured);
}

}  // namespace timers::benches
