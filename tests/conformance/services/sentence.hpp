#pragma once

/// A test of the kit: a sentence about every timer service, and code that checks whether it is
/// true.
///
///     //
///     const Sentence never("NeverRunsACancelledTask", [](Scenario& service) {
///       service.schedule(1, 5ms);
///       EXPECT_EQ(service.cancel(1), CancelResult::cancelled);
///       service.pass(1h);
///       EXPECT_TRUE(service.ran({}));
///     });
///
/// If a sentence makes its services itself, its function takes a `const ServiceKind&` instead.

#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/conformance/services/scenario.hpp"

namespace timers::service_conformance {

using Sentence = conformance::BasicSentence<ServiceKind, Scenario>;

}  // namespace timers::service_conformance
