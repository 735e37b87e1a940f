/// How many instructions the schemes of Varghese & Lauck (1987) take, depending on the number of
/// timers and on the size of the table.
///
///     schemes/hashed_wheel_256/empty_tick/1024
///
/// They gave the cost of their scheme 6 in VAX instructions: 13 to insert a timer, and 7 to delete
/// one. A tick costs 4, plus 6 for each timer that it passes, plus 9 for each timer that it runs.
/// Here the same is counted for our hashed wheel, with tables of 2^8 to 2^14 buckets. It is also
/// counted for an ordered list, a heap and a hierarchy of wheels (schemes 2, 3 and 7), and for the
/// lazy wheel.
///
///     insert       of the hold model, with exponential delays of 2^10 ticks in the mean
///     cancel       of a remote call that was answered
///     empty_tick   a tick in which nothing is due
///     tick         a tick in which one timer in a thousand is due
///
/// How far an insert into the list searches depends on the delays. So the list has three more
/// cases:
///
///     insert_exponential   of the hold model, with exponential delays of 2^20 ticks on average
///     insert_uniform       the same with uniform delays
///     insert_first         of a timer that is due before all others
///
/// Only these verbs are counted. The counts of `no_queue` are the share of the harness. When a
/// timer expires, the harness also updates its proof: the case `no_queue/proof` counts that.
/// scripts/schemes.py runs this program under valgrind, and stores the counts.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/queues/counted_benchmarks.hpp"
#include "benches/harness/queues/counted_pass.hpp"
#include "benches/harness/queues/playback.hpp"
#include "benches/harness/queues/window.hpp"
#include "benches/queues/measured/ordered_list.hpp"
#include "benches/workloads/bulk.hpp"
#include "benches/workloads/calls.hpp"
#include "benches/workloads/hold.hpp"
#include "benches/workloads/periodic.hpp"
#include "benches/workloads/schedule.hpp"
#include "impls/queues/hashed_wheel.hpp"
#include "impls/queues/hierarchical_wheel.hpp"
#include "impls/queues/lazy_wheel.hpp"
#include "impls/queues/min_heap.hpp"
#include "impls/timer_queue.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

/// With more timers than this, it takes minutes to fill an ordered list under valgrind.
constexpr std::size_t kMostInAList = 4'096;
constexpr std::array<std::size_t, 7> kTimers = {16, 64, 256, 1'024, 4'096, 16'384, 65'536};
constexpr std::uint64_t kSeed = 1;

using Lists = TypeList<NoQueue, OrderedList<Task>>;
using Others = TypeList<        //
    MinHeap<Task>,              //
    HashedWheel<Task, 256>,     //
    HashedWheel<Task, 1'024>,   //
    HashedWheel<Task, 4'096>,   //
    HashedWheel<Task, 16'384>,  //
    HierarchicalWheel<Task>,    //
    LazyWheel<Task>>;

/// Inserts timers that are due before all of the `timers` that wait. Each is cancelled again.
Schedule insert_first(std::size_t timers, std::uint64_t /*seed*/) {
  constexpr Tick kFirst = 1'000;
  constexpr std::uint32_t kInserts = 1'000;
  ScheduleBuilder builder;
  const auto waiting = static_cast<std::uint32_t>(timers);
  std::uint32_t line = 0;
  for (std::uint32_t slot = 0; slot < waiting; ++slot) {
    builder.insert(slot, kFirst + 1 + slot, ++line);
  }
  builder.begin_measurement();
  for (std::uint32_t i = 0; i < kInserts; ++i) {
    builder.insert(waiting, kFirst, ++line);
    builder.cancel(waiting, ++line);
  }
  return std::move(builder).finish(Operation::verb);
}

struct Work {
  const char* name;
  Schedule (*make)(std::size_t timers, std::uint64_t seed);
  Step::Verb counted;
  std::size_t most_steps;
};

/// The number of empty ticks is the number of buckets of the largest table.
constexpr std::array kWork = {
    Work{"insert", &hold_short, Step::Verb::insert, 4'000},
    Work{"cancel", &rpc, Step::Verb::cancel, 8'000},
    Work{"empty_tick", &empty_ticks, Step::Verb::expire, 16'384},
    Work{"tick", &one_delay, Step::Verb::expire, 16'384},
};
constexpr std::array kWorkOfLists = {
    Work{"insert_exponential", &hold_exponential, Step::Verb::insert, 4'000},
    Work{"insert_uniform", &hold_uniform, Step::Verb::insert, 4'000},
    Work{"insert_first", &insert_first, Step::Verb::insert, 4'000},
};

/// Updates the proof as if a timer expired in each step, but takes no step.
class CountProofs {
 public:
  template <class AnyPlayback, class Witness>
  [[gnu::noinline, gnu::flatten]] bool operator()(AnyPlayback& replay, std::size_t end,
                                                  Witness& witness) const {
    for (; replay.position() != end; replay.skip_to(replay.position() + 1)) {
      witness.expired(replay.next_step().tick, replay.next_step().line);
    }
    return true;
  }

  static std::size_t operations(std::size_t of_steps) { return of_steps; }
};

template <class Queues>
void add_work(const Work& work, std::size_t timers) {
  const auto input = std::make_shared<CountedCase>([=] {
    Schedule schedule = work.make(timers, kSeed);
    cut_to_window(schedule, work.most_steps);
    return schedule;
  });
  const std::string name = fmt::format("{}/{}", work.name, timers);
  for_each_type(Queues{}, [&]<class Queue>() {
    if (Queue::name == OrderedList<Task>::name && timers > kMostInAList) return;
    add_counted<Queue>("schemes", name, input, [verb = work.counted](const Schedule& schedule) {
      return CountVerb(schedule, verb);
    });
  });
}

void add_all() {
  for (const std::size_t timers : kTimers) {
    for (const Work& work : kWork) add_work<Joined<Lists, Others>>(work, timers);
    if (timers > kMostInAList) continue;
    for (const Work& work : kWorkOfLists) add_work<Lists>(work, timers);
  }
  add_counted<NoQueue>("schemes", "proof/1000",
                       std::make_shared<CountedCase>([] { return insert_growing(1'000, kSeed); }),
                       [](const Schedule& /*schedule*/) { return CountProofs(); });
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
