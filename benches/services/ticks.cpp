/// What a finer tick costs, and what it is good for.
///
///     ticks/hashed_wheel_timer/1ms/10000
///
/// Of a load of n timers a second, with delays of 10 ms to 1 s, the services take pieces, in turns,
/// until the time is over (`--seconds`): each with this tick, and else its default options. The
/// figure is the p99 of the lateness, from the deadline to the start of the task. `cpu_percent` is
/// what the threads of the service take of one core meanwhile. The floor is a thread that only
/// sleeps until each deadline (os_floor.hpp).

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/services/lateness.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/os_floor.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/services/measured_services.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

constexpr FigureAt kP99{0.99};

/// A piece for each turn.
Piece piece_of(std::size_t n, std::size_t pass) {
  return steady_piece(n, &uniform_delay, 100ms, 400ms, pass);
}

template <class Setting>
class Ticking final : public Contestant {
 public:
  Ticking(Duration tick, std::size_t n, std::shared_ptr<const Lateness> floor)
      : tick_(tick), n_(n), floor_(std::move(floor)) {}

  void take_turn(std::size_t pass, std::size_t) override {
    const Piece piece = piece_of(n_, pass);
    auto options = Setting::options();
    options.tick_duration = tick_;
    SteadyClock clock;
    OpenLoop loop(clock, piece.plan, piece.window);
    typename Setting::Service service(clock, options);
    loop.run(service);
    refuse_early<Setting>(loop.runs());
    lateness_.add(loop.runs());
    processor_seconds_ += loop.use().seconds;
    took_ += loop.took();
    generator_lagged_ |= loop.generator_lagged();
  }

  void report(benchmark::State& state) const override {
    report_lateness(state, lateness_, *floor_, kP99);
    state.counters["cpu_percent"] =
        100 * processor_seconds_ / std::chrono::duration<double>(took_).count();
    state.counters["generator_lagged"] = generator_lagged_ ? 1 : 0;
  }

 private:
  Duration tick_;
  std::size_t n_;
  std::shared_ptr<const Lateness> floor_;
  Lateness lateness_;
  double processor_seconds_ = 0;
  Duration took_{};
  bool generator_lagged_ = false;
};

void add_contest(std::string_view workload, Duration tick, std::size_t n) {
  const auto contest = std::make_shared<Contest>([] { return Extent{}; });
  const auto floor = std::make_shared<Lateness>();
  const auto name_of = [&](std::string_view service) {
    return fmt::format("ticks/{}/{}/{}", service, workload, n);
  };
  const auto add = [&]<class Setting>(std::string_view service) {
    contest->add(name_of(service),
                 [=] { return std::make_unique<Ticking<Setting>>(tick, n, floor); });
  };
  for_each_setting([&]<class Setting>(const std::string& setting) {
    using Service = typename Setting::Service;
    if constexpr (Setting::kVariesTicks && HasTicks<Service>) {
      add.template operator()<Setting>(setting == Setting::name() ? Service::name
                                                                  : twin_of(Service::name));
    }
  });
  contest->add(name_of(kFloor), [=] {
    return std::make_unique<OsFloor>([=](std::size_t pass) { return piece_of(n, pass); }, kP99,
                                     floor);
  });
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  for (const std::size_t n : {1'000U, 10'000U}) {
    add_contest("100us", 100us, n);
    add_contest("1ms", 1ms, n);
    add_contest("10ms", 10ms, n);
    add_contest("100ms", 100ms, n);
  }
  return run_benchmarks(argc, argv, groups_with_twin_and_floor());
}
