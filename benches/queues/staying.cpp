/// What it saves if a timer stays: it is made once, and armed and disarmed often.
///
///     staying/lazy_wheel_staying/rpc/1000000
///
/// Some of our queues take part twice: with timers that stay, and with timers that are made anew
/// each time. Libraries whose timers stay take part, too, and a wheel whose nodes belong to the
/// user. The cost of an operation includes its share of the expire calls, one a tick.

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/groups.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/harness/queues/set_timers.hpp"
#include "benches/workloads/catalog.hpp"
#include "impls/catalog.hpp"
#include "impls/listed.hpp"
#include "impls/peers/catalog.hpp"
#include "impls/peers/intrusive_wheel.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

/// A workload of the catalog. Its new name says what happens to a timer that stays.
template <std::size_t Count>
constexpr Workload of(const std::array<Workload, Count>& workloads, std::string_view name,
                      const char* name_here = nullptr) {
  for (Workload workload : workloads) {
    if (name != workload.name) continue;
    if (name_here != nullptr) workload.name = name_here;
    return workload;
  }
  throw std::logic_error("the catalog has no such workload");
}

constexpr std::array kWorkloads = {
    of(kInsert, "warm", "arm"),
    of(kCancel, "random", "disarm"),
    of(kExpire, "uniform", "expire"),
    of(kRearm, "idle"),
    of(kRearm, "raft"),
    of(kChurn, "rpc"),
    of(kChurn, "rpc_mixed"),
    of(kChurn, "tcp"),
};

/// The catalog line of a queue that is measured with timers that stay.
template <class Line>
struct StayingLine {
  using Type = TypeList<>;
};
template <class Line>
requires HasStayingTimers<typename Line::Queue>
struct StayingLine<Line> {
  using Type = TypeList<ListedQueue<Staying<typename Line::Queue>, Line::kFamily, Line::kExpire>>;
};

template <class... Lines>
Joined<typename StayingLine<Lines>::Type...> staying(TypeList<Lines...>);

/// One queue for each structure that has such timers.
using Ours = TypeList<  //
    ListedQueue<LazyWheel<Task>, Family::lazy_wheels>,
    ListedQueue<HierarchicalWheel<Task>, Family::hierarchical_wheels>,
    ListedQueue<HashedWheel<Task, 4096>, Family::hashed_wheels>,
    ListedQueue<MinHeap<Task>, Family::heaps>>;
using OursThatStay =
    Joined<decltype(staying(Ours{})),
           TypeList<ListedQueue<Staying<IntrusiveWheel<Task>>, Family::hierarchical_wheels>>>;
using Libraries = decltype(staying(PeerCatalog<Task>{}));
using WithTwins = TypeList<Staying<LazyWheel<Task>>>;

Field field() {
  Field field = field_of<AllSteps>(QueuesOf<Joined<Ours, OursThatStay, Libraries>>{});
  add_twins(field, WithTwins{});
  return field;
}

/// The queues of the whole catalog come first, as in other benches, so that all keep their places
/// in charts.
Groups groups() {
  return groups_of_queues<Joined<QueueCatalog<Task>, OursThatStay>, Libraries, WithTwins>();
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_contests("staying", kWorkloads, field());
  return run_benchmarks(argc, argv, groups());
}
