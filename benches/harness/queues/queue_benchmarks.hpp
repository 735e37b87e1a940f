#pragma once

/// Benchmarks of queues: every queue that is measured, on every input.
///
/// They are called operation/queue/workload/n. Google Benchmark adds "/manual_time" to the names,
/// because the time is taken around the measured steps only.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/groups.hpp"
#include "benches/harness/queues/measure.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/listed.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

/// An input that is made when a benchmark first asks for it: a process that measures one of many
/// does not wait for the others.
class LazyInput {
 public:
  explicit LazyInput(std::function<Schedule()> make) : make_(std::move(make)) {}

  const Input& get() {
    if (!input_) input_.emplace(make_());
    return *input_;
  }

 private:
  std::function<Schedule()> make_;
  std::optional<Input> input_;
};

/// Registers a benchmark of `Queue`, which goes through the measured steps by `run`.
template <TimerQueue Queue, class RunMeasured = AllSteps>
void add_benchmark(const std::string& operation, const std::string& input_name,
                   std::shared_ptr<LazyInput> input, RunMeasured run = {}) {
  add_benchmark(fmt::format("{}/{}/{}", operation, Queue::name, input_name),
                [input = std::move(input), run, calls = std::make_shared<CallTimer>()](
                    benchmark::State& state) { measure<Queue>(state, input->get(), *calls, run); })
      ->UseManualTime();
}

/// Registers a benchmark of each queue of the list on the input that `make` makes.
template <class Queues>
void add_benchmarks(const std::string& operation, const std::string& input_name,
                    std::function<Schedule()> make) {
  const auto input = std::make_shared<LazyInput>(std::move(make));
  for_each_type(Queues{},
                [&]<class Queue>() { add_benchmark<Queue>(operation, input_name, input); });
}

/// Registers a benchmark of each queue of the list on each of these workloads, at every size.
template <class Queues, std::size_t Count>
void add_benchmarks(const std::string& operation, const std::array<Workload, Count>& workloads) {
  for (const Workload& workload : workloads) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      add_benchmarks<Queues>(operation, fmt::format("{}/{}", workload.name, n),
                             [=] { return workload.make(n); });
    }
  }
}

/// What is true of the queues of two lists: ours, and those of libraries.
template <class Ours, class Libraries>
Groups groups_of_queues() {
  Groups groups;
  const auto add = [&]<class Line>(bool of_library) {
    const std::string_view name = Line::Queue::name;
    groups.add(Line::kFamily, name);
    groups.add_if(of_library, "libraries", name);
    groups.add_if(Line::kExpire == Expire::turns_a_loop, "turning_loops", name);
  };
  for_each_type(Ours{}, [&]<class Line>() { add.template operator()<Line>(false); });
  for_each_type(Libraries{}, [&]<class Line>() { add.template operator()<Line>(true); });
  return groups;
}

/// `run_benchmarks` of a program that measures the queues of these lists.
template <class Ours, class Libraries>
int run_queue_benchmarks(int argc, char** argv) {
  return run_benchmarks(argc, argv, groups_of_queues<Ours, Libraries>());
}

}  // namespace timers::benches
