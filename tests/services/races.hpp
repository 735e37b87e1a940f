#pragma once

/// Races: rounds in which threads contend for the timers of one service.
///
/// The clock is a manual one, so that only the order of events matters. A round finds as much on a
/// slow machine as on a fast one. Each race runs one round with a fresh service, and adds what it
/// saw to a tally. Some members are not atomic on purpose: the service promises that no thread
/// writes them while another reads, and ThreadSanitizer checks that.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/conformance/threads_together.hpp"

namespace timers {

using conformance::any_span;
using conformance::dawdle;
using conformance::Random;
using conformance::together;
using service_conformance::AnyService;
using service_conformance::ServiceKind;

/// How a race may end for one timer, or one call.
enum class Outcome {
  ran,
  ran_meanwhile,  ///< While other timers were scheduled.
  ran_later,      ///< When all timers were scheduled.
  cancelled,      ///< Before it ran.
  running,        ///< Cancelled while it ran.
  returned,       ///< By stop.
  destroyed,      ///< With its service.
  accepted,       ///< There was room for it; or a re-arm was in time.
  rejected,       ///< The service was stopped or full; or a re-arm came too late.
  interleaved,    ///< Another thread had scheduled since this thread's last schedule.
  uninterrupted,  ///< No other thread had.
  met_it_awake,   ///< The thread of the service was not asleep yet.
  met_it_asleep,
};
inline constexpr std::array<const char*, 13> kOutcomeNames = {
    "ran",           "ran_meanwhile", "ran_later",    "cancelled", "running",
    "returned",      "destroyed",     "accepted",     "rejected",  "interleaved",
    "uninterrupted", "met_it_awake",  "met_it_asleep"};
static_assert(static_cast<std::size_t>(Outcome::met_it_asleep) + 1 == kOutcomeNames.size());

/// What was seen in some rounds.
struct Tally {
  std::uint64_t loops = 0;  ///< The timers, or the calls; each of them was a race.
  std::array<std::uint64_t, kOutcomeNames.size()> outcomes{};
  const char* fault = nullptr;  ///< The first fault, in words.

  std::uint64_t& operator[](Outcome outcome) { return outcomes[static_cast<std::size_t>(outcome)]; }
  std::uint64_t operator[](Outcome outcome) const {
    return outcomes[static_cast<std::size_t>(outcome)];
  }
  void object(const char* what) {
    if (fault == nullptr) fault = what;
  }
  Tally& operator+=(const Tally& other) {
    loops += other.loops;
    for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
    if (other.fault != nullptr) object(other.fault);
    return *this;
  }
};

struct Race {
  void (*run)(const ServiceKind& kind, Random& random, Tally& tally);
  std::vector<Outcome> outcomes;
  bool (*is_one_for)(const ServiceKind& kind) = [](const ServiceKind&) { return true; };

  /// Whether each outcome occurred. If not, there was no race.
  bool was_run(const Tally& tally) const {
    return std::all_of(outcomes.begin(), outcomes.end(),
                       [&](Outcome outcome) { return tally[outcome] > 0; });
  }
};

/// The width of a `dawdle` in which a thread without work may or may not go to sleep, and a thread
/// that was told to stop may or may not end.
inline constexpr unsigned kUntilAsleep = 18;

/// The traces of one timer. The counters are relaxed: they order nothing.
struct Footprint {
  std::uint64_t given = 0;              // written by the thread that schedules, read by the task
  std::unique_ptr<std::uint64_t> used;  // read by the task; destroyed by the thread that cancels
  std::uint64_t taken = 0;              // written by the task, read by a thread that finds the
                                        // timer gone
  Instant not_before;
  bool accepted = false;
  std::atomic<int> starts = 0;
  std::atomic<int> ends = 0;
  std::atomic<int> cancels = 0;

  void prepare(Random& random) {
    given = random.bits() | 1;
    used = std::make_unique<std::uint64_t>(given);
  }
  void run() {
    starts.fetch_add(1, std::memory_order_relaxed);
    taken = *used;
    ends.fetch_add(1, std::memory_order_relaxed);
  }
  int started() const { return starts.load(std::memory_order_relaxed); }
  int ended() const { return ends.load(std::memory_order_relaxed); }

  /// Cancels the timer and checks the answer of the service.
  void cancel(AnyService& service, const AnyService::Handle& handle, Tally& tally) {
    switch (service.cancel(handle)) {
      case CancelResult::cancelled:
        if (cancels.fetch_add(1, std::memory_order_relaxed) > 0) {
          tally.object("a timer was cancelled twice");
        }
        used.reset();
        ++tally[Outcome::cancelled];
        break;
      case CancelResult::running:
        ++tally[Outcome::running];
        break;
      case CancelResult::gone:
        if (started() > 0 && taken != given) tally.object("what a task wrote cannot be seen");
        break;
    }
  }
};

/// Checks that each timer either has run or was cancelled, and only once.
inline void expect_one_winner(const std::vector<Footprint>& footprints, Tally& tally) {
  tally.loops += footprints.size();
  for (const Footprint& footprint : footprints) {
    const int starts = footprint.started();
    const int ends = starts + footprint.cancels.load(std::memory_order_relaxed);
    tally[Outcome::ran] += static_cast<std::uint64_t>(starts);
    if (ends == 0) tally.object("a timer neither ran nor was cancelled");
    if (ends > 1) tally.object("a timer ran twice, or ran and was cancelled");
  }
}

/// Timers of one service, and their traces.
struct Pending {
  std::vector<Footprint> footprints;
  std::vector<AnyService::Handle> handles;

  /// Schedules `count` timers, which all run before `longest` is over.
  Pending(AnyService& service, std::size_t count, Duration longest, Random& random)
      : footprints(count) {
    for (Footprint& footprint : footprints) {
      footprint.prepare(random);
      handles.push_back(
          service.schedule(any_span(random, longest), [&footprint] { footprint.run(); }));
    }
  }

  /// Cancels some of the timers, and drops their handles. `mine` are the handles of this thread.
  void cancel_some(AnyService& service, std::vector<AnyService::Handle> mine, Random random,
                   Tally& tally) {
    const std::size_t first = random.below(footprints.size());
    const std::size_t count = random.below(footprints.size() + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t chosen = (first + i * 7) % footprints.size();
      footprints[chosen].cancel(service, std::exchange(mine[chosen], {}), tally);
      if (service.pending() > footprints.size()) {
        tally.object("more timers are pending than there were");
      }
    }
  }
};

/// C-01, C-03, C-04, C-05, C-15, C-16, C-23: two threads cancel timers that a third one lets
/// expire, in one jump or in steps in which wheels cascade.
inline void cancel_against_expiry(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 1000;
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration longest(1 + random.up_to_bits(42));
  Pending timers(*service, kTimers, longest, random);
  Tally one;
  Tally other;
  const std::uint64_t seed = random.bits();
  const auto steps = static_cast<int>(1 + random.below(10));
  const auto cancel_some = [&](Random mine, Tally& seen) {
    dawdle(mine);
    timers.cancel_some(*service, timers.handles, mine, seen);
  };
  together({[&] { cancel_some(Random(seed), one); }, [&] { cancel_some(Random(seed + 1), other); },
            [&] {
              for (int i = 0; i < steps; ++i) clock.advance_by(longest / steps);
            }});
  clock.advance_by(longest + service->max_lateness());
  tally += one;
  tally += other;
  expect_one_winner(timers.footprints, tally);
  if (service->pending() != 0) tally.object("a timer is pending that ran or was cancelled");
}

/// C-19, C-23: one thread cancels timers that only it knows, while another one stops their service.
inline void cancel_against_stop(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 1000;
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration longest = 2 * service->max_lateness() + Duration(1 + random.up_to_bits(30));
  Pending timers(*service, kTimers, longest, random);
  clock.advance_by(any_span(random, longest));
  std::vector<TimerTask> never_ran;
  Tally seen;
  Random mine(random.bits());
  together({[&] {
              dawdle(mine, kUntilAsleep);
              timers.cancel_some(*service, std::move(timers.handles), mine, seen);
            },
            [&] { never_ran = service->stop(); }});
  tally += seen;
  tally[Outcome::returned] += never_ran.size();
  for (TimerTask& task : never_ran) {
    if (task) task();
  }
  expect_one_winner(timers.footprints, tally);
  if (service->pending() != 0) tally.object("a timer is pending though its service was stopped");
}

/// C-01, C-02, C-03, C-04: one thread cancels timers that are about to run next, as long as there
/// are any.
inline void cancel_against_start(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 1000;
  constexpr std::size_t kAhead = 3;
  ManualClock clock;
  const auto service = kind.make(clock);
  std::vector<Footprint> footprints(kTimers);
  std::vector<AnyService::Handle> handles;
  std::atomic<std::size_t> next = 0;  // the number after the timer that ran last
  for (std::size_t i = 0; i < kTimers; ++i) {
    footprints[i].prepare(random);
    handles.push_back(service->schedule(Duration(1 + i), [&footprint = footprints[i], &next, i] {
      next.store(i + 1, std::memory_order_relaxed);
      footprint.run();
    }));
  }
  Tally seen;
  Random mine(random.bits());
  std::atomic<bool> over = false;
  together({[&] {
              while (!over) {
                const std::size_t first = next.load(std::memory_order_relaxed);
                const std::size_t chosen = std::min(first + mine.below(kAhead), kTimers - 1);
                footprints[chosen].cancel(*service, handles[chosen], seen);
              }
            },
            [&] {
              clock.advance_by(Duration(kTimers) + service->max_lateness());
              over = true;
            }});
  tally += seen;
  expect_one_winner(footprints, tally);
}

/// Two threads re-arm timers that are about to run, to earlier and to later deadlines, while a
/// third lets time pass. Each timer belongs to one of the two, which knows its last deadline.
inline void rearm_against_start(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 200;
  struct Timer {
    AnyService::Handle handle;
    Instant not_before;
    Instant ran_at;
    std::atomic<int> runs = 0;
  };
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration longest = 4 * service->max_lateness() + Duration(1 + random.up_to_bits(20));
  std::vector<Timer> timers(kTimers);
  for (Timer& timer : timers) {
    timer.handle = service->schedule(any_span(random, longest), [&timer, &clock] {
      timer.ran_at = clock.now();
      timer.runs.fetch_add(1, std::memory_order_relaxed);
    });
  }
  std::atomic<bool> over = false;
  const auto rearm_mine = [&](std::size_t mine, Random at_random, Tally& seen) {
    while (!over) {
      Timer& timer = timers[2 * at_random.below(kTimers / 2) + mine];
      const Duration delay = any_span(at_random, longest);
      const Instant earliest = after(clock.now(), delay);
      const bool rearmed = service->rearm(timer.handle, delay);
      if (rearmed) timer.not_before = earliest;
      ++seen[rearmed ? Outcome::accepted : Outcome::rejected];
      ++seen.loops;
    }
  };
  std::array<Tally, 2> seen;
  const std::uint64_t seed = random.bits();
  together({[&] { rearm_mine(0, Random(seed), seen[0]); },
            [&] { rearm_mine(1, Random(seed + 1), seen[1]); },
            [&] {
              for (int i = 0; i < 20; ++i) clock.advance_by(longest / 10);
              over = true;
            }});
  clock.advance_by(longest + service->max_lateness());
  for (const Tally& one : seen) tally += one;
  for (const Timer& timer : timers) {
    if (timer.runs != 1) tally.object("a timer that was re-armed did not run once");
    if (timer.ran_at < timer.not_before) {
      tally.object("a timer ran before the deadline that it was re-armed to");
    }
  }
  if (service->pending() != 0) tally.object("a timer is pending that ran");
}

/// One thread re-arms timers to earlier and to later deadlines, while another one stops their
/// service.
inline void rearm_against_stop(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 200;
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration longest = 2 * service->max_lateness() + Duration(1 + random.up_to_bits(30));
  Pending timers(*service, kTimers, longest, random);
  clock.advance_by(any_span(random, longest));
  std::vector<TimerTask> never_ran;
  std::atomic<bool> over = false;
  Tally seen;
  Random mine(random.bits());
  together({[&] {
              while (!over) {
                const bool rearmed = service->rearm(timers.handles[mine.below(kTimers)],
                                                    any_span(mine, 2 * longest));
                ++seen[rearmed ? Outcome::accepted : Outcome::rejected];
                ++seen.loops;
              }
            },
            [&] {
              dawdle(random, kUntilAsleep);
              never_ran = service->stop();
              over = true;
            }});
  tally += seen;
  tally[Outcome::returned] += never_ran.size();
  for (TimerTask& task : never_ran) {
    if (task) task();
  }
  expect_one_winner(timers.footprints, tally);
  if (service->pending() != 0) tally.object("a timer is pending though its service was stopped");
}

/// C-12, C-14: up to eight threads schedule timers at the same time, with near and far deadlines.
inline void many_producers(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 1000;
  constexpr unsigned kFarthest = 37;
  constexpr std::size_t kMost = 8;
  struct Log {
    std::atomic<std::size_t> size = 0;
    std::array<std::uint32_t, kTimers> numbers{};
  };
  ManualClock clock;
  const auto service = kind.make(clock);
  const std::size_t producers = std::size_t{1} << random.below(4);
  const bool scatters = random.one_in(2);
  Log log;
  std::atomic<std::size_t> next_turn = 0;
  std::atomic<std::size_t> interleaved = 0;
  const auto produce = [&](std::size_t producer, Random mine) {
    const std::size_t share = kTimers / producers;
    const std::size_t first = producer * share;
    std::size_t last_turn = 0;
    for (std::size_t i = first; i < first + share; ++i) {
      const std::size_t turn = next_turn.fetch_add(1, std::memory_order_relaxed);
      const bool continues = i == first || turn == last_turn + 1;
      if (!continues) interleaved.fetch_add(1, std::memory_order_relaxed);
      last_turn = turn;
      const Duration delay = std::chrono::milliseconds(1);
      service->schedule(scatters ? Duration(1 + mine.up_to_bits(kFarthest)) : delay, [&log, i] {
        const std::size_t at = log.size.fetch_add(1, std::memory_order_relaxed);
        if (at < log.numbers.size()) log.numbers[at] = static_cast<std::uint32_t>(i);
      });
    }
  };
  std::vector<std::function<void()>> deeds;
  for (std::size_t producer = 0; producer < producers; ++producer) {
    deeds.emplace_back(
        [&produce, producer, seed = random.bits()] { produce(producer, Random(seed)); });
  }
  together(deeds);
  if (service->pending() != kTimers) tally.object("the numbers of pending timers do not add up");
  clock.advance_by(Duration(std::int64_t{1} << kFarthest) + service->max_lateness());
  tally.loops += kTimers;
  tally[Outcome::interleaved] += interleaved;
  tally[Outcome::uninterrupted] += kTimers - interleaved;
  if (log.size != kTimers) return tally.object("not every timer ran once");

  std::array<std::uint32_t, kTimers> seen{};
  std::array<std::uint32_t, kMost> next{};
  for (const std::uint32_t number : log.numbers) {
    if (seen[number]++ > 0) return tally.object("a timer ran twice");
    const std::size_t producer = number / (kTimers / producers);
    if (number < next[producer] && !scatters && kind.promises.serial && kind.promises.fifo) {
      return tally.object("the timers of one thread ran in another order");
    }
    next[producer] = number;
  }
}

/// C-13: two threads schedule while a third moves time.
inline void producers_against_time(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 500;
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration longest =
      std::max<Duration>(std::chrono::milliseconds(1), 2 * service->max_lateness());
  std::vector<Footprint> footprints(2 * kTimers);
  for (Footprint& footprint : footprints) footprint.prepare(random);
  std::atomic<int> producing = 2;
  std::atomic<bool> early = false;
  const auto produce = [&](std::size_t first, Random mine) {
    for (std::size_t i = first; i < first + kTimers; ++i) {
      Footprint& footprint = footprints[i];
      const Duration delay = any_span(mine, longest);
      footprint.not_before = after(clock.now(), delay);
      service->schedule(delay, [&footprint, &clock, &early] {
        if (clock.now() < footprint.not_before) early = true;
        footprint.run();
      });
    }
    --producing;
  };
  const std::uint64_t seed = random.bits();
  together({[&] { produce(0, Random(seed)); }, [&] { produce(kTimers, Random(seed + 1)); },
            [&] {
              while (producing > 0) clock.advance_by(longest / 10);
            }});
  const auto has_started = [](const Footprint& footprint) { return footprint.started() > 0; };
  const auto meanwhile =
      static_cast<std::uint64_t>(std::count_if(footprints.begin(), footprints.end(), has_started));
  clock.advance_by(longest + service->max_lateness());
  tally.loops += footprints.size();
  tally[Outcome::ran_meanwhile] += meanwhile;
  tally[Outcome::ran_later] += footprints.size() - meanwhile;
  if (early) tally.object("a timer ran early");
  for (const Footprint& footprint : footprints) {
    if (footprint.started() != 1) tally.object("a timer did not run once");
  }
}

/// C-18, C-19, C-21, C-22: two threads stop a service while another schedules, and another lets
/// time pass.
inline void stop_against_all(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 200;
  constexpr std::size_t kMoves = 10;
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration longest =
      std::max<Duration>(std::chrono::milliseconds(1), 2 * service->max_lateness());
  std::vector<Footprint> footprints(kTimers);
  for (Footprint& footprint : footprints) footprint.prepare(random);
  std::atomic<std::size_t> scheduled = 0;
  std::atomic<std::size_t> moves = 0;
  const auto produce = [&](Random mine) {
    for (Footprint& footprint : footprints) {
      try {
        service->schedule(any_span(mine, longest), [&footprint] { footprint.run(); });
        footprint.accepted = true;
      } catch (const RejectedTask&) {
        break;
      }
      scheduled.fetch_add(1, std::memory_order_relaxed);
    }
    scheduled.store(kTimers, std::memory_order_relaxed);
  };
  const auto count_starts = [&](Tally& seen) {
    int starts = 0;
    for (const Footprint& footprint : footprints) {
      const int started = footprint.started();
      if (started != footprint.ended()) seen.object("a task runs though its service was stopped");
      starts += started;
    }
    return starts;
  };
  struct Stop {
    std::vector<TimerTask> tasks;
    int starts = 0;
    Tally seen;
  };
  std::array<Stop, 2> stops;
  const auto wait_for = [](const std::atomic<std::size_t>& progress, std::size_t count) {
    while (progress.load(std::memory_order_relaxed) < count) std::this_thread::yield();
  };
  const auto stop = [&](Stop& result, Random mine) {
    wait_for(scheduled, mine.below(kTimers + 1));
    wait_for(moves, mine.below(kMoves / 2));
    result.tasks = service->stop();
    result.starts = count_starts(result.seen);
  };
  const std::uint64_t seed = random.bits();
  together({[&] { produce(Random(seed)); }, [&] { stop(stops[0], Random(seed + 1)); },
            [&] { stop(stops[1], Random(seed + 2)); },
            [&] {
              for (std::size_t i = 0; i < kMoves; ++i) {
                wait_for(scheduled, i * kTimers / kMoves);
                clock.advance_by(2 * longest / kMoves);
                moves.fetch_add(1, std::memory_order_relaxed);
              }
            }});
  clock.advance_by(longest);
  if (service->pending() != 0) tally.object("a timer is pending though its service was stopped");
  for (Stop& result : stops) {
    tally += result.seen;
    if (result.starts != count_starts(tally)) tally.object("a task started after stop");
  }
  tally[Outcome::ran] += static_cast<std::uint64_t>(stops[0].starts);
  for (Stop& result : stops) {
    tally[Outcome::returned] += result.tasks.size();
    for (TimerTask& task : result.tasks) {
      if (task) task();
    }
  }
  tally.loops += kTimers;
  for (const Footprint& footprint : footprints) {
    if (!footprint.accepted) ++tally[Outcome::rejected];
    if (footprint.started() != (footprint.accepted ? 1 : 0)) {
      tally.object("a timer was not either rejected, run or returned");
    }
  }
}

/// Lets the threads of a service go to sleep, or almost, and records whether they sleep. Now and
/// then it waits until they do, as on a busy machine they would otherwise never be asleep yet.
inline void doze_off(ManualClock& clock, Random& random, Tally& tally) {
  if (random.one_in(8)) {
    clock.settle();
  } else {
    dawdle(random, kUntilAsleep);
  }
  ++tally[clock.is_quiet() ? Outcome::met_it_asleep : Outcome::met_it_awake];
}

/// C-20: a service is stopped as its thread goes to sleep. If the thread sleeps on, this hangs.
inline void stop_against_sleep(const ServiceKind& kind, Random& random, Tally& tally) {
  ManualClock clock;
  const auto service = kind.make(clock);
  service->schedule(std::chrono::hours(1), [] {});
  doze_off(clock, random, tally);
  if (service->stop().size() != 1) tally.object("a timer was not returned");
  ++tally.loops;
}

/// C-07, C-09: an earlier deadline comes as the thread goes to sleep.
inline void earlier_against_sleep(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr int kTimers = 100;
  ManualClock clock;
  const auto service = kind.make(clock);
  const Duration apart = service->max_lateness() + std::chrono::milliseconds(1);
  int earlier = 0;
  int later = 0;
  for (int i = 1; i <= kTimers; ++i) {
    service->schedule(2 * apart, [&] { ++later; });
    doze_off(clock, random, tally);
    service->schedule(apart, [&] { ++earlier; });
    clock.advance_by(apart + service->max_lateness());
    if (earlier != i) return tally.object("an earlier deadline did not wake the thread");
    clock.advance_by(apart);
    if (later != i) return tally.object("a later deadline was forgotten");
  }
  tally.loops += kTimers;
}

/// C-29: handles are copied and dropped while the service is destroyed.
inline void handles_against_destruction(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kTimers = 100;
  ManualClock clock;
  auto service = kind.make(clock);
  const auto ran = std::make_shared<std::atomic<std::size_t>>(0);
  std::vector<AnyService::Handle> handles;
  for (std::size_t i = 0; i < kTimers; ++i) {
    handles.push_back(service->schedule(Duration(1 + random.up_to_bits(30)), [ran] { ++*ran; }));
  }
  together({[&] { service.reset(); },
            [&] {
              dawdle(random);
              const auto copies = handles;
              handles.clear();
            },
            [&] { clock.advance_by(Duration(std::int64_t{1} << 29)); }});
  if (ran.use_count() != 1) tally.object("a task outlived its service");
  tally.loops += kTimers;
  tally[Outcome::ran] += *ran;
  tally[Outcome::destroyed] += kTimers - *ran;
}

/// C-24: four threads schedule more than there is room for.
inline void producers_against_a_limit(const ServiceKind& kind, Random& random, Tally& tally) {
  constexpr std::size_t kRoom = 50;
  ManualClock clock;
  const auto service = kind.make(clock, {.max_pending = kRoom});
  const auto produce = [&](Random mine, Tally& seen) {
    for (std::size_t i = 0; i < kRoom; ++i) {
      ++seen.loops;
      try {
        service->schedule(std::chrono::hours(1), [] {});
        ++seen[Outcome::accepted];
      } catch (const RejectedTask&) {
        ++seen[Outcome::rejected];
      }
      if (mine.one_in(8)) dawdle(mine);
    }
  };
  std::array<Tally, 4> seen;
  const std::uint64_t seed = random.bits();
  together({[&] { produce(Random(seed), seen[0]); }, [&] { produce(Random(seed + 1), seen[1]); },
            [&] { produce(Random(seed + 2), seen[2]); },
            [&] { produce(Random(seed + 3), seen[3]); }});
  Tally all;
  for (const Tally& one : seen) all += one;
  if (all[Outcome::accepted] != kRoom) {
    all.object("a service took more or less than it has room for");
  }
  if (service->pending() != kRoom) all.object("a service is full, but does not count so");
  tally += all;
}

inline bool can_rearm(const ServiceKind& kind) { return kind.can_rearm; }
inline bool has_limit(const ServiceKind& kind) { return kind.has_limit; }

/// False for a service that wakes for each tick anyway.
inline bool is_woken_by_deadlines(const ServiceKind& kind) {
  return kind.promises.max_idle_wakes(std::chrono::hours(1)) < 100;
}

/// All races, by name.
inline const std::map<std::string_view, Race> kRaces = {
    {"cancel_against_expiry", {cancel_against_expiry, {Outcome::ran, Outcome::cancelled}}},
    {"cancel_against_stop", {cancel_against_stop, {Outcome::cancelled, Outcome::returned}}},
    {"cancel_against_start", {cancel_against_start, {Outcome::ran, Outcome::cancelled}}},
    {"rearm_against_start",
     {rearm_against_start, {Outcome::accepted, Outcome::rejected}, can_rearm}},
    {"rearm_against_stop",
     {rearm_against_stop, {Outcome::accepted, Outcome::rejected, Outcome::returned}, can_rearm}},
    {"many_producers", {many_producers, {Outcome::interleaved, Outcome::uninterrupted}}},
    {"producers_against_time",
     {producers_against_time, {Outcome::ran_meanwhile, Outcome::ran_later}}},
    {"stop_against_all", {stop_against_all, {Outcome::ran, Outcome::returned, Outcome::rejected}}},
    {"stop_against_sleep", {stop_against_sleep, {Outcome::met_it_awake, Outcome::met_it_asleep}}},
    {"earlier_against_sleep",
     {earlier_against_sleep,
      {Outcome::met_it_awake, Outcome::met_it_asleep},
      is_woken_by_deadlines}},
    {"handles_against_destruction",
     {handles_against_destruction, {Outcome::ran, Outcome::destroyed}}},
    {"producers_against_a_limit",
     {producers_against_a_limit, {Outcome::accepted, Outcome::rejected}, has_limit}}};

}  // namespace timers
