/// What each queue costs a program under the user's own load, counted and not timed.
///
///     load_use --load=my_load.json
///     load_use/lazy_wheel/own
///
/// The file is the same as for `load`. The counters are explained in harness/queues/load_use.hpp.
/// The processor time of the whole run is also reported. It shows which queues are far too slow to
/// be timed often.

#include "benches/harness/queues/load_use.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/queues/measured/field.hpp"
#include "benches/queues/measured/queues.hpp"
#include "benches/workloads/played_file.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

/// The load or recording in the file. It is read and made when the first benchmark asks for it.
class Played {
 public:
  explicit Played(std::string file) : file_(std::move(file)) {}

  const PlayedToQueues& get() {
    if (!played_) played_ = played_to_queues(file_);
    return *played_;
  }

 private:
  std::string file_;
  std::optional<PlayedToQueues> played_;
};

template <TimerQueue Queue>
void report(benchmark::State& state, const PlayedToQueues& played) {
  constexpr std::chrono::duration<double> kBudget{2};
  const auto& [schedule, measured_s] = played;
  const auto operations = static_cast<double>(
      schedule.operations_between(schedule.measured_begin, schedule.measured_end, 0));
  const std::clock_t begin = std::clock();
  const LoadUse use = LoadUser<Queue>(schedule).use(kBudget);
  const double taken_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  state.counters["pilot_seconds"] = taken_s;
  state.counters["operations_per_second"] = operations / measured_s;
  state.counters["most_pending"] = use.most_pending;
  state.counters["share"] = use.share;
  if (use.share == 0) return;  // the queue did not reach the measured steps
  state.counters["bytes"] = use.bytes;
  state.counters["peak_bytes"] = use.peak_bytes;
  if (use.wakes) {
    state.counters["wakes_per_second"] = *use.wakes / use.share / measured_s;
    state.counters["wakes_in_vain_per_second"] = use.wakes_in_vain / use.share / measured_s;
  }
}

void add_all(const std::string& file) {
  const auto played = std::make_shared<Played>(file);
  for_each_type(MeasuredQueues{}, [&]<class Queue>() {
    add_benchmark(fmt::format("load_use/{}/own", Queue::name), [=](benchmark::State& state) {
      for (auto _ : state) report<Queue>(state, played->get());
    })->Iterations(1);
  });
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  const auto file = take_file(argc, argv, "--load=", fault_of_file);
  if (!file) return 1;
  add_all(*file);
  return run_queue_benchmarks(argc, argv);
}
