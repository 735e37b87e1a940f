#pragma once

/// What is wrong, in three lines: the law of the contract, what was expected, and what was seen.

#include <string>

namespace timers::conformance {

struct Objection {
  std::string law;
  std::string expected;
  std::string seen;
};

inline std::string in_words(const Objection& objection) {
  return "law:      " + objection.law + "\nexpected: " + objection.expected +
         "\nseen:     " + objection.seen;
}

}  // namespace timers::conformance
