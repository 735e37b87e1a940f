/// All transitions of a timer's state, which thread owns what at which time, and which is in a
/// task.

#include "impls/services/parts/timer_node.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impls/services/parts/rearmable_node.hpp"
#include "impls/services/parts/task_runner.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "impls/services/parts/trail.hpp"

namespace timers {
namespace {

/// Brings `timer` to `state`, with the calls that lead there.
AtomicTimerState<>& bring(AtomicTimerState<>& timer, TimerState state) {
  switch (state) {
    case TimerState::fresh:
    case TimerState::claimed:
      ADD_FAILURE() << "a timer that begins as pending never comes there";
      break;
    case TimerState::pending:
      break;
    case TimerState::running:
      timer.start();
      break;
    case TimerState::last_run:
      timer.start();
      timer.cancel();
      break;
    case TimerState::cancelled:
      timer.cancel();
      break;
    case TimerState::done:
      timer.start();
      timer.finish();
      break;
  }
  EXPECT_EQ(timer.load(), state);
  return timer;
}

TEST(TimerState, StartsPending) { EXPECT_EQ(AtomicTimerState<>().load(), TimerState::pending); }

TEST(TimerState, StartsARunOnlyIfItIsPending) {
  const auto starts = [](TimerState from, bool started, TimerState to) {
    AtomicTimerState<> timer;
    EXPECT_EQ(bring(timer, from).start(), started);
    EXPECT_EQ(timer.load(), to);
  };
  starts(TimerState::pending, true, TimerState::running);
  starts(TimerState::running, false, TimerState::running);
  starts(TimerState::last_run, false, TimerState::last_run);
  starts(TimerState::cancelled, false, TimerState::cancelled);
  starts(TimerState::done, false, TimerState::done);
}

//
TEST(TimerState, CancelsWhatDoesNotRunYetAndTellsWhatItFound) {
  const auto cancels = [](TimerState from, CancelResult result, TimerState to) {
    AtomicTimerState<> timer;
    EXPECT_EQ(bring(timer, from).cancel(), result);
    EXPECT_EQ(timer.load(), to);
  };
  cancels(TimerState::pending, CancelResult::cancelled, TimerState::cancelled);
  cancels(TimerState::running, CancelResult::running, TimerState::last_run);
  cancels(TimerState::last_run, CancelResult::running, TimerState::last_run);
  cancels(TimerState::cancelled, CancelResult::gone, TimerState::cancelled);
  cancels(TimerState::done, CancelResult::gone, TimerState::done);
}

TEST(TimerState, CancelsOnlyWhatIsPendingIfAskedSo) {
  const auto withdraws = [](TimerState from, bool withdrawn, TimerState to) {
    AtomicTimerState<> timer;
    EXPECT_EQ(bring(timer, from).cancel_if_pending(), withdrawn);
    EXPECT_EQ(timer.load(), to);
  };
  withdraws(TimerState::pending, true, TimerState::cancelled);
  withdraws(TimerState::running, false, TimerState::running);
  withdraws(TimerState::last_run, false, TimerState::last_run);
  withdraws(TimerState::cancelled, false, TimerState::cancelled);
  withdraws(TimerState::done, false, TimerState::done);
}

TEST(TimerState, IsPendingAgainAfterARunThatNobodyCancelled) {
  const auto rearms = [](TimerState from, bool rearmed, TimerState to) {
    AtomicTimerState<> timer;
    EXPECT_EQ(bring(timer, from).repeat(), rearmed);
    EXPECT_EQ(timer.load(), to);
  };
  rearms(TimerState::running, true, TimerState::pending);
  rearms(TimerState::last_run, false, TimerState::last_run);
}

TEST(TimerState, IsDoneAfterTheLastRun) {
  for (const TimerState run : {TimerState::running, TimerState::last_run}) {
    AtomicTimerState<> timer;
    bring(timer, run).finish();
    EXPECT_EQ(timer.load(), TimerState::done);
  }
}

/// Claims a timer, as its user does.
AtomicTimerState<>& claim(AtomicTimerState<>& timer) {
  EXPECT_TRUE(timer.claim());
  EXPECT_EQ(timer.load(), TimerState::claimed);
  return timer;
}

TEST(TimerState, IsScheduledOnceByTheOneWhoClaimedIt) {
  AtomicTimerState<> timer(TimerState::fresh);
  EXPECT_EQ(timer.load(), TimerState::fresh);
  EXPECT_FALSE(timer.publish());
  EXPECT_FALSE(timer.start());
  claim(timer);
  EXPECT_FALSE(timer.claim());
  EXPECT_FALSE(timer.start());
  EXPECT_TRUE(timer.publish());
  EXPECT_EQ(timer.load(), TimerState::pending);
  EXPECT_FALSE(timer.claim());
}

TEST(TimerState, IsNeverScheduledOnceItWasCancelled) {
  AtomicTimerState<> fresh(TimerState::fresh);
  EXPECT_EQ(fresh.forbid_runs(), TimerState::fresh);
  EXPECT_FALSE(fresh.claim());
  EXPECT_EQ(fresh.load(), TimerState::cancelled);
  AtomicTimerState<> claimed(TimerState::fresh);
  EXPECT_EQ(claim(claimed).forbid_runs(), TimerState::claimed);
  EXPECT_FALSE(claimed.publish());
  EXPECT_EQ(claimed.load(), TimerState::cancelled);
}

TEST(TimerState, IsGoneForACancelBeforeItIsScheduled) {
  AtomicTimerState<> fresh(TimerState::fresh);
  EXPECT_EQ(fresh.cancel(), CancelResult::gone);
  AtomicTimerState<> claimed(TimerState::fresh);
  EXPECT_EQ(claim(claimed).cancel(), CancelResult::gone);
}

TEST(TimerState, IsInItsLastRunFromTheStartIfThereIsNoOther) {
  AtomicTimerState<> timer;
  EXPECT_TRUE(timer.start_last());
  EXPECT_EQ(timer.load(), TimerState::last_run);
  EXPECT_FALSE(timer.start_last());
  EXPECT_EQ(timer.forbid_runs(), TimerState::last_run);
  EXPECT_FALSE(timer.repeat());
}

/// A node that counts how many nodes of its kind live.
struct Node : TimerNode<Node> {
  Node(int& of_living, TimerTask task) noexcept : TimerNode(std::move(task)), living(of_living) {
    ++living;
  }
  ~Node() { --living; }
  int& living;
};
using Handle = Node::Handle;
static_assert(std::regular<Handle>);

struct Large : RearmableNode<Large> {};
struct LargeWithTrail : RearmableNode<LargeWithTrail, Trail> {};
static_assert(sizeof(TimerNode<Node>) == sizeof(TimerTask) + 8,
              "owners, slot and state in 8 bytes");
static_assert(sizeof(Large) == sizeof(TimerTask) + 16, "and a deadline");
static_assert(sizeof(LargeWithTrail) == sizeof(Large), "a trail fits between");

/// A task that does nothing, and shows whether it lives.
struct Task {
  TimerTask take() {
    return [held = std::exchange(life, nullptr)] {};
  }
  bool lives() const { return !watch.expired(); }

  std::shared_ptr<int> life = std::make_shared<int>();
  std::weak_ptr<int> watch = life;
};

/// Cancels a timer, and destroys the task that will not run.
CancelResult cancel(Node& node) {
  TimerTask dies_here;
  return node.cancel(dies_here);
}

/// What a service has right after it has made a timer.
struct Made {
  int living = 0;
  Task task;
  Node* node = Node::make(living, TimerTask(task.take()));
  Handle user = node->adopt();
  Handle service = node->adopt();
};

TEST(TimerNode, LivesUntilBothSharesAreGivenUp) {
  Made made;
  made.service = nullptr;
  EXPECT_EQ(made.living, 1);
  made.user = nullptr;
  EXPECT_EQ(made.living, 0);
  EXPECT_FALSE(made.task.lives());
}

TEST(TimerNode, LivesAsLongAsAnyCopyOfAHandle) {
  Made made;
  std::vector<Handle> copies(10, made.user);
  made.user = nullptr;
  made.service = nullptr;
  EXPECT_EQ(made.living, 1);
  copies.resize(1);
  EXPECT_EQ(made.living, 1);
  EXPECT_EQ(cancel(*copies[0]), CancelResult::cancelled);
  copies.clear();
  EXPECT_EQ(made.living, 0);
}

TEST(TimerNode, OwesTheServiceNothingWhenItsHandleIsGivenUp) {
  Made made;
  made.user = nullptr;
  EXPECT_EQ(made.living, 1);
  EXPECT_TRUE(made.service->start());
  made.service->finish();
  made.service = nullptr;
  EXPECT_EQ(made.living, 0);
}

//
TEST(TimerNode, DestroysItsTaskWhenTheLastRunIsOver) {
  int runs = 0;
  int living = 0;
  auto life = std::make_shared<int>();
  Node* const node = Node::make(living, TimerTask([&runs, held = life] { ++runs; }));
  const Handle user = node->adopt();
  const Handle service = node->adopt();
  ASSERT_TRUE(node->start());
  (*node)();
  EXPECT_EQ(life.use_count(), 2);
  EXPECT_EQ(node->state(), TimerState::running);
  node->finish();
  EXPECT_EQ(life.use_count(), 1);
  EXPECT_EQ(node->state(), TimerState::done);
  EXPECT_EQ(runs, 1);
}

//
TEST(TimerNode, GivesItsTaskToTheOneWhoCancelsIt) {
  const Made made;
  {
    TimerTask task;
    EXPECT_EQ(made.user->cancel(task), CancelResult::cancelled);
    EXPECT_TRUE(task);
    EXPECT_TRUE(made.task.lives());
  }
  EXPECT_FALSE(made.task.lives());
  EXPECT_EQ(made.user->state(), TimerState::cancelled);
  EXPECT_FALSE(made.service->start());
  EXPECT_EQ(made.living, 1);
}

//
TEST(TimerNode, MayHaveItsLastHandleInItsTask) {
  for (const bool runs : {false, true}) {
    int living = 0;
    auto owned = std::make_unique<Handle>();
    Handle& handle = *owned;
    Node* const node = Node::make(living, TimerTask([owned = std::move(owned)] {}));
    handle = node->adopt();
    Handle service = node->adopt();
    if (runs) {
      ASSERT_TRUE(service->start());
      service->finish();
      EXPECT_EQ(living, 1);
      service = nullptr;
    } else {
      service = nullptr;
      EXPECT_EQ(cancel(*handle), CancelResult::cancelled);
    }
    EXPECT_EQ(living, 0);
  }
}

TEST(TimerNode, KeepsItsTaskWhileItRunsThoughItIsCancelled) {
  const Made made;
  ASSERT_TRUE(made.service->start());
  TimerTask none;
  EXPECT_EQ(made.user->cancel(none), CancelResult::running);
  EXPECT_FALSE(none);
  EXPECT_TRUE(made.task.lives());
  EXPECT_FALSE(made.service->repeat());
  made.service->finish();
  EXPECT_FALSE(made.task.lives());
  EXPECT_EQ(cancel(*made.user), CancelResult::gone);
}

TEST(TimerNode, KeepsItsTaskForAnotherRun) {
  const Made made;
  ASSERT_TRUE(made.service->start());
  EXPECT_TRUE(made.service->repeat());
  EXPECT_EQ(made.user->state(), TimerState::pending);
  EXPECT_TRUE(made.task.lives());
  EXPECT_TRUE(made.service->start());
  EXPECT_FALSE(made.service->start());
}

TEST(TimerNode, GivesAwayATaskThatIsPending) {
  const Made made;
  {
    const TimerTask task = made.service->withdraw();
    EXPECT_TRUE(task);
    EXPECT_EQ(made.user->state(), TimerState::cancelled);
    EXPECT_EQ(cancel(*made.user), CancelResult::gone);
    EXPECT_TRUE(made.task.lives());
  }
  EXPECT_FALSE(made.task.lives());
  EXPECT_FALSE(made.service->withdraw());
}

TEST(TimerNode, GivesAwayNoTaskThatRunsOrWasCancelled) {
  const Made runs;
  ASSERT_TRUE(runs.service->start());
  EXPECT_FALSE(runs.service->withdraw());
  EXPECT_TRUE(runs.task.lives());
  const Made cancelled;
  cancel(*cancelled.user);
  EXPECT_FALSE(cancelled.service->withdraw());
}

//
TEST(TimerNode, MayBeAskedByTheDestructorOfItsTask) {
  struct Asks {
    Asks(const Handle& of_timer, std::vector<CancelResult>& list)
        : timer(&of_timer), answers(&list) {}
    Asks(Asks&& other) noexcept
        : timer(std::exchange(other.timer, nullptr)), answers(other.answers) {}
    Asks& operator=(Asks&&) = delete;
    ~Asks() {
      if (timer != nullptr && *timer != nullptr) answers->push_back(cancel(**timer));
    }
    void operator()() {}
    const Handle* timer;
    std::vector<CancelResult>* answers;
  };
  std::vector<CancelResult> answers;
  int living = 0;
  Handle user;
  Node* node = Node::make(living, TimerTask(Asks(user, answers)));
  user = node->adopt();
  Handle service = node->adopt();
  cancel(*user);
  EXPECT_EQ(answers, std::vector{CancelResult::gone});
  service = nullptr;

  node = Node::make(living, TimerTask(Asks(user, answers)));
  user = node->adopt();
  service = node->adopt();
  ASSERT_TRUE(service->start());
  service->finish();
  EXPECT_EQ(answers, (std::vector{CancelResult::gone, CancelResult::running}));
}

// A-71, B-N-26
TEST(TaskRunner, KnowsItsTasksAsTheyRunAndDieAndAsTheirErrorsAreHandled) {
  struct AsksAsItDies {
    explicit AsksAsItDies(const std::function<void()>& question) : ask(&question) {}
    AsksAsItDies(AsksAsItDies&& other) noexcept : ask(std::exchange(other.ask, nullptr)) {}
    AsksAsItDies& operator=(AsksAsItDies&&) = delete;
    ~AsksAsItDies() {
      if (ask != nullptr) (*ask)();
    }
    void operator()() const {
      (*ask)();
      throw std::runtime_error("on purpose");
    }
    const std::function<void()>* ask;
  };
  std::optional<TaskRunner> runner;
  std::vector<bool> known;
  const std::function<void()> note = [&] { known.push_back(runner->runs_this_thread()); };
  runner.emplace([&](const std::exception_ptr&) { note(); });
  int living = 0;
  Node* const node = Node::make(living, TimerTask(AsksAsItDies(note)));
  const Handle user = node->adopt();
  const Handle service = node->adopt();
  ASSERT_TRUE(service->start());
  note();
  runner->run_last(*service);
  note();
  EXPECT_EQ(known, (std::vector{false, true, true, true, false}));
  EXPECT_EQ(service->state(), TimerState::done);
}

TEST(TaskRunner, RefusesWhatItsTasksWouldWaitFor) {
  const TaskRunner runner(nullptr);
  const TaskRunner other(nullptr);
  bool refused = false;
  const auto task = [&] {
    EXPECT_NO_THROW(other.refuse_from_task("stop"));
    const auto of_other = [&] { EXPECT_THROW(runner.refuse_from_task("stop"), std::logic_error); };
    other.run(of_other);
    refused = true;
  };
  EXPECT_FALSE(runner.run(task));
  EXPECT_TRUE(refused);
  EXPECT_NO_THROW(runner.refuse_from_task("stop"));
}

}  // namespace
}  // namespace timers
