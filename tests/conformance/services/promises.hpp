#pragma once

/// Compares promises. With this a catalog checks that its services promise what they must.

#include <gtest/gtest.h>

#include "impls/timer_service.hpp"

namespace timers::service_conformance {

/// Whether a service that declares `declared` keeps all that `required` asks for. If a promise is a
/// function of the delay, it is compared at delays around all powers of two.
testing::AssertionResult at_least_as_strong(const ServicePromises& declared,
                                            const ServicePromises& required);

/// Whether the service may wake so often for nothing that a test must not jump a year.
bool wakes_for_each_tick(const ServicePromises& promises);

}  // namespace timers::service_conformance
