#pragma once

/// Numbers on the command lines of the tools. Each is accepted only as a whole, or refused with a
/// message.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace timers::command_line {

/// The number in `text`, if it has a number and nothing else.
template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

inline std::uint64_t whole_number(const std::string& option, const std::string& text,
                                  std::uint64_t least) {
  const auto number = parse<std::uint64_t>(text);
  if (number && *number >= least) return *number;
  throw CLI::ValidationError(
      option, fmt::format("'{}' is not a whole number from {} to 2^64 - 1", text, least));
}

inline double seconds(const std::string& option, const std::string& text) {
  const auto number = parse<double>(text);
  if (number && std::isfinite(*number) && *number > 0) return *number;
  throw CLI::ValidationError(option,
                             fmt::format("'{}' is not a number of seconds greater than 0", text));
}

}  // namespace timers::command_line
