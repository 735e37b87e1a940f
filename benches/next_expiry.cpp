/// What the question "when is the next one?" costs, which a thread asks before it sleeps.
///
///     next_expiry/priority_queue/uniform/100000
///
/// Timers with delays uniform over a minute; time moves tick by tick, and after each tick, which is
/// not timed, the question is asked 1000 times: so the caches are warm. An answer must be no later
/// than the earliest deadline.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benches/harness.hpp"
#include "benches/workload.hpp"

namespace timers::benches {
namespace {

constexpr int kQuestions = 1'000;

std::vector<Tick> sorted_deadlines(const Schedule& schedule) {
  std::vector<Tick> deadlines;
  for (const Step& step : schedule.steps) {
    if (step.verb() == Step::Verb::insert) deadlines.push_back(step.tick);
  }
  std::sort(deadlines.begin(), deadlines.end());
  return deadlines;
}

/// Asks after each measured step, which moves time.
struct AskAfterEachTick {
  const std::vector<Tick>& deadlines;  // in ascending order

  template <class Queue, class Witness>
  double operator()(Replay<Queue>& replay, std::size_t end, Witness& witness) const {
    using Clock = std::chrono::steady_clock;
    Clock::duration taken{};
    auto earliest = deadlines.begin();
    while (replay.position() != end) {
      const Tick now = replay.next_step().tick;
      replay.run_until(replay.position() + 1, witness);
      earliest = std::upper_bound(earliest, deadlines.end(), now);
      Queue& queue = replay.queue();
      std::optional<Tick> answer;
      const auto begin = Clock::now();
      for (int question = 0; question < kQuestions; ++question) {
        benchmark::DoNotOptimize(&queue);
        benchmark::ClobberMemory();
        answer = queue.next_expiry();
        benchmark::DoNotOptimize(answer);
      }
      taken += Clock::now() - begin;
      const bool right = earliest == deadlines.end() ? !answer : answer && *answer <= *earliest;
      if (!right) {
        throw std::runtime_error(
            fmt::format("next_expiry after tick {} is none or later than the earliest", now));
      }
    }
    return std::chrono::duration<double>(taken).count();
  }
};

template <HasNextExpiry Queue>
void add_questions(const Workload& workload, std::size_t n, std::shared_ptr<LazyInput> input) {
  add_benchmark(
      fmt::format("next_expiry/{}/{}/{}", Queue::name, workload.name, n),
      [input = std::move(input), calls = std::make_shared<CallTimer>()](benchmark::State& state) {
        const std::vector<Tick> deadlines = sorted_deadlines(input->get().schedule);
        measure<Queue>(state, input->get(), *calls, AskAfterEachTick{deadlines});
        state.counters["operations"].value *= kQuestions;
        state.counters["ns_per_operation"].value /= kQuestions;
      })
      ->UseManualTime();
}

void add_all() {
  for (const Workload& workload : kNextExpiry) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      const auto input = std::make_shared<LazyInput>([=] { return workload.make(n); });
      for_each_type(TimerQueues<Task>{}, [&]<class Queue>() {
        if constexpr (HasNextExpiry<Queue>) add_questions<Queue>(workload, n, input);
      });
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
