/// Tasks that throw: they do no harm to other tasks.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/services/delays.hpp"
#include "tests/conformance/services/scenario.hpp"
#include "tests/conformance/services/sentence.hpp"

namespace timers::service_conformance::about_errors {
namespace {

using Texts = std::vector<std::string>;

Scenario::Deed throwing(const char* text) {
  return [text] { throw std::runtime_error(text); };
}

// A-73, B-N-27
const Sentence others("LosesNoOtherTaskWhenOneThrows", [](const ServiceKind& kind) {
  for (Id thrower = 0; thrower < 4; ++thrower) {
    SCOPED_TRACE(thrower);
    Scenario service(kind);
    for (Id id = 0; id < 4; ++id) {
      service.schedule(id, 5ms, id == thrower ? throwing("on purpose") : Scenario::Deed());
    }
    service.schedule(4, 1h);
    service.pass(5ms);
    EXPECT_TRUE(service.ran({0, 1, 2, 3}));
    service.schedule(5, 5ms);
    service.pass(1h);
    EXPECT_TRUE(service.ran({0, 1, 2, 3, 4, 5}));
  }
});

//
const Sentence handler("TellsItsHandlerWhatATaskThrew", [](Scenario& service) {
  service.needs_error_handler();
  service.schedule(1, 1s, throwing("first"));
  service.schedule(2, 5s, [] { throw 42; });
  service.schedule(3, 9s, throwing("third"));
  service.run_for(4s);
  EXPECT_EQ(service.errors(), (Texts{"first"}));
  service.pass(10s);
  EXPECT_EQ(service.errors(), (Texts{"first", "no std::exception", "third"}));
});

const Sentence where("CallsItsHandlerOnTheThreadOfTheTask", [](Scenario& service) {
  service.needs_error_handler();
  std::thread::id of_task;
  std::thread::id of_handler;
  service.on_error([&] { of_handler = std::this_thread::get_id(); });
  service.schedule(1, 5ms, [&] {
    of_task = std::this_thread::get_id();
    throw std::runtime_error("on purpose");
  });
  service.pass(5ms);
  EXPECT_TRUE(service.ran({1}));
  EXPECT_EQ(of_handler, of_task);
});

//
const Sentence consumed("ConsumesATaskThatThrows", [](Scenario& service) {
  service.schedule(1, 5ms, throwing("on purpose"));
  service.pass(5ms);
  EXPECT_EQ(service.destroyed(1), 1);
  EXPECT_EQ(service.cancel(1), CancelResult::gone);
  EXPECT_EQ(service.pending(), 0u);
  service.jump(10h);
  EXPECT_TRUE(service.ran({1}));
});

//
const Sentence every_one("GoesOnAfterEachOfManyThrows", [](Scenario& service) {
  service.needs_error_handler();
  constexpr Id kTimers = 100;
  for (Id id = 0; id < kTimers; ++id) {
    service.schedule(id, id % 7 * 1ms, throwing("on purpose"));
  }
  service.pass(10ms);
  EXPECT_EQ(service.log().size(), static_cast<std::size_t>(kTimers));
  EXPECT_EQ(service.errors().size(), static_cast<std::size_t>(kTimers));
});

// C-17
const Sentence calls_in("LetsItsHandlerCallIn", [](Scenario& service) {
  service.needs_error_handler();
  service.schedule(1, 5ms, throwing("on purpose"));
  service.schedule(2, 1h);
  auto result = CancelResult::gone;
  service.on_error([&] {
    EXPECT_EQ(service.pending(), 1u);
    result = service.cancel(2);
    service.schedule(3, 5ms);
  });
  service.pass(5ms);
  EXPECT_EQ(result, CancelResult::cancelled);
  service.pass(5ms);
  EXPECT_TRUE(service.ran({1, 3}));
});

}  // namespace
}  // namespace timers::service_conformance::about_errors
