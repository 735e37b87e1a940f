#include "benches/workloads/load_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "load_rules.hpp"

namespace timers::benches {

namespace {

using Json = nlohmann::json;

constexpr const char* kForm = "timerbench load 1";

const Json& rules() {
  static const Json parsed = Json::parse(kLoadRules);
  return parsed;
}

void check(const std::string& place, const Json& value, const Json& rule) {
  const auto is_right = [&] {
    if (!value.is_number()) return false;
    const auto number = value.get<double>();
    return number >= rule["least"] && number <= rule["most"] &&
           (!rule.value("whole", false) || number == std::floor(number));
  };
  if (!is_right()) {
    throw LoadError(fmt::format("{} is {}; right is {}", place, value.dump(),
                                rule["right"].get<std::string>()));
  }
}

void check_object(const std::string& place, const Json& value) {
  if (!value.is_object())
    throw LoadError(fmt::format("{} is {}, and no object", place, value.dump()));
}

/// The members of an object: values from the file, or defaults.
class Members {
 public:
  Members(std::string place, const Json& object, const Json& rules)
      : place_(std::move(place)), object_(object), rules_(rules) {}

  double operator[](const char* name) const {
    const Json& rule = rules_[name];
    if (object_.contains(name)) {
      check(place_ + name, object_[name], rule);
      return object_[name].get<double>();
    }
    if (rule.contains("default")) return rule["default"].get<double>();
    throw LoadError(fmt::format("{}{} is missing; right is {}", place_, name,
                                rule["right"].get<std::string>()));
  }

  void refuse_others() const {
    for (const auto& [name, value] : object_.items()) {
      if (!rules_.contains(name)) throw LoadError(fmt::format("{}{} is unknown", place_, name));
    }
  }

 private:
  std::string place_;
  const Json& object_;
  const Json& rules_;
};

template <class Part, class Make>
std::vector<Part> parts_of(const Json& file, const char* kind, Make make) {
  std::vector<Part> parts;
  if (!file.contains(kind)) return parts;
  const Json& list = file[kind];
  if (!list.is_array()) throw LoadError(fmt::format("{} is {}, and no list", kind, list.dump()));
  for (const Json& value : list) {
    const std::string place = fmt::format("{}[{}]", kind, parts.size());
    check_object(place, value);
    const Members members(place + '.', value, rules()[kind]);
    members.refuse_others();
    parts.push_back(make(members));
  }
  return parts;
}

Periodic periodic_of(const Members& members) {
  return {.timers = members["timers"], .period_s = members["period_s"]};
}

void check_together(const Load& load) {
  const Json& together = rules()["together"];
  const auto check_that = [&](const char* what, double value) {
    check(what, value, together[what]);
  };
  if (load.connections.empty() && load.calls.empty() && load.periodic.empty() &&
      load.bursts.empty()) {
    throw LoadError(
        "it has no connections, calls, periodic timers or bursts; right is one or more");
  }
  const double rate = operations_a_second(load);
  double longest_s = 0;
  for (const Periodic& burst : load.bursts) longest_s = std::max(longest_s, burst.period_s);
  check_that("pending", mean_pending(load));
  check_that("operations_a_second", rate);
  check_that("ticks_of_the_shortest_delay", shortest_delay_s(load) / (load.tick_ms / 1e3));
  check_that("operations_between_bursts", rate * longest_s);
}

Load load_of(const Json& file) {
  check_object("the file", file);
  if (file.value("form", Json()) != kForm) {
    throw LoadError(
        fmt::format("form is {}; right is \"{}\"", file.value("form", Json()).dump(), kForm));
  }
  for (const auto& [name, value] : file.items()) {
    const bool is_part = rules().contains(name) && name != "load" && name != "together";
    if (name != "form" && !is_part && !rules()["load"].contains(name)) {
      throw LoadError(name + " is unknown");
    }
  }
  Load load{
      .tick_ms = Members("", file, rules()["load"])["tick_ms"],
      .connections = parts_of<Connections>(file, "connections",
                                           [](const Members& members) {
                                             return Connections{
                                                 .pending = members["pending"],
                                                 .rearms_a_second = members["rearms_a_second"],
                                                 .limit_s = members["limit_s"]};
                                           }),
      .calls = parts_of<Calls>(file, "calls",
                               [](const Members& members) {
                                 return Calls{.a_second = members["a_second"],
                                              .limit_s = members["limit_s"],
                                              .cancelled_percent = members["cancelled_percent"],
                                              .answer_ms = members["answer_ms"]};
                               }),
      .periodic = parts_of<Periodic>(file, "periodic", &periodic_of),
      .bursts = parts_of<Periodic>(file, "bursts", &periodic_of)};
  check_together(load);
  return load;
}

}  // namespace

Load read_load(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw LoadError(fmt::format("{} cannot be read", path.string()));
  const Json file = Json::parse(stream, nullptr, false);
  if (file.is_discarded()) throw LoadError(fmt::format("{} is not JSON", path.string()));
  try {
    return load_of(file);
  } catch (const LoadError& error) {
    throw LoadError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace timers::benches
