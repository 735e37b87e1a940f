#pragma once

/// Timers that stay: the workloads and the queues of `staying` and `simulated`.

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "benches/harness/queues/set_timers.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/catalog.hpp"
#include "impls/listed.hpp"
#include "impls/peers/intrusive_wheel.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

/// A workload of the catalog. Its new name says what happens to a timer that stays.
template <std::size_t Count>
constexpr Workload one_of(const std::array<Workload, Count>& workloads, std::string_view name,
                          const char* name_here = nullptr) {
  for (Workload workload : workloads) {
    if (name != workload.name) continue;
    if (name_here != nullptr) workload.name = name_here;
    return workload;
  }
  throw std::logic_error("the catalog has no such workload");
}

inline constexpr std::array kStaying = {
    one_of(kInsert, "warm", "arm"),
    one_of(kCancel, "random", "disarm"),
    one_of(kExpire, "uniform", "expire"),
    one_of(kRearm, "idle"),
    one_of(kRearm, "raft"),
    one_of(kChurn, "rpc"),
    one_of(kChurn, "rpc_mixed"),
    one_of(kChurn, "tcp"),
};

/// The catalog line of a queue whose timers belong to objects of the program.
template <template <class> class Marked, class Line>
using MarkedLine = ListedQueue<Marked<typename Line::Queue>, Line::kFamily, Line::kExpire>;

/// The catalog line of a queue that is measured with timers that stay.
template <class Line>
struct StayingLine {
  using Type = TypeList<>;
};
template <class Line>
requires HasStayingTimers<typename Line::Queue>
struct StayingLine<Line> {
  using Type = TypeList<MarkedLine<Staying, Line>>;
};

template <class... Lines>
Joined<typename StayingLine<Lines>::Type...> with_timers_that_stay(TypeList<Lines...>);
template <class... Lines>
TypeList<MarkedLine<MadeAnew, Lines>...> with_timers_made_anew(TypeList<Lines...>);

/// One queue for each structure that has such timers.
using OnePerStructure = TypeList<  //
    ListedQueue<LazyWheel<Task>, Family::lazy_wheels>,
    ListedQueue<HierarchicalWheel<Task>, Family::hierarchical_wheels>,
    ListedQueue<HashedWheel<Task, 4096>, Family::hashed_wheels>,
    ListedQueue<MinHeap<Task>, Family::heaps>>;
using OursMadeAnew = decltype(with_timers_made_anew(OnePerStructure{}));
using OursThatStay =
    Joined<decltype(with_timers_that_stay(OnePerStructure{})),
           TypeList<ListedQueue<Staying<IntrusiveWheel<Task>>, Family::hierarchical_wheels>>>;

}  // namespace timers::benches
