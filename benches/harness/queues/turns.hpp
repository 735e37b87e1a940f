#pragma once

/// How a pass of a queue through its schedules is cut into turns, which queues take one by one.

#include <cstddef>
#include <vector>

#include "benches/harness/queues/input.hpp"

namespace timers::benches {

/// What is timed in some steps: nothing, segments of steps, each call alone, or only those calls
/// that take long. Calls are timed separately, because reading the clock around a cheap call would
/// take longer than the call.
enum class Timed { nothing, segments, calls, long_calls };

/// The steps from `begin` to `end` of a schedule: measured ones, or the set-up before them. Step 0
/// begins with a fresh queue. With the last measured step the schedule is over.
struct Stretch {
  std::size_t schedule;
  std::size_t begin;
  std::size_t end;
  Timed timed;
};

/// What a queue does before the next queue does the same.
using Turn = std::vector<Stretch>;

/// So many steps are timed at once: mostly 0.1 ms, in which other programs rarely disturb.
inline constexpr std::size_t kStepsOfASegment = 2'048;

/// The pass is one turn: each schedule as a whole. The steps before the measured ones bring the
/// memory of the queue back into the cache, which the other queues used meanwhile. If schedules are
/// short, this does not bring back the code, nor what the processor learned about it. Then an
/// untimed schedule comes first.
Turn whole_pass(const Input& input, Timed timed);

/// Of so many blocks in a row, one brings the cache back: there calls are timed, and not segments.
/// In the others segments are timed.
inline constexpr std::size_t kBlocksOfATurn = 3;

/// The pass is many turns, each of kBlocksOfATurn blocks of steps. The first block brings back into
/// the cache most of what the queue would find there if it ran alone. In the first half of this
/// block long calls are timed, as they hardly depend on the cache; in its second half all calls are
/// timed. In the other blocks segments are timed. In the next pass the turns begin one block later.
/// So three passes time each segment twice, and one disturbed time has no effect.
std::vector<Turn> pass_in_blocks(const Schedule& schedule, std::size_t pass);

/// Whether the queues take turns within a pass: if the pass is so long that the machine may change
/// meanwhile, and if all queues fit into memory. With up to 100,000 timers a pass is short enough
/// to be taken as a whole, which is better: a block does not touch all timers, so a wheel took up
/// to a half longer there than alone.
bool has_blocks(const Schedule& schedule, std::size_t steps_without_a_break);
bool has_blocks(const Input& input);

/// The greatest number of turns in a pass.
std::size_t most_turns(const Input& input);

}  // namespace timers::benches
