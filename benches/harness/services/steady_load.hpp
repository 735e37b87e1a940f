#pragma once

/// A service under a load of so many timers a second, with delays of 10 ms to 1 s: its lateness,
/// and the processor use of its threads. It serves benches that vary one parameter, and show its
/// benefit and its cost.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "benches/harness/contest.hpp"
#include "benches/harness/services/lateness.hpp"
#include "benches/harness/services/lateness_of_runs.hpp"
#include "benches/harness/services/open_loop.hpp"
#include "benches/harness/services/os_floor.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

struct SteadyRate {
  std::size_t timers_a_second;
  FigureAt figure;
  Duration slack = SteadyClock::kLeastSlack;  ///< The slack of all threads that sleep.

  /// A piece for each turn.
  Piece piece(std::size_t pass) const {
    using namespace std::chrono_literals;
    return steady_piece(timers_a_second, &uniform_delay, 100ms, 400ms, pass);
  }
};

template <class Setting>
class SteadyLoad final : public Contestant {
 public:
  using Options = typename Setting::Service::Options;

  SteadyLoad(SteadyRate load, Options options, std::shared_ptr<const Lateness> floor)
      : load_(load), options_(std::move(options)), floor_(std::move(floor)) {}

  void take_turn(std::size_t pass, std::size_t) override {
    const Piece piece = load_.piece(pass);
    SteadyClock clock(load_.slack);
    OpenLoop loop(clock, piece.plan, piece.window);
    typename Setting::Service service(clock, options_);
    loop.run(service);
    refuse_early<Setting>(loop.runs());
    lateness_.add(loop.runs());
    processor_seconds_ += loop.use().seconds;
    took_ += loop.took();
    generator_lagged_ |= loop.generator_lagged();
  }

  void report(benchmark::State& state) const override {
    report_lateness(state, lateness_, *floor_, load_.figure);
    state.counters["cpu_percent"] =
        100 * processor_seconds_ / std::chrono::duration<double>(took_).count();
    state.counters["generator_lagged"] = generator_lagged_ ? 1 : 0;
  }

 private:
  const SteadyRate load_;
  const Options options_;
  std::shared_ptr<const Lateness> floor_;
  Lateness lateness_;
  double processor_seconds_ = 0;
  Duration took_{};
  bool generator_lagged_ = false;
};

/// The floor for such a load.
inline std::unique_ptr<OsFloor> floor_of(const SteadyRate& load,
                                         std::shared_ptr<Lateness> lateness) {
  return std::make_unique<OsFloor>([load](std::size_t pass) { return load.piece(pass); },
                                   load.figure, std::move(lateness), load.slack);
}

}  // namespace timers::benches
