#pragma once

/// Memory in two conditions: fresh, as in a program that has just started, and aged, as in a
/// program that has run for long.
///
/// Fresh memory is in the order in which it is allocated. Aged memory was allocated by several
/// threads, and another thread freed it in random order. So the next block that a thread gets has
/// any address, is in no near cache, and lies between living timers.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "benches/harness/services/producers.hpp"
#include "benches/harness/services/schedule_plan.hpp"
#include "benches/workloads/random.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {

/// Gives these threads memory for so many timers, in the order of its addresses. The threads have
/// used the memory before. So the service is timed, and not the kernel that clears new pages.
template <class ClockType>
void use_fresh_memory(Producers<ClockType>& producers, std::size_t timers) {
  constexpr std::size_t kBytesOfTimer = 128;
  producers.run([&](std::size_t producer) {
    const Part part = Part{0, timers}.share(producer, producers.count());
    std::vector<std::unique_ptr<std::byte[]>> blocks(part.size());
    for (auto& block : blocks) block = std::make_unique<std::byte[]>(kBytesOfTimer);
  });
}

/// Gives these threads memory of so many timers of a former service, which another thread freed in
/// random order. While this object lives, some of the former timers keep their memory. Otherwise
/// glibc would merge all of it into one piece that is as good as fresh.
template <class Service>
class AgedMemory {
 public:
  AgedMemory(Producers<SteadyClock>& producers, std::size_t timers) {
    std::vector<typename Service::Handle> handles(timers);
    schedule_and_stop(producers, handles);
    std::jthread([&] { free_most(std::move(handles)); }).join();
  }

 private:
  static constexpr std::size_t kOneStaysOf = 16;

  /// A timer that was not cancelled lives on in its handle.
  static void schedule_and_stop(Producers<SteadyClock>& producers,
                                std::vector<typename Service::Handle>& handles) {
    SteadyClock clock;
    Service former(clock);
    producers.run([&](std::size_t producer) {
      Random random(producer);
      const Part part = Part{0, handles.size()}.share(producer, producers.count());
      for (std::size_t i = part.first; i < part.end; ++i) {
        handles[i] = former.schedule(in_one_to_two_hours(random), [] {});
      }
    });
    former.stop();
  }

  void free_most(std::vector<typename Service::Handle> handles) {
    Random random(17);
    shuffle(handles, random);
    const auto staying = static_cast<std::ptrdiff_t>(handles.size() / kOneStaysOf);
    survivors_.assign(handles.begin(), handles.begin() + staying);
  }

  std::vector<typename Service::Handle> survivors_;
};

/// How many timers a former service must have had, so that `timers` new ones all get aged memory.
constexpr std::size_t former_timers_for(std::size_t timers) {
  constexpr std::size_t kLeast = 1'000'000;
  return std::max(timers + timers / 8, kLeast);  // one in 16 stays
}

}  // namespace timers::benches
