#include "tests/conformance/conformance.hpp"

#include <memory>
#include <string>

#include "tests/conformance/sentence.hpp"

namespace timers::conformance {

namespace {

class ConformanceTest final : public testing::Test {
 public:
  ConformanceTest(const Sentence& sentence, std::shared_ptr<const QueueKind> kind)
      : sentence_(sentence), kind_(std::move(kind)) {}

 private:
  void TestBody() override {
    try {
      sentence_.test(*kind_);
    } catch (const Skip& skip) {
      GTEST_SKIP() << skip.reason;
    }
  }

  const Sentence& sentence_;
  std::shared_ptr<const QueueKind> kind_;
};

}  // namespace

void register_kind(const QueueKind& kind) {
  const auto shared = std::make_shared<const QueueKind>(kind);
  const std::string suite = "conformance/" + kind.name;
  for (const Sentence* sentence : Sentence::all()) {
    testing::RegisterTest(
        suite.c_str(), sentence->name(), nullptr, nullptr, sentence->file(), sentence->line(),
        [sentence, shared]() -> testing::Test* { return new ConformanceTest(*sentence, shared); });
  }
}

std::vector<const Sentence*>& Sentence::registry() {
  static std::vector<const Sentence*> sentences;
  return sentences;
}

Sentence::Sentence(const char* name, void (*body)(const QueueKind&), const char* file, int line)
    : name_(name), file_(file), line_(line), test_(body) {
  registry().push_back(this);
}

Sentence::Sentence(const char* name, void (*body)(Scenario&), const char* file, int line)
    : name_(name), file_(file), line_(line), test_([body](const QueueKind& kind) {
        Scenario queue(kind);
        body(queue);
      }) {
  registry().push_back(this);
}

}  // namespace timers::conformance
