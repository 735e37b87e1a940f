#pragma once

/// A queue that takes its timers from a pool of timers that stay. So every sentence of the kit
/// tests such timers, too: each is armed, disarmed and run again and again.

#include "tests/conformance/queues/any_queue.hpp"

namespace timers::conformance {

/// Makes the pooled kind of `kind`, a kind of queue with timers that stay.
QueueKind pooled(const QueueKind& kind);

}  // namespace timers::conformance
