#pragma once

/// The exhibits of a program of the museum, and their names.

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace timers::museum {

/// Each of these registers an exhibit with the kit.
inline std::vector<std::function<void()>>& exhibits() {
  static std::vector<std::function<void()>> all;
  return all;
}

/// The name of a file, without its folder and its suffix. An exhibit has the name of its file.
constexpr std::string_view stem_of(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);
  return file.substr(0, file.find('.'));
}

}  // namespace timers::museum
