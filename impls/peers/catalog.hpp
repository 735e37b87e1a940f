#pragma once

/// The queues of libraries that others wrote: one line each. Boost is always there. For the other
/// libraries the build says which it found.

#include "impls/listed.hpp"
#include "impls/peers/asio_timers.hpp"
#include "impls/peers/peer_queue.hpp"
#include "impls/type_list.hpp"
#ifdef TIMERBENCH_HAS_ACE
#include "impls/peers/ace_timers.hpp"
#endif
#ifdef TIMERBENCH_HAS_LIBUV
#include "impls/peers/libuv_timers.hpp"
#endif
#ifdef TIMERBENCH_HAS_LIBEVENT
#include "impls/peers/libevent_timers.hpp"
#endif
#ifdef TIMERBENCH_HAS_LIBEV
#include "impls/peers/libev_timers.hpp"
#endif

namespace timers {

/// Tested and measured like ours, and beside them in every chart of queues.
template <class Task>
using PeerCatalog = TypeList<
#ifdef TIMERBENCH_HAS_ACE
    ListedQueue<PeerQueue<Task, AceHeap>, Family::heaps>,
    ListedQueue<PeerQueue<Task, AceWheel>, Family::hashed_wheels>,
#endif
#ifdef TIMERBENCH_HAS_LIBUV
    ListedQueue<PeerQueue<Task, LibuvTimers>, Family::linked_heaps>,
#endif
#ifdef TIMERBENCH_HAS_LIBEVENT
    ListedQueue<PeerQueue<Task, LibeventTimers>, Family::heaps, Expire::turns_a_loop>,
#endif
#ifdef TIMERBENCH_HAS_LIBEV
    ListedQueue<PeerQueue<Task, LibevTimers>, Family::heaps, Expire::turns_a_loop>,
#endif
    ListedQueue<PeerQueue<Task, AsioTimers>, Family::heaps>>;

template <class Task>
using PeerQueues = QueuesOf<PeerCatalog<Task>>;

/// Tested only. They are too slow for the benches: with many timers each operation takes long.
template <class Task>
using SlowPeerQueues = TypeList<
#ifdef TIMERBENCH_HAS_ACE
    PeerQueue<Task, AceList>
#endif
    >;

}  // namespace timers
