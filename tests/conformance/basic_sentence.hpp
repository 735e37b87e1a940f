#pragma once

/// The elements of a kit: sentences. Each sentence of the kit for queues tests any queue, and each
/// sentence of a kit for services any service.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/hangs.hpp"
#include "tests/conformance/skips.hpp"

namespace timers::conformance {

/// Thrown to skip the current test, for a subject that lacks an ability or a promise. The reason is
/// a statement about the subject: "it cannot re-arm".
struct Skip {
  std::string reason;
};

/// A test with its name. `Kind` describes the subject and how to make it. `Scenario(kind)` is a
/// fresh subject under observation. `Scenario::live(kind, body)` makes one itself, and runs the
/// body with it. The definition of a sentence adds it to its kit; there is no list to maintain.
template <class Kind, class Scenario>
class BasicSentence {
 public:
  BasicSentence(const char* name, void (*body)(const Kind&), const char* file = __builtin_FILE(),
                int line = __builtin_LINE())
      : name_(name), file_(file), line_(line), test_(body) {
    registry().push_back(this);
  }
  BasicSentence(const char* name, void (*body)(Scenario&), const char* file = __builtin_FILE(),
                int line = __builtin_LINE())
      : name_(name), file_(file), line_(line), test_([body](const Kind& kind) {
          if constexpr (requires { Scenario::live(kind, body); }) {
            Scenario::live(kind, body);
          } else {
            Scenario scenario(kind);
            body(scenario);
          }
        }) {
    registry().push_back(this);
  }
  BasicSentence(const BasicSentence&) = delete;
  BasicSentence& operator=(const BasicSentence&) = delete;

  const char* name() const { return name_; }

  /// Runs the test as the body of a Google test.
  void test(const Kind& kind) const { test_(kind); }

  /// All sentences of the kit that are linked in.
  static const std::vector<const BasicSentence*>& all() { return registry(); }

  /// Registers a Google test for each sentence, in a suite of this name.
  static void register_all(const std::string& suite, const Kind& kind) {
    SkipReporter::install();
    for (const BasicSentence* sentence : all()) {
      testing::RegisterTest(
          suite.c_str(), sentence->name_, nullptr, nullptr, sentence->file_, sentence->line_,
          [sentence, kind]() -> testing::Test* { return new GoogleTest(*sentence, kind); });
    }
  }

 private:
  class GoogleTest final : public testing::Test {
   public:
    GoogleTest(const BasicSentence& sentence, Kind kind)
        : sentence_(sentence), kind_(std::move(kind)) {}

   private:
    void TestBody() override {
      const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
      if (has_hung(std::string(test.test_suite_name()) + "." + test.name())) {
        FAIL() << "It hung before the program restarted. What its threads did is printed above the "
                  "first test.";
      }
      try {
        sentence_.test(kind_);
      } catch (const Skip& skip) {
        SkipReporter::skip(skip.reason);
      }
    }

    const BasicSentence& sentence_;
    const Kind kind_;
  };

  static std::vector<const BasicSentence*>& registry() {
    static std::vector<const BasicSentence*> sentences;
    return sentences;
  }

  const char* name_;
  const char* file_;
  int line_;
  std::function<void(const Kind&)> test_;
};

}  // namespace timers::conformance
