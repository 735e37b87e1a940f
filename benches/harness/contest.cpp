#include "benches/harness/contest.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include "benches/harness/benchmarks.hpp"

namespace timers::benches {

namespace {

/// A contestant is far behind if its fastest pass takes longer than kFarBehind times the fastest
/// pass of all, plus kStall seconds, which a stall may take.
constexpr double kFarBehind = 10;
constexpr double kStall = 0.2;

}  // namespace

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

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
  } catch (const std::exception& error) {  // for example, there is no input
    for (Entrant* entrant : entrants) entrant->error = error.what();
  }
}

void Contest::make_passes(std::vector<Entrant*> entrants) {
  const Extent extent = extent_();
  for (Entrant* entrant : entrants) entrant->contestant = entrant->make();
  const double seconds = seconds_of_a_contest();
  const double twice_a_share = 2 * seconds / static_cast<double>(entrants.size());
  for (std::size_t pass = 0;; ++pass) {
    make_pass(pass, extent.turns, entrants);
    std::erase_if(entrants, [](const Entrant* entrant) { return !entrant->error.empty(); });
    double fastest = std::numeric_limits<double>::infinity();
    for (const Entrant* entrant : entrants) fastest = std::min(fastest, entrant->fastest_pass);
    const bool may_leave = pass + 1 >= extent.least_passes;
    std::erase_if(entrants, [&](const Entrant* entrant) {
      const bool is_far_behind = entrant->fastest_pass > kFarBehind * fastest + kStall;
      return is_far_behind || (may_leave && entrant->seconds > twice_a_share);
    });
    double spent = 0;
    for (const Entrant* entrant : entrants) spent += entrant->seconds;
    if (entrants.empty() || (may_leave && spent >= seconds)) return;
  }
}

void Contest::make_pass(std::size_t pass, std::size_t turns,
                        std::vector<Entrant*>& entrants) const {
  static std::minstd_rand random(std::random_device{}());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::shuffle(entrants.begin(), entrants.end(), random);
    for (Entrant* entrant : entrants) {
      if (!entrant->error.empty()) continue;
      const double begin = clock_();
      try {
        entrant->contestant->take_turn(pass, turn);
      } catch (const std::exception& error) {
        entrant->error = error.what();
      }
      entrant->seconds_of_pass += clock_() - begin;
    }
  }
  for (Entrant* entrant : entrants) {
    const double seconds = std::exchange(entrant->seconds_of_pass, 0);
    entrant->seconds += seconds;
    entrant->fastest_pass = std::min(entrant->fastest_pass, seconds);
  }
}

}  // namespace timers::benches
