#pragma once

/// Runs a program of threads in every schedule that has at most so many pre-emptions.
///
///     const Explored explored = explore([] {          // made anew for each run
///       int value = 0;
///       ...                                           // starts threads, and joins them
///       return value == 2 ? "" : "one was lost";      // what is wrong, or ""
///     });
///
/// The search is CHESS's (Musuvathi and Qadeer, 2007): few pre-emptions in the wrong places lead to
/// most faults, and all schedules with few can be tried. The program runs again and again, each
/// time with another choice, until all are tried: a search in depth. Two things are tried once
/// only:
///   - A thread that is pre-empted, and goes on before anybody has touched what it is about to
///     access, could have been pre-empted a step later: that run is the same.
///   - Where the same has happened before, to each thread in the same order, and as many
///     pre-emptions are left, all that follows was tried there. Accesses that do not touch, because
///     they are to different objects or both read, have no order.
///
/// This proves that no such schedule leads to what the program looks for. It says nothing of what a
/// memory order allows beyond that: each access counts as sequentially consistent.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace timers::schedules {

struct Bounds {
  int pre_emptions = 3;
  std::uint64_t runs = 1'000'000;  ///< More than this are an explosion, and no proof.
};

struct Explored {
  std::uint64_t runs = 0;      ///< How many schedules were run.
  std::size_t most_steps = 0;  ///< Of one of them.
  bool all = false;            ///< Whether that was all, or the search ended before.
  std::string fault;           ///< Of the last run; the search ends there.
  std::string schedule;        ///< That led to it: what `replay` takes.
  std::string story;           ///< The same, in words.
};

/// If the variable TIMERBENCH_SCHEDULE is set, this runs that schedule alone, and tells its story.
Explored explore(const std::function<std::string()>& program, const Bounds& bounds = {});

/// Runs the program once, each thread as long as it can go on. Returns what was wrong.
std::string run_by_itself(const std::function<std::string()>& program);

/// Runs one schedule: `thread*steps`, in a row.
Explored replay(const std::function<std::string()>& program, const std::string& schedule);

}  // namespace timers::schedules
