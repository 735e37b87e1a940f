#include "benches/workloads/load.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <utility>

#include "benches/workloads/random.hpp"
#include "benches/workloads/timeline.hpp"

namespace timers::benches {

namespace {

constexpr double kNsASecond = 1e9;
constexpr double kSigma = 1.62880;        // of a log-normal whose upper quartile is three medians
constexpr double kMeanOfMedian = 3.7678;  // the mean, in medians
constexpr double kLongestAnswer = 1'000;  // in medians: hardly any answer takes longer

/// The length, in operations, of the measured piece that queues play. A piece without bursts is as
/// long as the load has timers, within these bounds.
constexpr double kLeastMeasured = 1 << 16;
constexpr double kMostMeasured = 1 << 20;
constexpr double kLeastBefore = 1 << 15;

double median_answer_s(const Calls& calls) {
  return std::min(calls.answer_ms / 1e3, calls.limit_s / 10);
}

double in_time(const Calls& calls) { return calls.cancelled_percent / 100; }

/// How many limits of connections run out in a second. The gaps between the messages of a
/// connection are exponential: one in e^(limit / gap) is longer than the limit.
double closes_a_second(const Connections& connections) {
  if (connections.rearms_a_second == 0) return connections.pending / connections.limit_s;
  const double messages = connections.rearms_a_second / connections.pending * connections.limit_s;
  return connections.rearms_a_second / std::expm1(std::min(messages, 700.0));
}

std::int64_t ns_of(double seconds) { return std::llround(seconds * kNsASecond); }

/// Takes down what happens to timers, part by part of the load, and makes one trace of all.
class TraceWriter {
 public:
  using Timer = std::uint32_t;

  TraceWriter(std::int64_t tick_ns, double end_s)
      : tick_ns_(tick_ns), end_s_(end_s), end_(ns_of(end_s)) {}

  std::int64_t end() const { return end_; }
  /// A random time may be too large for whole nanoseconds, so seconds are compared.
  bool is_over_at(double time_s) const { return time_s >= end_s_; }

  /// When a queue runs a timer with this deadline: at the beginning of a tick.
  std::int64_t runs_at(std::int64_t deadline) const {
    return (deadline + tick_ns_ - 1) / tick_ns_ * tick_ns_;
  }

  Timer set(std::int64_t time, std::int64_t deadline) {
    add(time, deadline, timers_, TraceVerb::schedule);
    return timers_++;
  }
  void put_off(std::int64_t time, Timer timer, std::int64_t deadline) {
    add(time, deadline, timer, TraceVerb::reschedule);
  }
  void cancel(std::int64_t time, Timer timer) { add(time, 0, timer, TraceVerb::cancel); }
  void ran(std::int64_t time, Timer timer) { add(time, 0, timer, TraceVerb::observed_expiry); }

  /// Operations at the same instant stay in the order in which each part recorded them. A timer
  /// that is gone leaves its id to the next one, as memory is reused.
  Trace trace() && {
    std::stable_sort(operations_.begin(), operations_.end(),
                     [](const TraceOperation& one, const TraceOperation& other) {
                       return one.time < other.time;
                     });
    std::vector<std::uint32_t> id_of(timers_);
    std::vector<std::uint32_t> free_ids;
    Trace trace{.name = "load", .operations = std::move(operations_), .ids = 0};
    std::uint32_t line = 0;
    for (TraceOperation& operation : trace.operations) {
      std::uint32_t& id = id_of[operation.id];
      if (operation.verb == TraceVerb::schedule) {
        if (free_ids.empty()) free_ids.push_back(trace.ids++);
        id = free_ids.back();
        free_ids.pop_back();
      } else if (operation.verb != TraceVerb::reschedule) {
        free_ids.push_back(id);
      }
      operation.id = id;
      operation.line = ++line;
    }
    return trace;
  }

 private:
  void add(std::int64_t time, std::int64_t deadline, Timer timer, TraceVerb verb) {
    if (time < end_) operations_.push_back({time, deadline, timer, 0, verb});
  }

  const std::int64_t tick_ns_;
  const double end_s_;
  const std::int64_t end_;
  std::vector<TraceOperation> operations_;
  Timer timers_ = 0;
};

/// The deadlines of connections in ascending order. All limits are equal, so a new deadline comes
/// after all others.
class Limits {
 public:
  struct Entry {
    std::int64_t deadline;
    std::size_t connection;
  };

  explicit Limits(std::vector<Entry> entries)
      : latest_(entries.size()), in_order_(std::move(entries)) {
    for (const Entry& entry : in_order_) latest_[entry.connection] = entry.deadline;
    std::sort(in_order_.begin(), in_order_.end(),
              [](const Entry& one, const Entry& other) { return one.deadline < other.deadline; });
    queue_.assign(in_order_.begin(), in_order_.end());
  }

  void set(std::size_t connection, std::int64_t deadline) {
    latest_[connection] = deadline;
    queue_.push_back({deadline, connection});
  }

  /// Calls `close(connection, deadline)` for each connection whose limit has run out by now.
  template <class HasRun, class Close>
  void run_out(HasRun has_run, Close close) {
    while (!queue_.empty() && has_run(queue_.front().deadline)) {
      const Entry first = queue_.front();
      queue_.pop_front();
      if (latest_[first.connection] == first.deadline) close(first.connection, first.deadline);
    }
  }

 private:
  std::vector<std::int64_t> latest_;  // the latest deadline of each connection
  std::vector<Entry> in_order_;
  std::deque<Entry> queue_;
};

void write(TraceWriter& writer, const Connections& connections, Random& random) {
  const auto count = static_cast<std::size_t>(connections.pending);
  const std::int64_t limit = ns_of(connections.limit_s);
  const double gap_s = 1 / connections.rearms_a_second;  // between messages of all connections
                                                         // together
  std::vector<TraceWriter::Timer> timers(count);
  std::vector<Limits::Entry> first(count);
  for (std::size_t i = 0; i < count; ++i) {
    // The age of a limit is exponential, on the condition that it is less than the limit. The
    // remainder of an exponential time modulo the limit is distributed in this way, because the
    // exponential distribution has no memory.
    const double age_s =
        connections.rearms_a_second == 0
            ? random.uniform() * connections.limit_s
            : std::fmod(random.exponential(gap_s * connections.pending), connections.limit_s);
    const std::int64_t deadline = std::max<std::int64_t>(limit - ns_of(age_s), 1);
    timers[i] = writer.set(0, deadline);
    first[i] = {deadline, i};
  }
  Limits limits(std::move(first));
  const auto close_until = [&](std::int64_t now) {
    limits.run_out([&](std::int64_t deadline) { return writer.runs_at(deadline) <= now; },
                   [&](std::size_t connection, std::int64_t deadline) {
                     const std::int64_t runs_at = writer.runs_at(deadline);
                     writer.ran(runs_at, timers[connection]);
                     timers[connection] = writer.set(runs_at, runs_at + limit);
                     limits.set(connection, runs_at + limit);
                   });
  };
  for (double time_s = random.exponential(gap_s); !writer.is_over_at(time_s);
       time_s += random.exponential(gap_s)) {
    const std::int64_t now = ns_of(time_s);
    close_until(now);
    const auto connection = static_cast<std::size_t>(random.uniform() * connections.pending);
    writer.put_off(now, timers[connection], now + limit);
    limits.set(connection, now + limit);
  }
  close_until(writer.end());
}

/// Calls at random times, from `past_s` before 0 on. `life_s()` says how long a call has its timer,
/// and whether the timer is then cancelled.
template <class Life>
void write_calls(TraceWriter& writer, double a_second, double past_s, std::int64_t limit,
                 Random& random, Life life) {
  if (a_second == 0) return;
  const double gap_s = 1 / a_second;
  for (double time_s = -past_s + random.exponential(gap_s); !writer.is_over_at(time_s);
       time_s += random.exponential(gap_s)) {
    const std::int64_t call = ns_of(time_s);
    const std::int64_t deadline = call + limit;
    const auto [is_cancelled, after_s] = life();
    const std::int64_t gone =
        is_cancelled ? std::min(call + ns_of(after_s), deadline - 1) : writer.runs_at(deadline);
    if (gone <= 0) continue;
    const TraceWriter::Timer timer = writer.set(std::max<std::int64_t>(call, 0), deadline);
    if (is_cancelled) {
      writer.cancel(gone, timer);
    } else {
      writer.ran(gone, timer);
    }
  }
}

void write(TraceWriter& writer, const Calls& calls, Random& random) {
  struct Life {
    bool is_cancelled;
    double after_s;
  };
  constexpr double kMostDrawn = 2e8;  // the number of calls before 0
  const std::int64_t limit = ns_of(calls.limit_s);
  const double median_s = median_answer_s(calls);
  const double answered = calls.a_second * in_time(calls);
  const double past_s =
      std::min({calls.limit_s, kLongestAnswer * median_s, kMostDrawn / calls.a_second});
  write_calls(writer, calls.a_second - answered, calls.limit_s, limit, random, [] {
    return Life{false, 0};
  });
  write_calls(writer, answered, past_s, limit, random, [&] {
    double after_s = random.log_normal(median_s, kSigma);
    while (after_s >= calls.limit_s) after_s = random.log_normal(median_s, kSigma);
    return Life{true, after_s};
  });
}

/// Timers with one period. They are due at these instants of each period.
void write_each_period(TraceWriter& writer, double period_s, std::vector<double> instants_s) {
  std::sort(instants_s.begin(), instants_s.end());
  std::vector<TraceWriter::Timer> timers;
  for (const double instant_s : instants_s) timers.push_back(writer.set(0, ns_of(instant_s)));
  for (double begin_s = 0; !writer.is_over_at(begin_s); begin_s += period_s) {
    for (std::size_t i = 0; i < timers.size(); ++i) {
      const std::int64_t runs_at = writer.runs_at(ns_of(begin_s + instants_s[i]));
      if (runs_at >= writer.end()) return;
      writer.ran(runs_at, timers[i]);
      timers[i] = writer.set(runs_at, ns_of(begin_s + period_s + instants_s[i]));
    }
  }
}

void write_spread(TraceWriter& writer, const Periodic& work, Random& random) {
  std::vector<double> instants_s(static_cast<std::size_t>(work.timers));
  for (double& instant_s : instants_s) instant_s = random.uniform() * work.period_s;
  write_each_period(writer, work.period_s, std::move(instants_s));
}

void write_burst(TraceWriter& writer, const Periodic& burst) {
  write_each_period(writer, burst.period_s,
                    std::vector(static_cast<std::size_t>(burst.timers), burst.period_s / 2));
}

}  // namespace

double operations_a_second(const Load& load) {
  double sum = 0;
  for (const Connections& part : load.connections) {
    sum += part.rearms_a_second + closes_a_second(part);
  }
  for (const Calls& part : load.calls) sum += part.a_second * (1 + in_time(part));
  for (const Periodic& part : load.periodic) sum += part.timers / part.period_s;
  for (const Periodic& part : load.bursts) sum += part.timers / part.period_s;
  return sum;
}

double mean_pending(const Load& load) {
  double sum = 0;
  for (const Connections& part : load.connections) sum += part.pending;
  for (const Calls& part : load.calls) {
    const double answer_s = std::min(kMeanOfMedian * median_answer_s(part), part.limit_s);
    sum += part.a_second * ((1 - in_time(part)) * part.limit_s + in_time(part) * answer_s);
  }
  for (const Periodic& part : load.periodic) sum += part.timers;
  for (const Periodic& part : load.bursts) sum += part.timers;
  return sum;
}

double shortest_delay_s(const Load& load) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Connections& part : load.connections) shortest = std::min(shortest, part.limit_s);
  for (const Calls& part : load.calls) shortest = std::min(shortest, part.limit_s);
  for (const Periodic& part : load.periodic) shortest = std::min(shortest, part.period_s);
  for (const Periodic& part : load.bursts) shortest = std::min(shortest, part.period_s);
  return shortest;
}

std::int64_t tick_ns_of(const Load& load) { return std::llround(load.tick_ms * 1e6); }

Trace trace_of(const Load& load, double seconds, std::uint64_t seed) {
  TraceWriter writer(tick_ns_of(load), seconds);
  Random random(seed);
  for (const Connections& part : load.connections) write(writer, part, random);
  for (const Calls& part : load.calls) write(writer, part, random);
  for (const Periodic& part : load.periodic) write_spread(writer, part, random);
  for (const Periodic& part : load.bursts) write_burst(writer, part);
  return std::move(writer).trace();
}

Extents extents_of(const Load& load) {
  const double rate = operations_a_second(load);
  const double timers = mean_pending(load);
  const double tick_s = load.tick_ms / 1e3;
  const double before_s = std::clamp(timers, kLeastBefore, kMostMeasured) / rate;
  const double wanted_s = std::clamp(2 * timers, kLeastMeasured, kMostMeasured) / rate;
  double period_s = 0;
  for (const Periodic& burst : load.bursts) period_s = std::max(period_s, burst.period_s);
  const double measured_s = period_s == 0
                                ? tick_s * static_cast<double>(whole_turns(wanted_s / tick_s))
                                : period_s * std::ceil(wanted_s / period_s);
  return {before_s, measured_s};
}

}  // namespace timers::benches
