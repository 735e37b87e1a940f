#pragma once

/// Tasks for tests: a slow one, and one that reports its destruction.

#include <functional>
#include <memory>
#include <utility>

#include "impls/clocks/clock.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// Calls `on_death` when its last copy is destroyed. A task that captures it reports its own
/// destruction so.
inline std::shared_ptr<void> probe(std::function<void()> on_death) {
  return {nullptr, [on_death = std::move(on_death)](void*) { on_death(); }};
}

inline TimerTask sleeper(ManualClock& clock, Duration span) {
  return [&clock, span] { clock.sleep_for(span); };
}

}  // namespace timers
