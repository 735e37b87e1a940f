#pragma once

/// Timers of servers: connections and groups whose timers are put off again and again.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Connections that are closed after 60 s without a message (Netty's IdleStateHandler). Each has
/// one message a second, at random times; a message re-arms its timer. After n messages, at most
/// 1'000'000, 2 n messages are measured: at least 50'000, and at most 1'000'000. With ten million
/// connections these take 100 ticks, so wheels hardly turn. An operation is a re-arm.
Schedule idle(std::size_t connections, std::uint64_t seed = 1);

/// Connections of a server (the load of the ratas benchmark), with ticks of 20 us. Each has five
/// timers. The idle timer (60 s) is put off by each request and each response. Another timer closes
/// the connection at its end (180 s), and another connection follows. The rest is a loop: a timer
/// of 1 s starts the next request; a timer of 200 us paces the request; a timer of 1 s guards it.
/// The response cancels the last one after a log-normal time (half within 20 ms).
///
/// Of the five timers, three are pending on average, so n timers are n / 3 connections. After one
/// turn of the loop, 2 n operations, at least 50'000, are measured. An operation is an insert,
/// re-arm or cancel: six in a turn.
Schedule tcp(std::size_t pending, std::uint64_t seed = 1);

/// Groups of a consensus protocol such as Raft, with many groups on one server. The leader of each
/// group sends a heartbeat every 50 ms. Each heartbeat re-arms the timer that would begin an
/// election, with a new delay of 150 to 300 ms. After 350 ms the start has no influence any more.
/// Then 2 n heartbeats, at least 50'000, are measured, in whole turns of 256 ticks. An operation is
/// a re-arm.
Schedule raft(std::size_t groups, std::uint64_t seed = 1);

}  // namespace timers::benches
