#pragma once

/// A test of the kit: a sentence about every timer service, and code that checks whether it is
/// true.
///
///     //
///     const Sentence never("NeverRunsACancelledTask", [](Scenario& service) {
///       Timer& timer = service.schedule(5ms);
///       service.cancel(timer);
///       …
///     });
///
/// It runs in a process of its own, which the kit watches.

#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/real_time/any_service.hpp"
#include "tests/conformance/real_time/scenario.hpp"

namespace timers::real_time {

using Sentence = conformance::BasicSentence<ServiceKind, Scenario>;

}  // namespace timers::real_time
