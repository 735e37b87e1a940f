#pragma once

/// Tasks for tests: one that takes its time, and one that tells when it dies.

#include <functional>
#include <memory>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// Calls `on_death` when the last copy of it dies, as a task does that captures it.
inline std::shared_ptr<void> probe(std::function<void()> on_death) {
  return {nullptr, [on_death = std::move(on_death)](void*) { on_death(); }};
}

inline TimerTask sleeper(ManualClock& clock, Duration span) {
  return [&clock, span] { clock.sleep_for(span); };
}

}  // namespace timers
