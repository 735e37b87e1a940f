#pragma once

/// The conformance kit for timer services as they are: on the clock that they have, with threads of
/// their own.
///
///     #include "my_timer.hpp"
///     #include "tests/conformance/real_time/real_time_conformance.hpp"
///
///     int main(int argc, char** argv) {
///       testing::InitGoogleTest(&argc, argv);
///       timers::real_time::register_service("my_timer", [] { return std::make_unique<MyTimer>();
///       }); return RUN_ALL_TESTS();
///     }
///
/// Link `timerbench::real_time_conformance`. The service needs two verbs:
///
///     handle = schedule(std::chrono::nanoseconds delay, std::function<void()> task)
///     bool   = cancel(handle)                       // true: the task will not run
///
/// and may have three more, which are tested if they are there:
///
///     bool   = rearm(handle, std::chrono::nanoseconds delay)  // true: it waits for that instead
///     handle = schedule_at_fixed_rate(nanoseconds first, nanoseconds period, task)  // for
///     `cancel`
///              stop()        // may return the tasks that never ran, in anything that has a size()
///
/// `schedule` may throw when the service was stopped, or for a delay that it refuses. If your verbs
/// have other names, wrap the service in a class of a few lines. All of the contract in
/// impls/timer_service.hpp that real time can show is tested. No test judges how late a task is,
/// and none fails because a machine is busy.
///
/// Each test runs in a process of its own. A service that crashes or hangs there fails the test by
/// name, with the state of all its threads, and the next test goes on. A process hangs if nothing
/// has happened in it for five seconds, while the test program itself went on.
///
/// The other kit, tests/conformance/services/service_conformance.hpp, tells more: it moves time by
/// hand. For that a service takes its clock as a parameter.

#include <string>
#include <utility>

#include "tests/conformance/real_time/any_service.hpp"

namespace timers::real_time {

/// Registers every test of the kit for services of this kind, in the suite `real_time/<its name>`.
/// To be called before RUN_ALL_TESTS, once for each name.
void register_kind(const ServiceKind& kind);

/// Registers every test for the service that `make()` returns in a std::unique_ptr. Say by
/// `promises` what it promises less than the strictest.
template <class Make>
void register_service(const std::string& name, Make make, const Promises& promises = {}) {
  register_kind(kind_of(name, std::move(make), promises));
}

}  // namespace timers::real_time
