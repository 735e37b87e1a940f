#pragma once

/// Memory in two conditions: fresh, as in a program that has just started, and aged, as in one that
/// has run for long.
///
/// Fresh memory lies in the order in which it is allocated. Aged memory was allocated by several
/// threads, and another thread freed it in random order. So the next block that a thread gets lies
/// anywhere, is in no near cache, and has memory of living timers around it.

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

/// Leaves these threads with memory for so many timers that they have used before, in the order of
/// its addresses: what is timed is the service, not the kernel that clears new pages.
template <class ClockType>
void use_fresh_memory(Producers<ClockType>& producers, std::size_t timers) {
  constexpr std::size_t kBytesOfTimer = 128;
  producers.run([&](std::size_t producer) {
    const Part part = Part{0, timers}.share(producer, producers.count());
    std::vector<std::unique_ptr<std::byte[]>> blocks(part.size());
    for (auto& block : blocks) block = std::make_unique<std::byte[]>(kBytesOfTimer);
  });
}

/// Leaves these threads with memory of so many timers of a former service, which another thread
/// freed in random order. For as long as this lives, some of the former timers keep their memory;
/// else glibc would join all of it to one piece that is as good as fresh.
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

}  // namespace timers::benches
