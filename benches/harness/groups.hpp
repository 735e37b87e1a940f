#pragma once

/// Properties of the things that a program measures, as groups of their names.
///
/// Charts give each family one colour, and sentences are about groups, so neither has to name an
/// implementation. A program writes its groups into the context of its results: `families` and
/// `properties` list the names of the groups, and each group has its members under its name.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "impls/listed.hpp"

namespace timers::benches {

/// The name under which an equal implementation takes part again. The difference between the two
/// shows how large a difference between others must be to mean something. All of them are the group
/// `twins`.
inline std::string twin_of(std::string_view name) { return std::string(name) + "_twin"; }

class Groups {
 public:
  Groups() {
    for (const std::string_view family : kFamilyNames) find(families_, family);
  }

  void add(Family family, std::string_view member) { find(families_, name_of(family)).add(member); }

  /// Creates the group even if nothing has the property.
  void add_if(bool has_property, std::string_view property, std::string_view member) {
    Group& group = find(properties_, property);
    if (has_property) group.add(member);
  }

  /// Keys and values. A group without members has no key.
  std::vector<std::pair<std::string, std::string>> context() const {
    std::vector<std::pair<std::string, std::string>> lines;
    if (properties_.empty()) return lines;
    lines.emplace_back("families", names_of(families_));
    lines.emplace_back("properties", names_of(properties_));
    for (const auto* groups : {&families_, &properties_}) {
      for (const Group& group : *groups) {
        if (!group.members.empty()) lines.emplace_back(group.name, in_a_line(group.members));
      }
    }
    return lines;
  }

 private:
  struct Group {
    std::string name;
    std::vector<std::string> members;

    /// Adds a member only once: a service and its default setting may have the same name.
    void add(std::string_view member) {
      if (std::find(members.begin(), members.end(), member) == members.end()) {
        members.emplace_back(member);
      }
    }
  };

  static Group& find(std::vector<Group>& groups, std::string_view name) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [=](const Group& group) { return group.name == name; });
    return found != groups.end() ? *found : groups.emplace_back(Group{std::string(name), {}});
  }

  static std::string in_a_line(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
  }

  static std::string names_of(const std::vector<Group>& groups) {
    std::vector<std::string> names;
    for (const Group& group : groups) names.push_back(group.name);
    return in_a_line(names);
  }

  std::vector<Group> families_;
  std::vector<Group> properties_;
};

}  // namespace timers::benches
