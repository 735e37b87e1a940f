#pragma once

/// Benchmarks of queues: every queue that is measured, on every input.
///
/// Their names are operation/queue/workload/n. All queues of an input are one contest. Some queues
/// have a *twin*: an equal queue under another name. The difference between twins shows how large a
/// difference between other queues must be to mean something.

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
#include "benches/harness/queues/proof.hpp"
#include "benches/harness/queues/queue_contestant.hpp"
#include "benches/workloads/catalog.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/listed.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

/// A queue that enters contests.
struct Entry {
  std::string name;
  std::unique_ptr<Contestant> (*make)(const Input&);
};

/// The queues that enter a contest.
using Field = std::vector<Entry>;

/// The queues of a list, which take the steps by `Ride`. Queues that do not support it are left
/// out.
template <class Ride, class... Queues>
Field field_of(TypeList<Queues...> queues) {
  Field field;
  for_each_type(queues, [&]<class Queue>() {
    if constexpr (Ride::template kCanBeTakenBy<Queue>) {
      field.push_back({std::string(Queue::name), [](const Input& input) {
                         return std::unique_ptr<Contestant>(
                             std::make_unique<QueueContestant<Queue, Ride>>(input));
                       }});
    }
  });
  return field;
}

/// Adds a twin for each queue of the list that is in the field.
template <class... Queues>
void add_twins(Field& field, TypeList<Queues...> queues) {
  const Field singles = field;
  for_each_type(queues, [&]<class Queue>() {
    for (const Entry& entry : singles) {
      if (entry.name == Queue::name) field.push_back({twin_of(entry.name), entry.make});
    }
  });
}

/// Registers a benchmark for each queue of the field on the input.
inline void add_contest(const std::string& operation, const std::string& input_name,
                        const std::shared_ptr<LazyInput>& input, const Field& field) {
  const auto contest = std::make_shared<Contest>([=] { return extent_of(input->get()); });
  for (const Entry& entry : field) {
    contest->add(fmt::format("{}/{}/{}", operation, entry.name, input_name),
                 [=] { return entry.make(input->get()); });
  }
}

/// The input of a workload with this number of timers.
inline std::shared_ptr<LazyInput> input_of(const Workload& workload, std::size_t timers) {
  return std::make_shared<LazyInput>([=] {
    return schedules_by_seed([=](std::uint64_t seed) { return workload.make(timers, seed); });
  });
}

/// Registers a contest of each of these workloads at every size.
template <std::size_t Count>
void add_contests(const std::string& operation, const std::array<Workload, Count>& workloads,
                  const Field& field) {
  for (const Workload& workload : workloads) {
    for (std::size_t n = workload.smallest; n <= kLargest; n *= 10) {
      add_contest(operation, fmt::format("{}/{}", workload.name, n), input_of(workload, n), field);
    }
  }
}

/// The groups of the queues of two lists, ours and those of libraries, and the queues with twins.
template <class Ours, class Libraries, class WithTwins>
Groups groups_of_queues() {
  Groups groups;
  const auto add = [&]<class Line>(bool of_library) {
    const std::string_view name = Line::Queue::name;
    groups.add(Line::kFamily, name);
    groups.add_if(of_library, "libraries", name);
    groups.add_if(Line::kExpire == Expire::turns_a_loop, "turning_loops", name);
    groups.add_if(kMayBeLate<typename Line::Queue>, "late", name);
  };
  for_each_type(Ours{}, [&]<class Line>() { add.template operator()<Line>(false); });
  for_each_type(Libraries{}, [&]<class Line>() { add.template operator()<Line>(true); });
  for_each_type(WithTwins{},
                [&]<class Queue>() { groups.add_if(true, "twins", twin_of(Queue::name)); });
  return groups;
}

}  // namespace timers::benches
