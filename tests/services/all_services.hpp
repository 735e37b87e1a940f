#pragma once

/// Every service of the catalog on one kind of clock, as the tests know it; and those that can have
/// several threads once more with four.

#include <vector>

#include "impls/clocks/clock.hpp"
#include "tests/conformance/services/any_service.hpp"

namespace timers {

/// Compiled once, for ManualClock and SteadyClock: each service takes a second.
template <class ClockType>
std::vector<service_conformance::BasicServiceKind<ClockType>> all_services();

extern template std::vector<service_conformance::BasicServiceKind<ManualClock>> all_services();
extern template std::vector<service_conformance::BasicServiceKind<SteadyClock>> all_services();

}  // namespace timers
