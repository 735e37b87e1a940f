#pragma once

/// Describes in words what the threads of a run did.

#include <string>

#include "tests/services/schedules/turns.hpp"

namespace timers::schedules {

/// A line for each step, under the name of its thread.
std::string story_of(const Turns& turns);

}  // namespace timers::schedules
