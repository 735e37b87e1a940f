#include "benches/workloads/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace timers::benches {

namespace {

constexpr unsigned kKindBits = 2;
constexpr unsigned kFractionBits = 20;
constexpr unsigned kBelowTick = kKindBits + kFractionBits;

}  // namespace

Timeline::Timer Timeline::insert(double time, Tick deadline) {
  add(time, Kind::insert, timers_, deadline);
  return timers_++;
}

void Timeline::rearm(double time, Timer timer, Tick deadline) {
  add(time, Kind::rearm, timer, deadline);
}

void Timeline::cancel(double time, Timer timer) { add(time, Kind::cancel, timer, 0); }

void Timeline::expires(Tick deadline, Timer timer) {
  add(static_cast<double>(deadline), Kind::expiry, timer, deadline);
}

void Timeline::add(double time, Kind kind, Timer timer, Tick deadline) {
  const double tick = std::floor(time);
  const auto fraction = static_cast<std::uint64_t>((time - tick) * (1 << kFractionBits));
  const std::uint64_t when = static_cast<std::uint64_t>(tick) << kBelowTick |
                             static_cast<std::uint64_t>(kind) << kFractionBits | fraction;
  entries_.push_back({when, deadline, timer, kind});
}

Schedule Timeline::schedule(Tick begin, Tick end, Operation counted) && {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& one, const Entry& other) {
    return std::pair(one.when, one.timer) < std::pair(other.when, other.timer);
  });

  constexpr std::uint32_t kNotPending = ~std::uint32_t{0};
  ScheduleBuilder builder;
  std::vector<std::uint32_t> slot_of(timers_, kNotPending);
  std::vector<std::uint32_t> free_slots;  // last freed, first used, like memory
  std::uint32_t slots = 0;
  std::uint32_t line = 0;
  Tick now = 0;
  const auto move_time = [&](Tick tick) {
    while (now < tick) {
      if (now == begin) builder.begin_measurement();
      builder.move_time(++now);
    }
  };
  for (const Entry& entry : entries_) {
    const Tick tick = entry.when >> kBelowTick;
    if (tick > end) break;
    move_time(tick);
    std::uint32_t& slot = slot_of[entry.timer];
    if ((slot == kNotPending) != (entry.kind == Kind::insert)) {
      throw std::logic_error(fmt::format("timer {} is {}pending in tick {}", entry.timer,
                                         slot == kNotPending ? "not " : "", tick));
    }
    switch (entry.kind) {
      case Kind::expiry:
        free_slots.push_back(std::exchange(slot, kNotPending));
        break;
      case Kind::cancel:
        builder.cancel(slot, ++line);
        free_slots.push_back(std::exchange(slot, kNotPending));
        break;
      case Kind::rearm:
        builder.rearm(slot, entry.deadline, ++line);
        break;
      case Kind::insert:
        if (free_slots.empty()) {
          slot = slots++;
        } else {
          slot = free_slots.back();
          free_slots.pop_back();
        }
        builder.insert(slot, entry.deadline, ++line);
    }
  }
  move_time(end);
  return std::move(builder).finish(counted);
}

}  // namespace timers::benches
