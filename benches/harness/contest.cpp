#include "benches/harness/contest.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <stdexcept>
#include <utility>

#include "benches/harness/benchmarks.hpp"
#include "benches/harness/median.hpp"

namespace timers::benches {

namespace {

using Clock = std::chrono::steady_clock;

/// Who takes longer than so many times the median is far behind.
constexpr double kFarBehind = 8;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

void Contest::add(const std::string& benchmark, Make make) {
  const std::size_t number = entrants_.size();
  entrants_.push_back({.make = std::move(make)});
  const auto contest = shared_from_this();
  add_single_run(
      benchmark,
      [=](benchmark::State& state) { contest->report(state, contest->entrants_[number]); },
      [=] { contest->entrants_[number].is_entered = true; });
}

void Contest::report(benchmark::State& state, Entrant& entrant) {
  if (!entrant.has_figures) measure();
  entrant.has_figures = false;
  if (!entrant.error.empty()) throw std::runtime_error(entrant.error);
  for (auto _ : state) entrant.contestant->report(state);
  entrant.contestant.reset();
}

void Contest::measure() {
  std::vector<Entrant*> entrants;
  for (Entrant& entrant : entrants_) {
    if (!entrant.is_entered) continue;
    entrant = {.make = std::move(entrant.make), .is_entered = true, .has_figures = true};
    entrants.push_back(&entrant);
  }
  try {
    make_passes(entrants);
  } catch (const std::exception& error) {  // there is no input
    for (Entrant* entrant : entrants) entrant->error = error.what();
  }
}

void Contest::make_passes(std::vector<Entrant*>& entrants) {
  const Extent extent = extent_();
  for (Entrant* entrant : entrants) entrant->contestant = entrant->make();
  const Clock::time_point begin = Clock::now();
  for (std::size_t pass = 0;
       pass < extent.least_passes || seconds_since(begin) < seconds_of_a_contest(); ++pass) {
    if (pass == extent.passes_of_all) leave_out_who_is_far_behind(entrants);
    for (Entrant* entrant : entrants) entrant->seconds = 0;
    for (std::size_t turn = 0; turn < extent.turns; ++turn) take_turns(pass, turn, entrants);
    for (Entrant* entrant : entrants) {
      entrant->fastest_pass = std::min(entrant->fastest_pass, entrant->seconds);
    }
  }
}

void Contest::leave_out_who_is_far_behind(const std::vector<Entrant*>& entrants) {
  std::vector<double> seconds;
  for (const Entrant* entrant : entrants) seconds.push_back(entrant->fastest_pass);
  const double limit = kFarBehind * median_of(std::move(seconds));
  for (Entrant* entrant : entrants) entrant->is_far_behind = entrant->fastest_pass > limit;
}

void Contest::take_turns(std::size_t pass, std::size_t turn, std::vector<Entrant*>& entrants) {
  static std::minstd_rand random(std::random_device{}());
  std::shuffle(entrants.begin(), entrants.end(), random);
  for (Entrant* entrant : entrants) {
    if (entrant->is_far_behind || !entrant->error.empty()) continue;
    const Clock::time_point begin = Clock::now();
    try {
      entrant->contestant->take_turn(pass, turn);
    } catch (const std::exception& error) {
      entrant->error = error.what();
    }
    entrant->seconds += seconds_since(begin);
  }
}

}  // namespace timers::benches
