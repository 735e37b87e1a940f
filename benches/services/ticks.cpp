/// What a finer tick costs, and what it gains.
///
///     ticks/hashed_wheel_timer/1ms/10000
///
/// The load is n timers a second, with delays of 10 ms to 1 s. The services take pieces of it in
/// turns, until the time is over (`--seconds`): each has this tick, and otherwise its default
/// options. The figure is the p99 of the lateness, from the deadline to the start of the task.
/// `cpu_percent` is the processor use of the threads of the service, in percent of one core. The
/// floor is a thread that only sleeps until each deadline (os_floor.hpp).

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/services/lateness.hpp"
#include "benches/harness/services/steady_load.hpp"
#include "benches/services/measured_services.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

void add_contest(std::string_view workload, Duration tick, std::size_t n) {
  const auto contest = std::make_shared<Contest>([] { return Extent{}; });
  const auto floor = std::make_shared<Lateness>();
  const SteadyRate load{.timers_a_second = n, .figure = {0.99}};
  const auto name_of = [&](std::string_view service) {
    return fmt::format("ticks/{}/{}/{}", service, workload, n);
  };
  for_each_setting([&]<class Setting>(const std::string& setting) {
    using Service = typename Setting::Service;
    if constexpr (Setting::kVariesTicks && HasTicks<Service>) {
      const bool is_twin = setting != Setting::name();
      contest->add(name_of(is_twin ? twin_of(Service::name) : std::string(Service::name)), [=] {
        auto options = Setting::options();
        options.tick_duration = tick;
        return std::make_unique<SteadyLoad<Setting>>(load, options, floor);
      });
    }
  });
  contest->add(name_of(kFloor), [=] { return floor_of(load, floor); });
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
