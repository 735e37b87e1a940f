#pragma once

/// Runs a program with threads in every schedule that has at most a given number of pre-emptions.
///
///     const Explored explored = explore([] {          // called anew for each run
///       int value = 0;
///       ...                                           // starts threads, and joins them
///       return value == 2 ? "" : "one was lost";      // what is wrong, or ""
///     });
///
/// The search is that of CHESS (Musuvathi and Qadeer, 2007): most faults need only a few
/// pre-emptions in the wrong places, and all schedules with few pre-emptions can be tried. The
/// program runs again and again, each time with another choice, until all are tried (depth-first
/// search). Two kinds of schedules are left out:
///   - A thread is pre-empted, and goes on before any other thread has touched the object of its
///     next step. Then the pre-emption could as well come one step later: that run is the same.
///   - Each thread has had the same steps before, in an earlier run, and as many pre-emptions were
///     left. Then all that follows was tried there. The order of two steps does not count if they
///     access different objects, or if both only read.
///
/// This proves that no such schedule leads to a fault that the program checks for. It says nothing
/// about what weaker memory orders allow beyond that: each access counts as sequentially
/// consistent.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace timers::schedules {

struct Bounds {
  int pre_emptions = 3;
  std::uint64_t runs = 1'000'000;  ///< If there are more, the search ends, and proves nothing.
};

struct Explored {
  std::uint64_t runs = 0;      ///< How many schedules were run.
  std::size_t most_steps = 0;  ///< The most steps in one run.
  bool all = false;            ///< Whether all schedules were run. If not, the search ended early.
  std::string fault;           ///< The fault of the last run; the search ends there.
  std::string schedule;        ///< The schedule that led to the fault: what `replay` takes.
  std::string story;           ///< The same schedule in words.
};

/// If the variable TIMERBENCH_SCHEDULE is set, runs only that schedule, and prints its story.
Explored explore(const std::function<std::string()>& program, const Bounds& bounds = {});

/// Runs the program once. Each thread runs as long as it can. Returns what was wrong.
std::string run_by_itself(const std::function<std::string()>& program);

/// Runs one schedule, which is a sequence of `thread*steps`.
Explored replay(const std::function<std::string()>& program, const std::string& schedule);

}  // namespace timers::schedules
