#pragma once

/// Measures several benchmarks together, in turns.
///
/// Google Benchmark runs one benchmark after the other. But a shared machine is disturbed in bursts
/// of milliseconds, and has slower minutes: a second later the machine is different. So all
/// benchmarks of a *contest* take turns, in an order that is drawn anew each time. The first of
/// them that Google Benchmark runs measures all; the others only report.
///
/// Google Benchmark remains the front end, with its names, filters and reporters. There is one
/// trick: `run_selected` lets it run everything twice. The first time each benchmark only enters
/// its contest. So the filter decides which benchmarks take part.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timers::benches {

/// A benchmark that is measured together with others.
class Contestant {
 public:
  Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  virtual ~Contestant() = default;

  /// Takes the given turn of the given pass; both count from 0. Throws if its results are wrong:
  /// then it has no figures, and takes no more turns.
  virtual void take_turn(std::size_t pass, std::size_t turn) = 0;

  /// Reports its figures as counters and an iteration time.
  virtual void report(benchmark::State& state) const = 0;
};

/// How long a contest is, besides its seconds.
///
/// After `least_passes` passes, a contestant leaves if it has spent more than twice its share of
/// the seconds. So a slow contestant does not take the time of the others. A contestant that is far
/// behind, and not only because of a stall, leaves at once. The contest ends when the contestants
/// that are left have together spent its seconds.
struct Extent {
  std::size_t turns = 1;         // in a pass
  std::size_t least_passes = 1;  // of each contestant that is not far behind
};

/// The time of the system's monotonic clock, in seconds.
double seconds_now();

class Contest : public std::enable_shared_from_this<Contest> {
 public:
  using Make = std::function<std::unique_ptr<Contestant>()>;
  using Clock = std::function<double()>;  // in seconds

  /// `extent` is called when the contest begins, because it may need the input. The clock tells
  /// how long each turn takes.
  explicit Contest(std::function<Extent()> extent, Clock clock = seconds_now)
      : extent_(std::move(extent)), clock_(std::move(clock)) {}

  /// Registers a benchmark of this name that takes part if it is selected.
  void add(const std::string& benchmark, Make make);

 private:
  struct Entrant {
    Make make;
    bool is_entered = false;
    bool has_figures = false;  // that were not reported yet
    std::unique_ptr<Contestant> contestant = nullptr;
    std::string error = {};
    double seconds_of_pass = 0;  // the pass that is being made
    double seconds = 0;          // all passes
    double fastest_pass = std::numeric_limits<double>::infinity();
  };

  void report(benchmark::State& state, Entrant& entrant);
  void measure();
  void make_passes(std::vector<Entrant*> entrants);
  void make_pass(std::size_t pass, std::size_t turns, std::vector<Entrant*>& entrants) const;

  std::function<Extent()> extent_;
  Clock clock_;
  std::vector<Entrant> entrants_;
};

}  // namespace timers::benches
