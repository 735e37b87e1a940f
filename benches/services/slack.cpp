/// What it costs to wake exactly, and what it gains.
///
///     slack/queue_timer_lazy_wheel/50us/10000
///
/// The load is n timers a second, with delays of 10 ms to 1 s. The services take pieces of it in
/// turns, until the time is over (`--seconds`). Their clock has this slack, and they have their
/// default options. The figure is the median of the lateness, from the deadline to the start of the
/// task. `cpu_percent` is the processor use of the threads of the service, in percent of one core.
/// The floor is a thread that only sleeps until each deadline, with the same slack (os_floor.hpp).

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

void add_contest(std::string_view workload, Duration slack, std::size_t n) {
  const auto contest = std::make_shared<Contest>([] { return Extent{}; });
  const auto floor = std::make_shared<Lateness>();
  const SteadyRate load{.timers_a_second = n, .figure = {0.5}, .slack = slack};
  const auto name_of = [&](std::string_view service) {
    return fmt::format("slack/{}/{}/{}", service, workload, n);
  };
  for_each_setting([&]<class Setting>(const std::string& setting) {
    using Service = typename Setting::Service;
    if constexpr (Setting::kIsDefault) {
      const bool is_twin = setting != Setting::name();
      contest->add(name_of(is_twin ? twin_of(Service::name) : std::string(Service::name)), [=] {
        return std::make_unique<SteadyLoad<Setting>>(load, Setting::options(), floor);
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
    add_contest("1ns", 1ns, n);
    add_contest("10us", 10us, n);
    add_contest("50us", 50us, n);
    add_contest("200us", 200us, n);
    add_contest("1ms", 1ms, n);
  }
  return run_benchmarks(argc, argv, groups_with_twin_and_floor());
}
