/// Runs random histories on the queues of the catalog, on small wheels and on queues with weak
/// promises. Compares each queue with the model, for as long as the user wants.
///
///     soak --queue hashed_wheel --operations 1000000000 --json soak.json
///
/// The n-th history of a queue has the seed --seed + n. A run with the seed of a history as --seed
/// begins with that history. The exit status is 0, 1 if a queue diverged from the model, and 2 if
/// the arguments are wrong.

#include <fmt/core.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commit.hpp"
#include "tests/command_line.hpp"
#include "tests/conformance/queues/any_queue.hpp"
#include "tests/conformance/queues/history.hpp"
#include "tests/conformance/queues/random_history.hpp"
#include "tests/conformance/queues/shrink.hpp"
#include "tests/queues/all_queues.hpp"

namespace timers {
namespace {

using conformance::History;
using conformance::QueueKind;
using std::chrono::steady_clock;

std::vector<QueueKind> all_queues() {
  std::vector<QueueKind> kinds = queues_of_catalog();
  for (const auto& more : {small_queues(), weak_queues()}) {
    kinds.insert(kinds.end(), more.begin(), more.end());
  }
  return kinds;
}

/// When to stop: at the limit that is reached first.
struct Budget {
  std::uint64_t operations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

struct Outcome {
  std::uint64_t histories = 0;
  std::uint64_t operations = 0;
  double seconds = 0;
  std::uint64_t divergences = 0;

  std::uint64_t rate() const {
    return seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(operations) / seconds) : 0;
  }
};

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

void show(const QueueKind& kind, const Outcome& outcome) {
  fmt::print(stderr, "{:24} {:7.0f} s {:10.1f} M operations {:6.2f} M/s {} divergences\n",
             kind.name, outcome.seconds, static_cast<double>(outcome.operations) / 1e6,
             static_cast<double>(outcome.rate()) / 1e6, outcome.divergences);
}

/// Runs histories on a queue until the budget is used up, or until a history shows a fault.
Outcome soak(const QueueKind& kind, std::uint64_t seed, const Budget& budget) {
  constexpr double kSecondsBetweenLines = 5;
  constexpr std::size_t kMaxLength = 1 << 15;  // some thousand timers are pending then
  const auto start = steady_clock::now();
  Outcome outcome;
  double next_line = kSecondsBetweenLines;
  while (outcome.operations < budget.operations && outcome.seconds < budget.seconds) {
    const std::uint64_t history_seed = seed + outcome.histories++;
    const History history = conformance::random_history(history_seed, kMaxLength);
    const auto divergence = run(history, kind, &outcome.operations);
    outcome.seconds = seconds_since(start);
    if (divergence) {
      ++outcome.divergences;
      fmt::print("{}\nIt was found with --seed {}, at operation {} of {}.\n",
                 conformance::report(history, kind), history_seed, divergence->operation,
                 history.size());
      break;
    }
    if (outcome.seconds >= next_line) {
      show(kind, outcome);
      next_line += kSecondsBetweenLines;
    }
  }
  show(kind, outcome);
  return outcome;
}

nlohmann::ordered_json to_json(const QueueKind& kind, std::uint64_t seed, const Outcome& outcome) {
  return {{"queue", kind.name},
          {"seed", seed},
          {"histories", outcome.histories},
          {"operations", outcome.operations},
          {"seconds", std::round(outcome.seconds * 1000) / 1000},
          {"operations_per_second", outcome.rate()},
          {"divergences", outcome.divergences},
          {"commit", kCommit},
          {"compiler", __VERSION__}};
}

struct Arguments {
  std::vector<QueueKind> queues;
  Budget budget;
  std::uint64_t seed = 1;
  std::string json;

  void choose_queue(const std::string& name) {
    std::vector<std::string> names;
    for (const QueueKind& kind : all_queues()) {
      if (name == "all" || name == kind.name) queues.push_back(kind);
      names.push_back(kind.name);
    }
    if (!queues.empty()) return;
    throw CLI::ValidationError("--queue", fmt::format("there is no queue '{}'; choose all, or {}",
                                                      name, fmt::join(names, ", ")));
  }
  void choose_duration(const std::string& text) {
    budget.seconds = command_line::seconds("--duration", text);
  }
  void choose_operations(const std::string& text) {
    budget.operations = command_line::whole_number("--operations", text, 1);
  }
  void choose_seed(const std::string& text) {
    seed = command_line::whole_number("--seed", text, 0);
  }
};

int soak_all(const Arguments& arguments) {
  std::ofstream file;
  if (!arguments.json.empty()) {
    file.open(arguments.json);
    if (!file) {
      fmt::print(stderr, "soak: --json: cannot write '{}'; give a file in a folder that exists\n",
                 arguments.json);
      return 2;
    }
  }
  std::uint64_t divergences = 0;
  for (const QueueKind& kind : arguments.queues) {
    const Outcome outcome = soak(kind, arguments.seed, arguments.budget);
    divergences += outcome.divergences;
    const std::string line = to_json(kind, arguments.seed, outcome).dump();
    std::cout << line << std::endl;
    file << line << std::endl;
  }
  return divergences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  timers::Arguments arguments;
  CLI::App app("Runs random histories on timer queues and holds them against a model.", "soak");
  app.add_option_function<std::string>(
      "--queue", [&](const std::string& name) { arguments.choose_queue(name); },
      "A queue of the catalog, or all");
  auto* duration = app.add_option_function<std::string>(
      "--duration", [&](const std::string& text) { arguments.choose_duration(text); },
      "Stop each queue after so many seconds");
  auto* operations = app.add_option_function<std::string>(
      "--operations", [&](const std::string& text) { arguments.choose_operations(text); },
      "Stop each queue after so many inserts, cancels, re-arms and expiries");
  app.add_option_function<std::string>(
      "--seed", [&](const std::string& text) { arguments.choose_seed(text); },
      "The seed of the first history (1)");
  app.add_option("--json", arguments.json, "Write the outcome to this file, a line for each queue");
  try {
    app.parse(argc, argv);
    if (arguments.queues.empty()) {
      throw CLI::ValidationError("say what to soak, by --queue NAME or --queue all");
    }
    if (duration->empty() && operations->empty()) {
      throw CLI::ValidationError("say when to stop, by --duration SECONDS or --operations N");
    }
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    return 2;
  }
  return timers::soak_all(arguments);
}
