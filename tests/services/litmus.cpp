/// Lets threads race for the timers of all services of the catalog, for as long as the user wants.
///
///     litmus --loops 100000000 --filter cancel_against --json litmus.json
///
/// For each race of tests/services/races.hpp and each service the program prints a line of JSON. It
/// says how often the threads raced, and how often each outcome occurred. If a service sleeps when
/// it should wake, the program hangs: give it a time limit. The exit status is 0; 1 if a race found
/// a fault, or if an outcome never occurred, so that there was no race; 2 if the arguments are
/// wrong.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "commit.hpp"
#include "impls/clocks/clock.hpp"
#include "tests/command_line.hpp"
#include "tests/services/all_services.hpp"
#include "tests/services/races.hpp"

namespace timers {
namespace {

using std::chrono::steady_clock;

/// A race for the timers of one service.
struct Contest {
  std::string name;
  Race race;
  ServiceKind kind;
};

std::vector<Contest> all_contests() {
  std::vector<Contest> contests;
  for (const auto& [name, race] : kRaces) {
    for (const ServiceKind& kind : all_services<ManualClock>()) {
      if (race.is_one_for(kind))
        contests.push_back({fmt::format("{}/{}", name, kind.name), race, kind});
    }
  }
  return contests;
}

/// When to stop: at the limit that is reached first.
struct Budget {
  std::uint64_t loops = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

struct Result {
  Tally tally;
  double seconds = 0;

  std::uint64_t rate() const {
    return static_cast<std::uint64_t>(static_cast<double>(tally.loops) / seconds);
  }
};

std::string verdict(const Contest& contest, const Tally& tally) {
  if (tally.fault != nullptr) return tally.fault;
  return contest.race.was_run(tally) ? "no fault" : "no race: an outcome was not seen";
}

void show(const Contest& contest, const Result& result) {
  fmt::print(stderr, "{:64} {:7.0f} s {:10.1f} M loops {:6.2f} M/s {}\n", contest.name,
             result.seconds, static_cast<double>(result.tally.loops) / 1e6,
             static_cast<double>(result.rate()) / 1e6, verdict(contest, result.tally));
}

/// Runs a race until the budget is used up, or until the race shows a fault.
Result run(const Contest& contest, std::uint64_t seed, const Budget& budget) {
  constexpr double kSecondsBetweenLines = 5;
  const auto start = steady_clock::now();
  Random random(seed);
  Result result;
  double next_line = kSecondsBetweenLines;
  do {
    contest.race.run(contest.kind, random, result.tally);
    result.seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    if (result.seconds >= next_line) {
      show(contest, result);
      next_line += kSecondsBetweenLines;
    }
  } while (result.tally.loops < budget.loops && result.seconds < budget.seconds &&
           result.tally.fault == nullptr);
  show(contest, result);
  return result;
}

/// How often each outcome occurred; 0 for an outcome that should have occurred but did not.
nlohmann::ordered_json outcomes_of(const Race& race, const Tally& tally) {
  nlohmann::ordered_json outcomes;
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    const bool is_wanted = std::count(race.outcomes.begin(), race.outcomes.end(), outcome) > 0;
    if (is_wanted || tally[outcome] > 0) outcomes[kOutcomeNames[i]] = tally[outcome];
  }
  return outcomes;
}

nlohmann::ordered_json to_json(const Contest& contest, std::uint64_t seed, const Result& result) {
  return {{"race", contest.name},
          {"seed", seed},
          {"loops", result.tally.loops},
          {"outcomes", outcomes_of(contest.race, result.tally)},
          {"seconds", std::round(result.seconds * 1000) / 1000},
          {"loops_per_second", result.rate()},
          {"verdict", verdict(contest, result.tally)},
          {"commit", kCommit},
          {"compiler", __VERSION__},
          {"cores", std::thread::hardware_concurrency()}};
}

struct Arguments {
  std::vector<Contest> contests = all_contests();
  Budget budget;
  std::uint64_t seed = 1;
  std::string json;

  void choose_contests(const std::string& filter) {
    std::erase_if(contests, [&](const Contest& contest) {
      return contest.name.find(filter) == std::string::npos;
    });
    if (!contests.empty()) return;
    throw CLI::ValidationError("--filter", fmt::format("no race has '{}' in its name, as {} has",
                                                       filter, all_contests().front().name));
  }
  void choose_loops(const std::string& text) {
    budget.loops = command_line::whole_number("--loops", text, 1);
  }
  void choose_duration(const std::string& text) {
    budget.seconds = command_line::seconds("--duration", text);
  }
  void choose_seed(const std::string& text) {
    seed = command_line::whole_number("--seed", text, 0);
  }
};

int run_all(const Arguments& arguments) {
  std::ofstream file;
  if (!arguments.json.empty()) {
    file.open(arguments.json);
    if (!file) {
      fmt::print(stderr, "litmus: --json: cannot write '{}'; give a file in a folder that exists\n",
                 arguments.json);
      return 2;
    }
  }
  bool all_is_well = true;
  for (const Contest& contest : arguments.contests) {
    const Result result = run(contest, arguments.seed, arguments.budget);
    const bool is_well = result.tally.fault == nullptr && contest.race.was_run(result.tally);
    all_is_well = all_is_well && is_well;
    const std::string line = to_json(contest, arguments.seed, result).dump();
    std::cout << line << std::endl;
    file << line << std::endl;
  }
  return all_is_well ? 0 : 1;
}

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  timers::Arguments arguments;
  CLI::App app("Lets threads race for the timers of services, and sees that each has one winner.",
               "litmus");
  auto* loops = app.add_option_function<std::string>(
      "--loops", [&](const std::string& text) { arguments.choose_loops(text); },
      "Stop each race after so many timers, or calls, that were raced for");
  auto* duration = app.add_option_function<std::string>(
      "--duration", [&](const std::string& text) { arguments.choose_duration(text); },
      "Stop each race after so many seconds");
  app.add_option_function<std::string>(
      "--filter", [&](const std::string& text) { arguments.choose_contests(text); },
      "Only races with this in their names: a race, a service, or RACE/SERVICE");
  app.add_option_function<std::string>(
      "--seed", [&](const std::string& text) { arguments.choose_seed(text); },
      "What is chosen at random begins with it (1)");
  app.add_option("--json", arguments.json, "Write the outcome to this file, a line for each race");
  try {
    app.parse(argc, argv);
    if (loops->empty() && duration->empty()) {
      throw CLI::ValidationError("say when to stop, by --duration SECONDS or --loops N");
    }
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "litmus: {}\n", error.what());
    return 2;
  }
  return timers::run_all(arguments);
}
