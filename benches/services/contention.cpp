/// The cost of calls to a timer service, when 1, 2, 4 or 8 threads make them at the same time.
///
///     contention/hashed_wheel_timer/schedule_4/1000000
///     contention/hashed_wheel_timer/schedule_4_aged/1000
///
/// A service has n timers pending, due in one to two hours, so that nothing runs. Each producer is
/// a thread of its own. The producers make calls in slices of some milliseconds, and begin each
/// slice together. The wall time is from the first call to the last, divided by the number of
/// calls. With one producer this is the duration of a call; with several it is the inverse of the
/// throughput. The processor time is that of all threads until no work is left: of the producers,
/// and of the service, which files the timers that the producers left. A further figure is how
/// often the threads of the service slept and were woken, for a deadline or for a lock. Before each
/// timed slice the producers make an untimed one. Each figure is the median over all timed slices.
///
/// The timers of schedule, ascending and descending stay. So n is the number of pending timers at
/// the beginning. At the end of a turn it is larger by the number of calls.
///
/// All services take turns, in random order, until the time is over (`--seconds`). In each turn the
/// service has a process of its own, so that no service finds the memory that another one left.
/// This memory is fresh, as in a program that has just started, or aged, as in a program that has
/// run for long: see aged_memory.hpp.
///
/// At the end of a turn some calls are timed one by one, for p99_ns. So the clock is not read in
/// the slices that give the other figures. Services have their default options.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/child_process.hpp"
#include "benches/harness/contest.hpp"
#include "benches/harness/services/aged_memory.hpp"
#include "benches/harness/services/call_slices.hpp"
#include "benches/harness/services/loaded_service.hpp"
#include "benches/harness/services/other_threads.hpp"
#include "benches/harness/services/producers.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/services/measured_services.hpp"
#include "benches/workloads/random.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;

/// A service wakes its thread when 16384 timers wait for it. A slice holds some such wake-ups, so
/// that the thread works while the producers call. If a slice had as many calls as make one
/// wake-up, the thread would always begin when the slice ends.
constexpr std::size_t kCallsOfSlice = 3 << 14;

/// A turn has pairs of an untimed slice and a timed one, and a last slice for single calls.
constexpr std::size_t kPairs = 3;
constexpr std::size_t kSlices = 2 * kPairs + 1;
constexpr std::size_t kCallsOfTurn = kSlices * kCallsOfSlice;

constexpr Part slice_at(std::size_t slice) {
  return {slice * kCallsOfSlice, (slice + 1) * kCallsOfSlice};
}

/// Calls `visit(slice, part)` with this producer's part of each slice.
template <class Visit>
void for_each_share(std::size_t producer, std::size_t producers, Visit visit) {
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    visit(slice, slice_at(slice).share(producer, producers));
  }
}

/// The delays of all calls. In a slice, the producers make their first calls at the same time, then
/// their second ones, and so on.
template <class Workload>
std::vector<Duration> delays_of(std::size_t producers) {
  Random random(7);
  std::vector<Duration> delays(kCallsOfTurn);
  for (std::size_t producer = 0; producer < producers; ++producer) {
    for_each_share(producer, producers, [&](std::size_t slice, Part part) {
      for (std::size_t i = part.first; i < part.end; ++i) {
        const std::size_t rank = (i - part.first) * producers + producer;
        delays[i] = Workload::delay(slice * kCallsOfSlice + rank, random);
      }
    });
  }
  return delays;
}

/// All calls, in an order in which the calls of one producer in one slice are shuffled.
std::vector<std::size_t> shuffled_in_slices(std::size_t producers) {
  Random random(11);
  std::vector<std::size_t> order(kCallsOfTurn);
  for (std::size_t producer = 0; producer < producers; ++producer) {
    for_each_share(producer, producers, [&](std::size_t, Part part) {
      std::vector<std::size_t> of_part(part.size());
      std::iota(of_part.begin(), of_part.end(), part.first);
      shuffle(of_part, random);
      std::copy(of_part.begin(), of_part.end(),
                order.begin() + static_cast<std::ptrdiff_t>(part.first));
    });
  }
  return order;
}

/// A workload: the delays of its timers; which timers are scheduled before the first slice, and by
/// which thread; and a call. In this workload a call schedules.
struct Schedule {
  static constexpr const char* name = "schedule";
  static constexpr bool kStay = true;  // Its timers are pending at the end.
  static constexpr bool kOthersSchedule = false;
  static constexpr bool kRearms = false;

  static Duration delay(std::size_t /*rank*/, Random& random) {
    return in_one_to_two_hours(random);
  }

  /// The timer that each call uses, if that is not its own.
  static std::vector<std::size_t> order(std::size_t producers, std::size_t /*n*/) {
    return shuffled_in_slices(producers);
  }

  template <class Service>
  static void prepare(Loaded<Service>&, Part) {}

  template <class Service>
  static void call(Loaded<Service>& loaded, std::size_t i) {
    loaded.schedule(i);
  }
};

/// Each timer is due after all that its producer has scheduled so far. It is also due after those
/// of the other producers, unless they are ahead.
struct Ascending : Schedule {
  static constexpr const char* name = "ascending";
  static Duration delay(std::size_t rank, Random&) { return 2h + rank * 1ms; }
};

/// Each timer is due before all that its producer has scheduled so far. It is also due before those
/// of the other producers, unless they are ahead. The first ones are due before all timers that
/// were pending.
struct Descending : Schedule {
  static constexpr const char* name = "descending";
  static Duration delay(std::size_t rank, Random&) { return 50min - rank * 1ms; }
};

/// A call schedules a timer and cancels it.
struct ScheduleAndCancel : Schedule {
  static constexpr const char* name = "schedule_cancel";
  static constexpr bool kStay = false;

  template <class Service>
  static void call(Loaded<Service>& loaded, std::size_t i) {
    loaded.schedule(i);
    loaded.cancel(i);
  }
};

/// Each producer cancels the timers that it scheduled, in random order.
struct CancelOwn : Schedule {
  static constexpr const char* name = "cancel";
  static constexpr bool kStay = false;

  template <class Service>
  static void prepare(Loaded<Service>& loaded, Part part) {
    for (std::size_t i = part.first; i < part.end; ++i) loaded.schedule(i);
  }
  template <class Service>
  static void call(Loaded<Service>& loaded, std::size_t i) {
    loaded.cancel_in_random_order(i);
  }
};

/// Each producer cancels timers that another thread scheduled; that thread sleeps.
struct CancelOther : CancelOwn {
  static constexpr const char* name = "cancel_other";
  static constexpr bool kOthersSchedule = true;
};

/// Each producer puts off its share of the n timers, in random order. A server does this for each
/// packet with the time limit of the connection.
struct PutOff : Schedule {
  static constexpr const char* name = "put_off";
  static constexpr bool kStay = false;
  static constexpr bool kRearms = true;

  static std::vector<std::size_t> order(std::size_t producers, std::size_t n) {
    Random random(11);
    std::vector<std::size_t> order(kCallsOfTurn);
    for (std::size_t producer = 0; producer < producers; ++producer) {
      const Part own = Part{0, n}.share(producer, producers);
      for_each_share(producer, producers, [&](std::size_t, Part part) {
        for (std::size_t i = part.first; i < part.end; ++i) {
          order[i] = own.first + random.next() % own.size();
        }
      });
    }
    return order;
  }

  template <class Service>
  static void call(Loaded<Service>& loaded, std::size_t i) {
    loaded.put_off(i);
  }
};

using Workloads =
    TypeList<Schedule, Ascending, Descending, CancelOwn, CancelOther, ScheduleAndCancel, PutOff>;

/// The memory that timers get.
enum class Memory { fresh, aged };

/// Prepares memory in this condition: for n timers, and for the timers that the calls schedule. The
/// condition lasts as long as the returned object lives.
template <class Service>
std::optional<AgedMemory<Service>> prepare(Memory memory, Producers<SteadyClock>& schedulers,
                                           std::size_t n) {
  if (memory == Memory::aged)
    return AgedMemory<Service>(schedulers, former_timers_for(n + kCallsOfTurn));
  use_fresh_memory(schedulers, kCallsOfTurn);
  return std::nullopt;
}

struct CostsOfTurn {
  std::array<CallCost, kPairs> slices;
  double p99_ns;
};

template <class Service, class Workload>
CostsOfTurn costs_of(Loaded<Service>& loaded, CallSlices<SteadyClock>& slices) {
  const auto call = [&](std::size_t i) { Workload::call(loaded, i); };
  CostsOfTurn costs{};
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    slices.cost_of(slice_at(2 * pair), call);
    costs.slices[pair] = slices.cost_of(slice_at(2 * pair + 1), call);
  }
  costs.p99_ns = slices.p99_ns_of(slice_at(2 * kPairs), call);
  return costs;
}

/// What a turn needs to know of a workload on a service of this type.
template <class Service>
struct WorkloadOn {
  bool stay;
  bool others_schedule;
  std::vector<Duration> (*delays)(std::size_t producers);
  std::vector<std::size_t> (*order)(std::size_t producers, std::size_t n);
  void (*prepare)(Loaded<Service>& loaded, Part part);
  CostsOfTurn (*costs)(Loaded<Service>& loaded, CallSlices<SteadyClock>& slices);
};

template <class Service>
CostsOfTurn turn(const WorkloadOn<Service>& workload, Memory memory, std::size_t producers,
                 std::size_t n) {
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());  // freed memory stays in the process
  SteadyClock clock;
  Producers callers(clock, producers);
  Producers others(clock, workload.others_schedule ? producers : 0);
  Producers<SteadyClock>& schedulers = workload.others_schedule ? others : callers;
  const auto aged = prepare<Service>(memory, schedulers, n);
  const OtherThreads before;
  Loaded<Service> loaded(n, workload.delays(producers), workload.order(producers, n));
  CallSlices slices(clock, callers, OtherThreads().since(before));
  schedulers.run([&](std::size_t producer) {
    for_each_share(producer, producers,
                   [&](std::size_t, Part part) { workload.prepare(loaded, part); });
  });
  const CostsOfTurn costs = workload.costs(loaded, slices);
  loaded.prove(workload.stay ? n + kCallsOfTurn : n);
  return costs;
}

using Turn = CostsOfTurn (*)(Memory memory, std::size_t producers, std::size_t n);

template <class Service, class Workload>
CostsOfTurn turn_of(Memory memory, std::size_t producers, std::size_t n) {
  constexpr WorkloadOn<Service> kWorkload = {
      .stay = Workload::kStay,
      .others_schedule = Workload::kOthersSchedule,
      .delays = &delays_of<Workload>,
      .order = &Workload::order,
      .prepare = &Workload::template prepare<Service>,
      .costs = &costs_of<Service, Workload>,
  };
  return turn<Service>(kWorkload, memory, producers, n);
}

class Calls final : public Contestant {
 public:
  Calls(Turn turn, Memory memory, std::size_t producers, std::size_t n)
      : turn_(turn), memory_(memory), producers_(producers), n_(n) {}

  void take_turn(std::size_t, std::size_t) override {
    const CostsOfTurn costs = in_child_process([this] { return turn_(memory_, producers_, n_); });
    slices_.insert(slices_.end(), costs.slices.begin(), costs.slices.end());
    p99s_ns_.push_back(costs.p99_ns);
  }

  void report(benchmark::State& state) const override {
    const CallCost cost = median_of(slices_);
    const auto operations = static_cast<double>(slices_.size() * kCallsOfSlice);
    state.SetIterationTime(cost.wall_ns * operations * 1e-9);
    state.counters["ns_per_operation"] = cost.wall_ns;
    state.counters["cpu_ns_per_operation"] = cost.processor_ns;
    state.counters["wakes_per_operation"] = cost.wakes;
    state.counters["p99_ns"] = median_of(p99s_ns_);
    state.counters["operations"] = operations;
    state.counters["slices"] = static_cast<double>(slices_.size());
  }

 private:
  Turn turn_;
  Memory memory_;
  std::size_t producers_;
  std::size_t n_;
  std::vector<CallCost> slices_;
  std::vector<double> p99s_ns_;
};

template <class Workload>
void add_contest(Memory memory, std::size_t producers, std::size_t n) {
  const auto contest = std::make_shared<Contest>([] { return Extent{}; });
  for_each_service([&]<class Service>(const std::string& name) {
    if constexpr (RearmingService<Service> || !Workload::kRearms) {
      contest->add(fmt::format("contention/{}/{}_{}{}/{}", name, Workload::name, producers,
                               memory == Memory::aged ? "_aged" : "", n),
                   [=, turn = &turn_of<Service, Workload>] {
                     return std::make_unique<Calls>(turn, memory, producers, n);
                   });
    }
  });
}

void add_all() {
  for (const std::size_t n : {1'000U, 1'000'000U}) {
    for (const std::size_t producers : {1U, 2U, 4U, 8U}) {
      for_each_type(Workloads{}, [=]<class Workload>() {
        for (const Memory memory : {Memory::fresh, Memory::aged}) {
          add_contest<Workload>(memory, producers, n);
        }
      });
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  using namespace timers::benches;
  add_all();
  return run_benchmarks(argc, argv, groups_with_twin());
}
