/// How late timers are because other tasks are slow.
///
///     slow_task/hashed_wheel_timer_10ms_executor/one_of_500ms/1000
///
/// n timers a second are due for two seconds, at nearly equal distances. All are scheduled before.
/// A slow task sleeps, like a task that waits for an answer: it blocks its thread, but uses no
/// core. The figures are the lateness of all other timers, from the deadline to the start of the
/// task; the main figure is the median. All settings take turns, in random order, until the time is
/// over (`--seconds`). The floor also takes turns: a thread that only sleeps until each deadline
/// (os_floor.hpp).

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/services/lateness.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/os_floor.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/harness/services/task_runs.hpp"
#include "benches/services/measured_services.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// A task is slow if its timer has the number `first`, or is a multiple of `every` later.
struct Slow {
  std::size_t first;
  std::size_t every;
  Duration takes;

  bool contains(std::size_t timer) const { return timer >= first && (timer - first) % every == 0; }
};

constexpr FigureAt kMedian{0.5};

Plan plan_of(std::size_t n, Duration lead) {
  return uneven_plan_ahead(static_cast<double>(n), lead, 2s);
}

Duration first_lead(std::size_t n) { return 100ms + 2us * n; }

template <class Setting>
class Others final : public Contestant {
 public:
  Others(Slow slow, std::size_t n, std::shared_ptr<const Lateness> floor)
      : slow_(slow), n_(n), lead_(first_lead(n)), floor_(std::move(floor)) {}

  void take_turn(std::size_t, std::size_t) override {
    while (!took_turn()) lead_ *= 2;
  }

  void report(benchmark::State& state) const override {
    report_lateness(state, lateness_, *floor_, kMedian);
    state.counters["max_backlog"] = static_cast<double>(max_backlog_);
  }

 private:
  /// Returns false if a timer was due before all were scheduled.
  bool took_turn() {
    const Plan plan = plan_of(n_, lead_);
    SteadyClock clock;
    OpenLoop loop(clock, plan);
    typename Setting::Service service(clock, Setting::options());
    loop.run(service, [this](std::size_t timer) {
      if (slow_.contains(timer)) std::this_thread::sleep_for(slow_.takes);
    });
    if (!loop.began_in_time()) return false;
    refuse_early<Setting>(loop.runs());
    std::vector<Run> others;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (!slow_.contains(i)) others.push_back(loop.runs()[i]);
    }
    lateness_.add(others);
    max_backlog_ = std::max(max_backlog_, max_backlog(others));
    return true;
  }

  Slow slow_;
  std::size_t n_;
  Duration lead_;
  std::shared_ptr<const Lateness> floor_;
  Lateness lateness_;
  std::size_t max_backlog_ = 0;
};

void add_contest(std::string_view workload, Slow slow, std::size_t n) {
  const auto contest = std::make_shared<Contest>([] { return Extent{}; });
  const auto floor = std::make_shared<Lateness>();
  const auto name_of = [&](std::string_view setting) {
    return fmt::format("slow_task/{}/{}/{}", setting, workload, n);
  };
  for_each_setting([&]<class Setting>(const std::string& setting) {
    contest->add(name_of(setting),
                 [=] { return std::make_unique<Others<Setting>>(slow, n, floor); });
  });
  contest->add(name_of(kFloor), [=] {
    return std::make_unique<OsFloor>(
        [=](std::size_t) {
          return Piece{plan_of(n, first_lead(n)), {}};
        },
        kMedian, floor);
  });
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  for (const std::size_t n : {1'000U, 100'000U}) {
    add_contest("one_of_500ms", {.first = n / 2, .every = 2 * n, .takes = 500ms}, n);
    add_contest("one_in_1000_of_1ms", {.first = 500, .every = 1000, .takes = 1ms}, n);
  }
  return run_benchmarks(argc, argv, groups_with_twin_and_floor());
}
