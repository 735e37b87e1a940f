#pragma once

/// Benchmarks of queues: every queue that is measured, on every input.
///
/// They are called operation/queue/workload/n, and all queues of an input are one contest. With
/// some queues enters a *twin*: an equal queue under a name of its own. How far twins differ says
/// what a difference between other queues is worth.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/groups.hpp"
#include "benches/harness/queues/input.hpp"
#include "benches/harness/queues/queue_contestant.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/listed.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

inline std::string twin_of(std::string_view queue) { return fmt::format("{}_twin", queue); }

/// What is measured: queues, and those of them that have a twin.
template <class AllQueues, class QueuesWithTwins>
struct Field {
  using Queues = AllQueues;
  using WithTwins = QueuesWithTwins;
};

/// Registers a benchmark of each queue of the field on the input, which it takes by `Ride`. A queue
/// takes part if `takes_part<Queue>()`.
template <class OfField, class Ride = AllSteps, class TakesPart>
void add_contest(const std::string& operation, const std::string& input_name,
                 std::shared_ptr<LazyInput> input, TakesPart takes_part) {
  const auto contest = std::make_shared<Contest>([input] { return extent_of(input->get()); });
  const auto add = [&]<class Queue>(std::string_view name) {
    if constexpr (takes_part.template operator()<Queue>()) {
      contest->add(fmt::format("{}/{}/{}", operation, name, input_name), [input] {
        return std::make_unique<QueueContestant<Queue, Ride>>(input->get());
      });
    }
  };
  for_each_type(typename OfField::Queues{},
                [&]<class Queue>() { add.template operator()<Queue>(Queue::name); });
  for_each_type(typename OfField::WithTwins{},
                [&]<class Queue>() { add.template operator()<Queue>(twin_of(Queue::name)); });
}

/// The same of all queues.
template <class OfField, class Ride = AllSteps>
void add_contest(const std::string& operation, const std::string& input_name,
                 std::shared_ptr<LazyInput> input) {
  add_contest<OfField, Ride>(operation, input_name, std::move(input),
                             []<class Queue>() { return true; });
}

/// The input of a workload with so many timers.
inline std::shared_ptr<LazyInput> input_of(const Workload& workload, std::size_t timers) {
  return std::make_shared<LazyInput>([=] {
    return schedules_by_seed([=](std::uint64_t seed) { return workload.make(timers, seed); });
  });
}

/// Calls `add(input_name, input)` for each of these workloads at every size.
template <std::size_t Count, class Add>
void for_each_input(const std::array<Workload, Count>& workloads, Add add) {
  for (const Workload& workload : workloads) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      add(fmt::format("{}/{}", workload.name, n), input_of(workload, n));
    }
  }
}

/// Registers a contest of each of these workloads at every size.
template <class OfField, class Ride = AllSteps, std::size_t Count>
void add_contests(const std::string& operation, const std::array<Workload, Count>& workloads) {
  for_each_input(workloads, [&](const std::string& name, std::shared_ptr<LazyInput> input) {
    add_contest<OfField, Ride>(operation, name, std::move(input));
  });
}

/// What is true of the queues of two lists: ours, and those of libraries; and which have a twin.
template <class Ours, class Libraries, class WithTwins>
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
  for_each_type(WithTwins{},
                [&]<class Queue>() { groups.add_if(true, "twins", twin_of(Queue::name)); });
  return groups;
}

}  // namespace timers::benches
