#pragma once

/// What is measured as a queue: those of the catalog, and beside them those of libraries.

#include "benches/harness/queues/playback.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"
#include "impls/type_list.hpp"

namespace timers::benches {

using Libraries = PeerQueues<Task>;
using MeasuredQueues = decltype(joined(TimerQueues<Task>{}, Libraries{}));

}  // namespace timers::benches
