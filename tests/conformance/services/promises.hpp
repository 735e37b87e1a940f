#pragma once

/// Compares promises, so that a catalog can hold its services to what they must promise.

#include <gtest/gtest.h>

#include "impls/timer_service.hpp"

namespace timers::service_conformance {

/// Whether a service that declares `declared` keeps all that `required` asks for. Functions of the
/// delay are compared at delays around all powers of two.
testing::AssertionResult at_least_as_strong(const ServicePromises& declared,
                                            const ServicePromises& required);

}  // namespace timers::service_conformance
