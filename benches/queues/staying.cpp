/// What it saves if a timer stays: it is made once, and armed and disarmed often.
///
///     staying/lazy_wheel_staying/rpc/1000000
///
/// Some of our queues take part twice: with timers that stay, and with timers that are made anew
/// each time. Libraries whose timers stay take part, too, and a wheel whose nodes belong to the
/// user. The cost of an operation includes its share of the expire calls, one a tick.

#include "benches/queues/measured/staying.hpp"

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/groups.hpp"
#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/harness/queues/set_timers.hpp"
#include "impls/catalog.hpp"
#include "impls/listed.hpp"
#include "impls/peers/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

using Libraries = decltype(with_timers_that_stay(PeerCatalog<Task>{}));
using WithTwins = TypeList<Staying<LazyWheel<Task>>>;

Field field() {
  Field field = field_of<AllSteps>(QueuesOf<Joined<OursMadeAnew, OursThatStay, Libraries>>{});
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
  add_contests("staying", kStaying, field());
  return run_benchmarks(argc, argv, groups());
}
