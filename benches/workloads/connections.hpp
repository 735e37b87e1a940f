#pragma once

/// Timers of servers: connections and groups whose timers are pushed back again and again.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Connections that are closed when they are idle for 60 s (Netty's IdleStateHandler). Each has a
/// message a second, at random; a message re-arms its timer. After n messages, at most
/// 1'000'000, 2 n are measured, from 50'000 to 1'000'000. An operation is a re-arm.
Schedule idle(std::size_t connections, std::uint64_t seed = 1);

/// Connections of a server (the load of the ratas benchmark), with ticks of 20 us. Each has its
/// idle timer (60 s, pushed back by each request and each response), one that closes it in the end
/// (180 s, when another one follows), and a loop: in 1 s a timer starts the next request, which is
/// paced by one of 200 us and guarded by one of 1 s, cancelled by the response after a log-normal
/// time (half within 20 ms).
///
/// Of the five timers, three are pending on average, so n timers are n / 3 connections. After one
/// turn of the loop 2 n operations, and at least 50'000, are measured. An operation is an insert,
/// re-arm or cancel: six in a turn.
Schedule tcp(std::size_t pending, std::uint64_t seed = 1);

/// Groups of a consensus protocol such as Raft, many on one server. The leader of each sends a
/// heartbeat every 50 ms; it re-arms the timer after which an election would begin, each time to
/// another delay, of 150 to 300 ms. After 350 ms, when nothing remembers the start, 2 n heartbeats,
/// at least 50'000, are measured, in whole turns of 256 ticks. An operation is a re-arm.
Schedule raft(std::size_t groups, std::uint64_t seed = 1);

}  // namespace timers::benches
