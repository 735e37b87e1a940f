#pragma once

/// Every service of the catalog on one kind of clock, as the tests see it. Services that can have
/// several threads occur once more, with four threads.

#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/services/any_service.hpp"

namespace timers {

/// Compiled only for ManualClock and SteadyClock, and only once: each service takes a second.
template <class ClockType>
std::vector<service_conformance::BasicServiceKind<ClockType>> all_services();

extern template std::vector<service_conformance::BasicServiceKind<ManualClock>> all_services();
extern template std::vector<service_conformance::BasicServiceKind<SteadyClock>> all_services();

}  // namespace timers
