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

/// Of so many blocks in a row one brings the cache back, and in the others segments are timed.
inline constexpr std::size_t kBlocksOfATurn = 3;

/// In many turns, each of so many blocks of steps. The first block touches about as many cache
/// lines as there are timers, so that the queue finds in the cache what it would find there alone.
/// In its first half long calls are timed, which wait little for the cache, and in its second half
/// all calls. In the other blocks segments are timed. A turn of the next pass begins a block later:
/// so three passes time each segment twice, and what disturbs one time of it moves nothing.
std::vector<Turn> pass_in_blocks(const Schedule& schedule, std::size_t pass);

/// Whether the queues take turns within a pass: where it is long, and all fit into memory.
bool has_blocks(const Input& input);

/// The greatest number of turns in a pass.
std::size_t most_turns(const Input& input);

}  // namespace timers::benches
