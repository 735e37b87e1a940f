#pragma once

/// What is measured as a queue: those of the catalog, and beside them those of libraries.

#include <benchmark/benchmark.h>

#include <string>

#include "benches/harness.hpp"
#include "benches/replay.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"

namespace timers::benches {

template <class... Ours, class... Theirs>
TypeList<Ours..., Theirs...> joined(TypeList<Ours...>, TypeList<Theirs...>);

using MeasuredQueues = decltype(joined(TimerQueues<Task>{}, PeerQueues<Task>{}));

/// run_benchmarks of a program that measures queues: says which of them are libraries'.
inline int run_queue_benchmarks(int argc, char** argv) {
  std::string libraries;
  for_each_type(PeerQueues<Task>{}, [&]<class Queue>() {
    libraries += (libraries.empty() ? "" : " ") + std::string(Queue::name);
  });
  benchmark::AddCustomContext("libraries", libraries);
  return run_benchmarks(argc, argv);
}

}  // namespace timers::benches
