#pragma once

/// The queues of libraries that others wrote: one line each. They are tested and measured like
/// ours, and stand beside them in every chart of queues.

#include "impls/catalog.hpp"
#include "impls/peers/asio_timers.hpp"
#include "impls/peers/peer_queue.hpp"

namespace timers {

template <class Task>
using PeerQueues = TypeList<PeerQueue<Task, AsioTimers>>;

}  // namespace timers
