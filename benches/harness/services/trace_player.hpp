#pragma once

/// Plays a trace to a service in real time: sets, puts off and cancels timers when the trace says
/// so, and records when each ran.
///
/// As in open_loop.hpp the trace is fixed, whatever the service does: the caller may fall behind,
/// but no deadline moves. All timers that the trace sets at 0 are set before the time of the trace
/// begins.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benches/harness/machine/ways_to_sleep.hpp"
#include "benches/harness/services/processor_use.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "benches/harness/time_stamp_counter.hpp"
#include "benches/traces/trace.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"

namespace timers::benches {

/// How a trace is played.
struct Tempo {
  double speed = 1;                         // how many times as fast as the trace says
  Duration lead{};                          // for setting all timers of time 0
  Duration measured_from{};                 // in the time of the play, not of the trace
  Duration grace{};                         // after the end, for timers that were due by then
  Duration falls_behind = Duration::max();  // a service that lags more than this at the end falls
                                            // behind
};

/// It must outlive the service, because tasks of the service write to it.
template <class ClockType>
class TracePlayer {
 public:
  TracePlayer(ClockType& clock, const Trace& trace, const Tempo& tempo)
      : clock_(clock),
        parker_(clock),
        trace_(trace),
        tempo_(tempo),
        timers_(count_timers(trace)),
        timer_of_(trace.ids) {
    calls_.reserve(trace.operations.size());
  }
  TracePlayer(const TracePlayer&) = delete;
  TracePlayer& operator=(const TracePlayer&) = delete;

  /// Plays the whole trace, calls `at_the_end()`, and stops the service. Returns false, with
  /// nothing measured, if the time of the trace began before all timers of time 0 were set. Throws
  /// if a timer was lost, or ran twice.
  template <class Service, class AtTheEnd>
  bool play(Service& service, AtTheEnd at_the_end) {
    const TimerSlack slack(kLeastSlack);
    std::vector<typename Service::Handle> handles(trace_.ids);
    begin_ = clock_.now() + tempo_.lead;
    std::size_t next = 0;
    for (; next < trace_.operations.size() && trace_.operations[next].time == 0; ++next) {
      make_call(service, handles, trace_.operations[next], clock_.now());
    }
    calls_.clear();
    const bool was_in_time = clock_.now() <= begin_;
    if (was_in_time) {
      go_on(service, handles, next);
      at_the_end();
      parker_.park_until(end_ + tempo_.grace);
      stopped_ = clock_.now();
    }
    const std::size_t returned = service.stop().size();
    if (was_in_time) prove(returned);
    return was_in_time;
  }

  /// For the timers that were due in the measured part: when they were due, and when they ran. A
  /// timer that had not run at the end of the grace counts as if it ran at that moment.
  std::vector<Run> runs() const {
    std::vector<Run> runs;
    for (const Timer& timer : timers_) {
      if (!timer.is_set || timer.is_cancelled) continue;
      if (timer.due < begin_ + tempo_.measured_from || timer.due > end_) continue;
      const Instant started = timer.started.load();
      runs.push_back({timer.due, started == Instant() ? stopped_ : started});
    }
    return runs;
  }

  /// How long each call of the measured part took, in ns.
  const std::vector<double>& calls() const { return calls_; }

  /// Whether at the end calls or tasks were further behind than `falls_behind`.
  bool fell_behind() const { return fell_behind_; }

  /// The processor use of the service's threads in the measured part, and the length of that part.
  const ProcessorUse& use() const { return use_; }
  Duration took() const { return took_; }

 private:
  struct Timer {
    Instant due{};
    std::atomic<Instant> started{Instant()};
    bool is_set = false;
    bool is_cancelled = false;
  };

  static std::size_t count_timers(const Trace& trace) {
    return static_cast<std::size_t>(std::count_if(
        trace.operations.begin(), trace.operations.end(), [](const TraceOperation& operation) {
          return operation.verb == TraceVerb::schedule || operation.verb == TraceVerb::reschedule;
        }));
  }

  Instant instant_of(std::int64_t ns) const {
    return begin_ + Duration(static_cast<Duration::rep>(static_cast<double>(ns) / tempo_.speed));
  }

  template <class Service, class Handles>
  void go_on(Service& service, Handles& handles, std::size_t next) {
    Instant now = clock_.now();
    bool is_measured = false;
    Instant measured_from{};
    ProcessorUse use_before;
    for (; next < trace_.operations.size(); ++next) {
      const TraceOperation& operation = trace_.operations[next];
      const Instant call = instant_of(operation.time);
      if (now < call) {
        parker_.park_until(call);
        now = clock_.now();
      }
      if (!is_measured && call >= begin_ + tempo_.measured_from) {
        is_measured = true;
        calls_.clear();
        measured_from = now;
        use_before = use_of_other_threads();
      }
      make_call(service, handles, operation, now);
      now = clock_.now();
    }
    end_ = instant_of(trace_.operations.back().time);
    took_ = now - measured_from;
    use_ = use_of_other_threads() - use_before;
    fell_behind_ = now - end_ > tempo_.falls_behind || is_behind(now);
  }

  bool is_behind(Instant now) const {
    return std::any_of(timers_.begin(), timers_.end(), [&](const Timer& timer) {
      return timer.is_set && !timer.is_cancelled && timer.started.load() == Instant() &&
             now - timer.due > tempo_.falls_behind;
    });
  }

  template <class Service, class Handles>
  void make_call(Service& service, Handles& handles, const TraceOperation& operation, Instant now) {
    if (operation.verb == TraceVerb::observed_expiry) return;  // the service finds it by itself
    const Instant due = instant_of(operation.deadline);
    auto& handle = handles[operation.id];
    ticks_ = 0;
    switch (operation.verb) {
      case TraceVerb::schedule:
        set(service, handle, operation.id, due, now);
        break;
      case TraceVerb::reschedule:
        put_off(service, handle, operation.id, due, now);
        break;
      case TraceVerb::cancel:
        cancel(service, handle, operation.id);
        break;
      case TraceVerb::observed_expiry:
        break;
    }
    calls_.push_back(static_cast<double>(ticks_) * TimeStampCounter::nanoseconds());
  }

  /// Makes one call of the service, and adds its time to the time of the operation. What the player
  /// notes for itself is not timed.
  template <class Call>
  auto timed(Call call) {
    const auto begin = TimeStampCounter::now();
    auto result = call();
    ticks_ += TimeStampCounter::since(begin);
    return result;
  }

  template <class Service, class Handle>
  void set(Service& service, Handle& handle, std::uint32_t id, Instant due, Instant now) {
    const std::size_t number = set_++;
    Timer& timer = timers_[number];
    timer.due = due;
    timer.is_set = true;
    timer_of_[id] = number;
    // A service may refuse a negative delay.
    const Duration delay = std::max(due - now, Duration::zero());
    handle = timed([&] {
      return service.schedule(delay, [this, number] {
        const Instant before = timers_[number].started.exchange(clock_.now());
        if (before != Instant()) second_runs_.fetch_add(1);
      });
    });
  }

  template <class Service, class Handle>
  void put_off(Service& service, Handle& handle, std::uint32_t id, Instant due, Instant now) {
    if constexpr (RearmingService<Service>) {
      const Duration delay = std::max(due - now, Duration::zero());
      if (timed([&] { return service.rearm(handle, delay); })) {
        timers_[timer_of_[id]].due = due;
        return;
      }
    } else {
      cancel(service, handle, id);
    }
    set(service, handle, id, due, now);
  }

  template <class Service, class Handle>
  void cancel(Service& service, const Handle& handle, std::uint32_t id) {
    const CancelResult result = timed([&] { return service.cancel(handle); });
    timers_[timer_of_[id]].is_cancelled = result == CancelResult::cancelled;
  }

  void prove(std::size_t returned) const {
    const auto count = [this](auto is) {
      return static_cast<std::size_t>(std::count_if(timers_.begin(), timers_.end(), is));
    };
    const std::size_t ran =
        count([](const Timer& timer) { return timer.started.load() != Instant(); });
    const std::size_t cancelled = count([](const Timer& timer) { return timer.is_cancelled; });
    if (second_runs_ == 0 && ran + cancelled + returned == set_) return;
    throw std::runtime_error(fmt::format(
        "of {} timers {} ran, {} were cancelled and {} came back from stop; {} ran twice", set_,
        ran, cancelled, returned, second_runs_.load()));
  }

  ClockType& clock_;
  typename ClockType::Parker parker_;
  const Trace& trace_;
  const Tempo tempo_;
  std::vector<Timer> timers_;          // in the order in which they were set
  std::vector<std::size_t> timer_of_;  // for each id, its last timer
  std::vector<double> calls_;
  TimeStampCounter::Ticks ticks_ = 0;  // of the service, in the present operation
  std::size_t set_ = 0;
  std::atomic<std::size_t> second_runs_ = 0;
  Instant begin_{};
  Instant end_{};
  Instant stopped_{};
  bool fell_behind_ = false;
  ProcessorUse use_;
  Duration took_{};
};

}  // namespace timers::benches
