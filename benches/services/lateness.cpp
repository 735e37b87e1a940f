/// How late a service runs its timers, on a real clock.
///
///     lateness/hashed_wheel_timer_10ms/uniform/100000
///     lateness/os_floor/uniform/100000
///
/// A plan says when each timer is scheduled and when it is due. The lateness is from this deadline
/// to the start of the task, which records the time and does nothing else; the figure is the
/// median. A timer that is lost, runs twice or runs early is an error. (A service with the
/// behaviour of its original may be early by as much as the original: `early` is the number of such
/// runs.)
///
///     uniform        n timers a second with delays of 10 ms to 1 s
///     exponential    n timers a second. Most delays are short: 10 ms at least, 100 ms on average
///     ballast        10,000 timers a second as in uniform. n other timers are pending, and are due
///                    in one to two hours
///     burst          n timers that are due at the same instant
///     within_3s      n timers that are due within 3 s
///
/// The first three are pieces of a continuous load: when a piece begins, as many timers are pending
/// as always. Pieces are short. They are longer if an overloaded service would become later and
/// later, and if a service takes long to prepare. All settings take turns, in random order, each
/// with a fresh service, until the time is over (`--seconds`). The quantiles are over all turns
/// together. The floor also takes turns: a thread that only sleeps until each deadline
/// (os_floor.hpp).
///
/// The timers of the last two are all scheduled before the first is due. In the others a generator
/// schedules at fixed times. If it falls behind, the deadlines do not move. The figures show how
/// far it was behind, and whether the service got a timer too late because of that.
///
/// The processor time is that of the threads of the service. The label has the whole distribution
/// of the lateness and of the generator's lag. It also has the course of the first turn, in slices
/// of 50 ms. A slice has its beginning, in ms from the first deadline; the backlog at its end; and
/// the p99 of the runs that started in it. If all calls are made at the beginning, the lag is how
/// long they took.

#include "benches/harness/services/lateness.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/quantiles.hpp"
#include "benches/harness/services/histogram.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/os_floor.hpp"
#include "benches/harness/services/rest.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "benches/services/measured_services.hpp"
#include "benches/workloads/random.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// Makes the piece of a workload for n. All timers that the plan schedules at the beginning are
/// scheduled before any is due, if this takes no longer than `lead`. Each pass has another seed.
using MakePiece = Piece (*)(std::size_t n, Duration lead, std::uint64_t seed);

/// The lead for the first try: usually long enough.
Duration first_lead(std::size_t n) { return 50ms + n * 2us; }

/// A deadline at or after `lead`. It is far from the ticks of 1, 10 and 100 ms that begin with the
/// plan: with each of these ticks it is late by about half a tick.
Duration between_ticks(Duration lead) { return (lead / 100ms + 1) * 100ms + 55ms + 500us; }

struct Workload {
  const char* name;
  std::size_t n;
  MakePiece make_piece;
  std::size_t ballast = 0;
};

template <Duration (*kDelay)(Random&)>
Piece short_piece(std::size_t n, Duration lead, std::uint64_t seed) {
  return steady_piece(n, kDelay, lead, 400ms, seed);
}
template <Duration (*kDelay)(Random&)>
Piece long_piece(std::size_t n, Duration lead, std::uint64_t seed) {
  return steady_piece(n, kDelay, lead, 2s, seed);
}
Piece burst(std::size_t n, Duration lead, std::uint64_t) {
  return {plan_ahead(n, between_ticks(lead), 0s), {}};
}
Piece within_3s(std::size_t n, Duration lead, std::uint64_t) {
  return {plan_ahead(n, lead, 3s), {}};
}

/// n is the number of the other timers.
template <Piece (*kPiece)(std::size_t, Duration, std::uint64_t)>
Piece beside_ballast(std::size_t, Duration lead, std::uint64_t seed) {
  return kPiece(10'000, lead, seed);
}

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const std::size_t n : {1'000U, 10'000U, 100'000U}) {
    all.push_back({"uniform", n, &short_piece<&uniform_delay>});
    all.push_back({"exponential", n, &short_piece<&exponential_delay>});
    all.push_back({"burst", n, &burst});
  }
  constexpr std::size_t kMillion = 1'000'000;
  all.push_back({"uniform", kMillion, &long_piece<&uniform_delay>});
  all.push_back({"exponential", kMillion, &long_piece<&exponential_delay>});
  all.push_back({"burst", kMillion, &burst});
  for (const std::size_t n : {1'000U, 100'000U, 1'000'000U}) {
    all.push_back({"ballast", n, &beside_ballast<&short_piece<&uniform_delay>>, n});
  }
  constexpr std::size_t kMost = 10 * kMillion;
  all.push_back({"ballast", kMost, &beside_ballast<&long_piece<&uniform_delay>>, kMost});
  for (const std::size_t n : {100'000U, 1'000'000U, 5'000'000U}) {
    all.push_back({"within_3s", n, &within_3s});
  }
  return all;
}

/// Schedules timers that are due in one to two hours, and waits until the service is at rest.
template <class Service>
void add_ballast(Service& service, std::size_t timers) {
  if (timers == 0) return;
  Random random(7);
  for (std::size_t i = 0; i < timers; ++i) {
    service.schedule(in_one_to_two_hours(random), [] {});
  }
  wait_until_all_other_threads_sleep();
}

std::string over_time(const std::vector<Run>& runs) {
  std::string json;
  for (const Slice& slice : slices_of(runs, 50ms)) {
    fmt::format_to(std::back_inserter(json), "{}[{},{},{}]", json.empty() ? "" : ",",
                   slice.begin / 1ms, slice.backlog,
                   slice.p99_ns ? fmt::format("{:.0f}", *slice.p99_ns) : "null");
  }
  return '[' + json + ']';
}

constexpr FigureAt kMedian{0.5};

/// Lets a service run the plan of a loop. Returns false if a timer was due before all timers of the
/// beginning were scheduled.
template <class Setting>
bool run_in_time(OpenLoop<SteadyClock>& loop, SteadyClock& clock, std::size_t ballast) {
  typename Setting::Service service(clock, Setting::options());
  add_ballast(service, ballast);
  loop.run(service);
  if (!loop.began_in_time()) return false;
  refuse_early<Setting>(loop.runs());
  return true;
}

using RunInTime = bool (*)(OpenLoop<SteadyClock>& loop, SteadyClock& clock, std::size_t ballast);

class Starts final : public Contestant {
 public:
  Starts(RunInTime run, const Workload& workload, std::shared_ptr<const Lateness> floor)
      : run_(run), workload_(workload), lead_(first_lead(workload.n)), floor_(std::move(floor)) {}

  void take_turn(std::size_t pass, std::size_t) override {
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());  // freed memory stays in the
                                                                 // process
    while (!took_turn(pass)) lead_ *= 2;
  }

  void report(benchmark::State& state) const override {
    const Quantiles lags(lags_);
    report_lateness(state, lateness_, *floor_, kMedian);
    state.counters["early"] = static_cast<double>(early_);
    state.counters["generator_lag_p999_ns"] = lags.quantile_ns(0.999);
    state.counters["generator_lag_max_ns"] = lags.quantile_ns(1);
    state.counters["generator_lagged"] = generator_lagged_ ? 1 : 0;
    state.counters["cpu_ns_per_operation"] =
        processor_seconds_ * 1e9 / static_cast<double>(lateness_.spans().size());
    state.counters["max_backlog"] = static_cast<double>(max_backlog_);
    state.SetLabel(fmt::format(R"({{"lateness":{},"generator_lag":{},"over_time":{}}})",
                               histogram_of(lateness_.spans()), histogram_of(lags_), over_time_));
  }

 private:
  /// Returns false if a timer was due before all timers of the beginning were scheduled.
  bool took_turn(std::size_t pass) {
    const Piece piece = workload_.make_piece(workload_.n, lead_, pass);
    SteadyClock clock;
    OpenLoop loop(clock, piece.plan, piece.window);
    if (!run_(loop, clock, workload_.ballast)) return false;
    keep(loop);
    return true;
  }

  void keep(const OpenLoop<SteadyClock>& loop) {
    lateness_.add(loop.runs());
    lags_.insert(lags_.end(), loop.lags().begin(), loop.lags().end());
    early_ += count_early(loop.runs());
    generator_lagged_ |= loop.generator_lagged();
    processor_seconds_ += loop.use().seconds;
    max_backlog_ = std::max(max_backlog_, max_backlog(loop.runs()));
    if (over_time_.empty()) over_time_ = over_time(loop.runs());
  }

  RunInTime run_;
  const Workload workload_;
  Duration lead_;
  std::shared_ptr<const Lateness> floor_;
  Lateness lateness_;
  std::vector<Duration> lags_;
  std::size_t early_ = 0;
  bool generator_lagged_ = false;
  double processor_seconds_ = 0;
  std::size_t max_backlog_ = 0;
  std::string over_time_;
};

std::unique_ptr<OsFloor> make_floor(const Workload& workload, std::shared_ptr<Lateness> lateness) {
  const auto make_piece = [workload](std::size_t pass) {
    return workload.make_piece(workload.n, first_lead(workload.n), pass);
  };
  return std::make_unique<OsFloor>(make_piece, kMedian, std::move(lateness));
}

void add_contest(const Workload& workload) {
  const auto contest = std::make_shared<Contest>([] { return Extent{}; });
  const auto floor = std::make_shared<Lateness>();
  const auto name_of = [&](std::string_view setting) {
    return fmt::format("lateness/{}/{}/{}", setting, workload.name, workload.n);
  };
  for_each_setting([&]<class Setting>(const std::string& setting) {
    if constexpr (!Setting::kHasExecutor) {
      contest->add(name_of(setting), [=, run = &run_in_time<Setting>] {
        return std::make_unique<Starts>(run, workload, floor);
      });
    }
  });
  contest->add(name_of(kFloor), [=] { return make_floor(workload, floor); });
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  for (const Workload& workload : workloads()) add_contest(workload);
  return run_benchmarks(argc, argv, groups_with_twin_and_floor());
}
