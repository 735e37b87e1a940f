#pragma once

/// Schedules as text, for tests that compare them.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// The steps as text, for example "expire 3, insert 0 5 #20": verb, slot, tick and line.
inline std::vector<std::string> words(const Schedule& schedule) {
  std::vector<std::string> all;
  for (const Step& step : schedule.steps) {
    switch (step.verb()) {
      case Step::Verb::expire:
        all.push_back(fmt::format("expire {}", step.tick));
        break;
      case Step::Verb::insert:
        all.push_back(fmt::format("insert {} {} #{}", step.slot(), step.tick, step.line));
        break;
      case Step::Verb::rearm:
        all.push_back(fmt::format("rearm {} {} #{}", step.slot(), step.tick, step.line));
        break;
      case Step::Verb::cancel:
        all.push_back(fmt::format("cancel {} #{}", step.slot(), step.line));
        break;
    }
  }
  return all;
}

}  // namespace timers::benches
