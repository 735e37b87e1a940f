#pragma once

/// How a pass of a queue through its schedules is cut into turns, which queues take one by one.

#include <cstddef>
#include <vector>

#include "benches/harness/queues/input.hpp"

namespace timers::benches {

/// What is timed of some steps: nothing, segments of them, each call alone, or of the calls only
/// those that take long. Calls are timed apart, as to read the time around each of them would be
/// most of a cheap one.
enum class Timed { nothing, segments, calls, long_calls };

/// The steps from `begin` to `end` of a schedule, which are measured ones or the set-up before
/// them. At step 0 begins a fresh queue; with the last measured step the schedule is over.
struct Stretch {
  std::size_t schedule;
  std::size_t begin;
  std::size_t end;
  Timed timed;
};

/// What one queue does before the next one does the same.
using Turn = std::vector<Stretch>;

/// Times are taken of so many steps at once: mostly 0.1 ms, in which other programs rarely disturb.
inline constexpr std::size_t kStepsOfASegment = 2'048;

/// In one turn: each schedule as a whole. What precedes the measured steps brings the memory of the
/// queue back into the cache, which the other queues had meanwhile. Of short schedules it is not
/// enough to bring back the code and what the processor learned of it: there an untimed schedule
/// comes first.
Turn whole_pass(const Input& input, Timed timed);

/// In many turns: a block of steps that brings the cache back, and one whose segments are timed. By
/// `parity`, what is the one in a pass is the other in the next. The first block touches about as
/// many cache lines as there are timers, so that the queue finds in the cache what it would find
/// there alone. In its first half long calls are timed, which wait little for the cache, and in its
/// second half all calls.
std::vector<Turn> pass_in_blocks(const Schedule& schedule, std::size_t parity);

/// Whether the queues take turns within a pass: where it is long, and all fit into memory.
bool has_blocks(const Input& input);

/// The greatest number of turns in a pass.
std::size_t most_turns(const Input& input);

}  // namespace timers::benches
