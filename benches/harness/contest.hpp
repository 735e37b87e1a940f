#pragma once

/// Measures several benchmarks together, in turns.
///
/// Google Benchmark runs one benchmark after the other. But a shared machine is disturbed in bursts
/// of milliseconds, and has slower minutes: what runs a second later meets another machine. So all
/// benchmarks of a *contest* take turns, in an order that is drawn anew each time. The first of
/// them that Google Benchmark runs measures all; the others only report.
///
/// Google Benchmark stays the front, with its names, filters and reporters. It is bent in one
/// place: `run_selected` lets it run everything twice, and the first time each benchmark only
/// enters its contest. So the filter decides who takes part.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timers::benches {

/// One that is measured beside others.
class Contestant {
 public:
  Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  virtual ~Contestant() = default;

  /// Takes its part in this turn of this pass; both count from 0. Throws if what it did is wrong:
  /// then it has no figures, and takes no more turns.
  virtual void take_turn(std::size_t pass, std::size_t turn) = 0;

  /// Says what was measured, by counters and an iteration time.
  virtual void report(benchmark::State& state) const = 0;
};

/// How long a contest is, beside its seconds.
///
/// A contestant leaves after these passes if it has spent twice its share of the seconds. So a slow
/// one makes as many passes as fit into that, and does not take the time of the others. One that is
/// far behind, and not only for a stall, leaves at once. The contest ends when those who are left
/// have spent its seconds together.
struct Extent {
  std::size_t turns = 1;         // in a pass
  std::size_t least_passes = 1;  // of all who are not far behind
};

class Contest : public std::enable_shared_from_this<Contest> {
 public:
  using Make = std::function<std::unique_ptr<Contestant>()>;

  /// `extent` is called when the contest begins, as it may need the input.
  explicit Contest(std::function<Extent()> extent) : extent_(std::move(extent)) {}

  /// Registers a benchmark of this name that takes part if it is selected.
  void add(const std::string& benchmark, Make make);

 private:
  struct Entrant {
    Make make;
    bool is_entered = false;
    bool has_figures = false;  // that were not reported yet
    std::unique_ptr<Contestant> contestant = nullptr;
    std::string error = {};
    double seconds_of_pass = 0;  // that is being made
    double seconds = 0;          // of all passes
    double fastest_pass = std::numeric_limits<double>::infinity();
  };

  void report(benchmark::State& state, Entrant& entrant);
  void measure();
  void make_passes(std::vector<Entrant*> entrants);
  static void make_pass(std::size_t pass, std::size_t turns, std::vector<Entrant*>& entrants);

  std::function<Extent()> extent_;
  std::vector<Entrant> entrants_;
};

}  // namespace timers::benches
