#pragma once

/// The conformance kit for timer services as they are: with their own clock, and with their own
/// threads.
///
///     #include "my_timer.hpp"
///     #include "tests/conformance/real_time/real_time_conformance.hpp"
///
///     int main(int argc, char** argv) {
///       testing::InitGoogleTest(&argc, argv);
///       const auto make = [] { return std::make_unique<MyTimer>(); };
///       timers::real_time::register_service("my_timer", make);
///       return RUN_ALL_TESTS();
///     }
///
/// Link `timerbench::real_time_conformance`. The service needs two verbs:
///
///     handle = schedule(std::chrono::nanoseconds delay, std::function<void()> task)
///     bool   = cancel(handle)                       // true: the task will not run
///
/// A service may also have three more verbs. Each is tested if it is there:
///
///     bool   = rearm(handle, std::chrono::nanoseconds delay)  // true: it waits for the new delay
///     handle = schedule_at_fixed_rate(nanoseconds first, nanoseconds period, task)
///              stop()        // may return the tasks that never ran, in anything that has a size()
///
/// `cancel` also takes the handle of a timer that repeats. `schedule` may throw when the service
/// was stopped, or for a delay that it refuses. If your verbs have other names, wrap the service in
/// a class of a few lines. Handles must be copyable. The kit tests these five verbs, and all that
/// real time can show of them; the contract is in impls/timer_service.hpp. No test judges how late
/// a task is, and no test fails because a machine is busy.
///
/// Each test runs in a process of its own. If a service crashes or hangs there, this test fails,
/// and its report has the state of all threads. Then the next test runs. A process hangs if nothing
/// has happened in it for five seconds, while the test program itself kept running.
///
/// The other kit, tests/conformance/services/service_conformance.hpp, finds more: it moves time by
/// hand. For this the service must take its clock as a template parameter.

#include <string>
#include <utility>

#include "tests/conformance/real_time/any_service.hpp"

namespace timers::real_time {

/// Registers every test of the kit for services of this kind, in the suite `real_time/<its name>`.
/// Call it before RUN_ALL_TESTS, once for each name.
void register_kind(const ServiceKind& kind);

/// Registers every test for the service that `make()` returns in a std::unique_ptr. If it promises
/// less than the defaults of Promises, say so in `promises`.
template <class Make>
void register_service(const std::string& name, Make make, const Promises& promises = {}) {
  register_kind(kind_of(name, std::move(make), promises));
}

}  // namespace timers::real_time
