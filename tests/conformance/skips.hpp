#pragma once

/// Reports the skipped sentences of a suite in one line. GoogleTest prints two lines for each.
///
///     [  SKIPPED ] conformance/plain: 62 of 195 sentences: it cannot re-arm (28), ...

#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

namespace timers::conformance {

/// Wraps GoogleTest's own printer. Passes on all results except those of skipped sentences.
class SkipReporter final : public testing::TestEventListener {
 public:
  SkipReporter(std::unique_ptr<TestEventListener> printer, std::ostream& out)
      : printer_(std::move(printer)), out_(out) {}

  /// Puts a reporter in the place of this program's printer; does nothing if there is a reporter
  /// already.
  static void install() {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (installed() != nullptr || listeners.default_result_printer() == nullptr) return;
    std::unique_ptr<TestEventListener> printer(
        listeners.Release(listeners.default_result_printer()));
    installed() = new SkipReporter(std::move(printer), std::cout);
    listeners.Append(installed());  // The list owns it now.
  }

  /// Skips the current test. Its reason is printed when its suite ends.
  static void skip(const std::string& reason) {
    if (installed() != nullptr) installed()->note(reason);
    GTEST_SKIP() << reason;
  }

  /// A sentence is about to be skipped.
  void note(const std::string& reason) {
    ++reasons_[reason];
    is_quiet_ = true;
  }

 private:
  using UnitTest = testing::UnitTest;
  using TestSuite = testing::TestSuite;
  using TestInfo = testing::TestInfo;

  static SkipReporter*& installed() {
    static SkipReporter* reporter = nullptr;
    return reporter;
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.skipped() && std::exchange(is_quiet_, false)) return;
    printer_->OnTestPartResult(result);
  }

  void OnTestSuiteEnd(const TestSuite& suite) override {
    printer_->OnTestSuiteEnd(suite);
    if (reasons_.empty()) return;
    std::size_t skipped = 0;
    std::string reasons;
    for (const auto& [reason, count] : std::exchange(reasons_, {})) {
      skipped += count;
      reasons += (reasons.empty() ? "" : ", ") + reason + " (" + std::to_string(count) + ")";
    }
    out_ << "[  SKIPPED ] " << suite.name() << ": " << skipped << " of "
         << suite.test_to_run_count() << " sentences: " << reasons << std::endl;
  }

  // All other events go to the printer.
  void OnTestProgramStart(const UnitTest& all) override { printer_->OnTestProgramStart(all); }
  void OnTestIterationStart(const UnitTest& all, int iteration) override {
    printer_->OnTestIterationStart(all, iteration);
  }
  void OnEnvironmentsSetUpStart(const UnitTest& all) override {
    printer_->OnEnvironmentsSetUpStart(all);
  }
  void OnEnvironmentsSetUpEnd(const UnitTest& all) override {
    printer_->OnEnvironmentsSetUpEnd(all);
  }
  void OnTestSuiteStart(const TestSuite& suite) override { printer_->OnTestSuiteStart(suite); }
  void OnTestStart(const TestInfo& test) override { printer_->OnTestStart(test); }
  void OnTestEnd(const TestInfo& test) override { printer_->OnTestEnd(test); }
  void OnEnvironmentsTearDownStart(const UnitTest& all) override {
    printer_->OnEnvironmentsTearDownStart(all);
  }
  void OnEnvironmentsTearDownEnd(const UnitTest& all) override {
    printer_->OnEnvironmentsTearDownEnd(all);
  }
  void OnTestIterationEnd(const UnitTest& all, int iteration) override {
    printer_->OnTestIterationEnd(all, iteration);
  }
  void OnTestProgramEnd(const UnitTest& all) override { printer_->OnTestProgramEnd(all); }

  const std::unique_ptr<TestEventListener> printer_;
  std::ostream& out_;
  std::map<std::string, std::size_t> reasons_;  // of the suite that runs now
  bool is_quiet_ = false;
};

}  // namespace timers::conformance
