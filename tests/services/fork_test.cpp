/// What a forked process may do with a service of its parent, and that the parent does not notice.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/services/heap_timer.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/services/any_service.hpp"
#include "tests/services/all_services.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;
using service_conformance::AnyService;
using Kind = service_conformance::BasicServiceKind<SteadyClock>;

/// The malloc of a sanitizer may hang in the child, for a lock that a thread of the parent held.
constexpr const char* kSanitizersDoNotFork =
    "sanitizers support no child of a process whose other threads allocate";

/// ThreadSanitizer ends a child that starts a thread. Besides, once in some hundred of these tests
/// it fails a check of its own in the parent, when glibc reuses the stack of an ended thread for a
/// new one.
constexpr const char* kThreadSanitizerDoesNotFork =
    "ThreadSanitizer does not support forks of a process with several threads";

constexpr int kAllIsWell = 0;
constexpr int kATaskDied = 3;
constexpr int kATaskRan = 4;

/// Waits for a child to end, and kills it if it does not. Returns "exit 0", or in which other way
/// it ended.
std::string end_of(pid_t child) {
  using Wall = std::chrono::steady_clock;
  const auto limit = Wall::now() + 20s;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && Wall::now() < limit) {
    std::this_thread::sleep_for(1ms);
  }
  if (ended == 0) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return "hung";
  }
  if (ended != child) return "no child";
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status));
}

/// Runs `deed` in a child, which exits with status 0 when `deed` returns. Returns how the child
/// ended.
std::string in_a_child(const std::function<void()>& deed) {
  const pid_t child = fork();
  if (child < 0) return "no child";
  if (child == 0) {
    deed();
    _exit(kAllIsWell);
  }
  return end_of(child);
}

/// A task that must neither run nor be destroyed in a child.
class ParentsTask {
 public:
  explicit ParentsTask(std::atomic<int>& runs) : runs_(&runs), parent_(getpid()) {}
  ParentsTask(ParentsTask&& other) noexcept
      : runs_(std::exchange(other.runs_, nullptr)), parent_(other.parent_) {}
  ParentsTask& operator=(ParentsTask&&) = delete;
  ~ParentsTask() {
    if (runs_ != nullptr && getpid() != parent_) _exit(kATaskDied);
  }

  void operator()() {
    if (getpid() != parent_) _exit(kATaskRan);
    ++*runs_;
  }

 private:
  std::atomic<int>* runs_;
  pid_t parent_;
};

class AForkedService : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (conformance::kThreadSanitized) GTEST_SKIP() << kThreadSanitizerDoesNotFork;
    service_ = GetParam().make(clock_);
  }

  /// Waits until the service has run a task that is due at once.
  void expect_that_it_goes_on() {
    std::binary_semaphore ran(0);
    service_->schedule(1ms, [&] { ran.release(); });
    EXPECT_TRUE(ran.try_acquire_for(20s));
  }

  SteadyClock clock_;
  std::unique_ptr<AnyService> service_;
};

TEST_P(AForkedService, MayBeDestroyedWhileItsThreadsSleep) {
  expect_that_it_goes_on();  // so its threads have started
  EXPECT_EQ(in_a_child([&] { service_.reset(); }), "exit 0");
  expect_that_it_goes_on();
}

TEST_P(AForkedService, MayBeDestroyedWhileATaskRuns) {
  std::binary_semaphore runs(0);
  std::binary_semaphore may_end(0);
  service_->schedule(0ms, [&] {
    runs.release();
    may_end.acquire();
  });
  runs.acquire();
  EXPECT_EQ(in_a_child([&] { service_.reset(); }), "exit 0");
  may_end.release();
  expect_that_it_goes_on();  // perhaps on another thread than the first task
  service_->stop();          // before the semaphores are destroyed that the task uses
}

TEST_P(AForkedService, RunsAndDestroysNoTaskInTheChild) {
  constexpr int kTasks = 100;
  std::atomic<int> runs = 0;
  for (int i = 0; i < kTasks; ++i) service_->schedule(100ms, ParentsTask(runs));
  service_->schedule(1h, ParentsTask(runs));
  EXPECT_EQ(in_a_child([&] {
              std::this_thread::sleep_for(250ms);  // ticks are up to 100 ms
              service_.reset();
            }),
            "exit 0");
  while (runs < kTasks) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(service_->stop().size(), 1);
}

/// The child may destroy the service, whatever the parent's threads do to it, and whatever locks
/// they hold.
TEST_P(AForkedService, MayBeDestroyedWhereverOtherThreadsAre) {
  if (conformance::kSanitized) GTEST_SKIP() << kSanitizersDoNotFork;
  constexpr int kChildren = 50;
  std::atomic<bool> is_over = false;
  const auto work = [&](Duration delay) {
    while (!is_over) {
      std::vector<AnyService::Handle> handles;
      for (int i = 0; i < 100; ++i) handles.push_back(service_->schedule(delay, [] {}));
      for (const auto& handle : handles) service_->cancel(handle);
    }
  };
  std::vector<std::jthread> workers;
  for (const Duration delay : {Duration(0), Duration(1ms)}) workers.emplace_back(work, delay);
  for (int i = 0; i < kChildren; ++i) {
    const std::string end = in_a_child([&] { service_.reset(); });
    EXPECT_EQ(end, "exit 0") << "child " << i;
    if (end != "exit 0") break;
  }
  is_over = true;
  workers.clear();
  expect_that_it_goes_on();
}

TEST_P(AForkedService, LetsTheChildDropItsHandles) {
  std::binary_semaphore ran(0);
  std::vector<AnyService::Handle> handles;
  handles.push_back(service_->schedule(0ms, [&] { ran.release(); }));
  ran.acquire();
  handles.push_back(service_->schedule(1h, [] {}));
  handles.push_back(service_->schedule(1h, [] {}));
  EXPECT_EQ(service_->cancel(handles.back()), CancelResult::cancelled);
  EXPECT_EQ(in_a_child([&] {
              const std::vector<AnyService::Handle> copies = handles;
              handles.clear();
            }),
            "exit 0");
  EXPECT_EQ(in_a_child([&] {
              service_.reset();
              handles.clear();
            }),
            "exit 0");
  EXPECT_EQ(service_->cancel(handles[1]), CancelResult::cancelled);
}

TEST_P(AForkedService, LetsTheChildHaveAServiceOfItsOwn) {
  if (conformance::kSanitized) GTEST_SKIP() << kSanitizersDoNotFork;
  service_->schedule(1h, [] {});
  expect_that_it_goes_on();
  const auto use_another = [&] {
    service_.reset();
    service_ = GetParam().make(clock_);
    std::binary_semaphore ran(0);
    service_->schedule(1ms, [&] { ran.release(); });
    ran.acquire();
    service_->schedule(1h, [] {});
    if (service_->stop().size() != 1) _exit(EXIT_FAILURE);
    service_.reset();
  };
  EXPECT_EQ(in_a_child(use_another), "exit 0");
  // A grandchild may destroy a service that the child has made.
  const auto fork_again = [&] {
    service_ = GetParam().make(clock_);
    service_->schedule(1h, [] {});
    if (in_a_child(use_another) != "exit 0") _exit(EXIT_FAILURE);
  };
  EXPECT_EQ(in_a_child(fork_again), "exit 0");
}

TEST_P(AForkedService, LetsATaskFork) {
  std::binary_semaphore ran(0);
  std::string end;
  service_->schedule(0ms, [&] {
    end = in_a_child([&] { service_.reset(); });
    ran.release();
  });
  ran.acquire();
  EXPECT_EQ(end, "exit 0");
  expect_that_it_goes_on();
}

TEST(AForkedTask, IsInNoTaskOfAServiceThatTheChildMakesInTheSamePlace) {
  if (conformance::kSanitized) GTEST_SKIP() << kSanitizersDoNotFork;
  SteadyClock clock;
  std::optional<HeapTimer<SteadyClock>> service(std::in_place, clock);
  std::binary_semaphore ran(0);
  std::string end;
  service->schedule(0ms, [&] {
    end = in_a_child([&] {
      service.emplace(clock);
      service->stop();
      service.reset();
    });
    ran.release();
  });
  ran.acquire();
  EXPECT_EQ(end, "exit 0");
}

INSTANTIATE_TEST_SUITE_P(Services, AForkedService, testing::ValuesIn(all_services<SteadyClock>()),
                         [](const auto& kind) { return kind.param.name; });

TEST(AForkedPoolExecutor, MayBeDestroyedAndDestroysNoTask) {
  if (conformance::kThreadSanitized) GTEST_SKIP() << kThreadSanitizerDoesNotFork;
  SteadyClock clock;
  std::atomic<int> runs = 0;
  std::binary_semaphore is_busy(0);
  std::binary_semaphore may_end(0);
  auto pool = std::make_unique<PoolExecutor<SteadyClock>>(clock, 1);
  pool->execute([&] {
    is_busy.release();
    may_end.acquire();
  });
  is_busy.acquire();
  pool->execute(ParentsTask(runs));
  EXPECT_EQ(in_a_child([&] { pool.reset(); }), "exit 0");
  may_end.release();
  while (runs < 1) std::this_thread::sleep_for(1ms);
}

}  // namespace
}  // namespace timers
