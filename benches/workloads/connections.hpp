#pragma once

/// Timers that are pushed back again and again, and in good times never expire.

#include <cstddef>

#include "benches/schedule.hpp"

namespace timers::benches {

/// Connections that are closed when they are idle for 60 s (Netty's IdleStateHandler). Each has a
/// message a second, at random; a message re-arms its timer. After n messages, at most
/// 1'000'000, 2 n are measured, from 50'000 to 1'000'000. An operation is a re-arm.
Schedule idle(std::size_t connections);

/// Groups of a consensus protocol such as Raft, many on one server. The leader of each sends a
/// heartbeat every 50 ms; it re-arms the timer after which an election would begin, each time to
/// another delay, of 150 to 300 ms. After n heartbeats 2 n, from 50'000 to 1'000'000, are
/// measured. An operation is a re-arm.
Schedule raft(std::size_t groups);

}  // namespace timers::benches
