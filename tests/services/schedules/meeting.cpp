#include "tests/services/schedules/meeting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"
#include "tests/services/schedules/explore.hpp"
#include "tests/services/schedules/turns.hpp"

namespace timers::schedules {

/// What happened to a timer.
struct Meeting::Entry {
  std::size_t number = 0;
  service_conformance::AnyService::Handle handle;
  // The bounds of the deadline: if two re-arms were accepted, nobody knows which came last.
  // Besides, time may pass during a call.
  Instant not_before{};
  Instant latest{};
  bool rearmed = false;
  std::function<void()> task;
  Instant ran_at{};
  bool accepted = false;
  int starts = 0;
  int ends = 0;
  int cancels = 0;
  int returns = 0;  // how often stop returned it
  int tasks_destroyed = 0;
  bool was_running = false;  // a cancel said so
  bool was_gone = false;     // a cancel said so before the task had ended

  void due_from(Instant earliest, Instant at_last) {
    not_before = rearmed ? std::min(not_before, earliest) : earliest;
    latest = rearmed ? std::max(latest, at_last) : at_last;
  }
  int outcomes() const { return starts + cancels + returns; }
};

class Meeting::Task {
 public:
  Task(Meeting& meeting, Entry& entry) : meeting_(&meeting), entry_(&entry) {}
  Task(Task&& other) noexcept
      : meeting_(other.meeting_), entry_(std::exchange(other.entry_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (entry_ != nullptr) ++entry_->tasks_destroyed;
  }

  void operator()() const {
    if (meeting_->calls_returned_) {
      ++entry_->returns;
      return;
    }
    if (meeting_->stopped_) meeting_->object(*entry_, "started when a stop had returned");
    ++entry_->starts;
    entry_->ran_at = meeting_->clock_.time();
    if (entry_->task) entry_->task();
    ++entry_->ends;
  }

 private:
  Meeting* meeting_;
  Entry* entry_;
};

Meeting::Meeting(const ExploredKind& kind) : kind_(kind) { make(); }
Meeting::~Meeting() = default;

void Meeting::live(const ExploredKind& kind, void (*body)(Meeting&)) {
  ASSERT_EQ(run_by_itself([&] {
              Meeting meeting(kind);
              meeting.fill_pools();
              return meeting.fault();
            }),
            "");
  const Explored explored = explore([&] {
    Meeting meeting(kind);
    body(meeting);
    return meeting.fault();
  });
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::printf("%s.%s: %zu schedules, %s with at most %d pre-emptions, of up to %zu steps\n",
              test.test_suite_name(), test.name(), static_cast<std::size_t>(explored.runs),
              explored.all ? "all" : "not all", Bounds().pre_emptions, explored.most_steps);
  EXPECT_EQ(explored.fault, "") << "in this schedule, TIMERBENCH_SCHEDULE='" << explored.schedule
                                << "':\n"
                                << explored.story;
  if (explored.fault.empty() && !explored.story.empty()) {
    std::printf("%s\n", explored.story.c_str());
  } else {
    EXPECT_TRUE(explored.all || !explored.fault.empty()) << "there are more schedules than this";
  }
}

void Meeting::meet(const std::vector<Thread>& threads) {
  Turns& turns = *Turns::here();
  turns.wait_for_quiet();
  turns.race(true);
  {
    std::vector<StepwiseClock::Thread> started;
    for (const Thread& thread : threads) started.emplace_back(thread.name, thread.deed);
  }
  turns.wait_for_quiet();
  turns.race(false);
}

/// Several threads make a node at the same time. From then on the pool of nodes has that many
/// blocks, the same number in each run.
void Meeting::fill_pools() {
  constexpr std::size_t kThreads = 6;
  const auto deed = [this] {
    schedule(kFar);
    while (entries_.size() < kThreads) Turns::here()->yield(nullptr);
  };
  meet(std::vector<Thread>(kThreads, {"producer", deed}));
}

void Meeting::make() { service_ = kind_.make(clock_); }

Meeting::Timer Meeting::schedule(Duration delay, std::function<void()> task) {
  Entry& entry = entries_.emplace_back();
  entry.number = entries_.size() - 1;
  const Instant earliest = after(clock_.time(), delay);
  entry.due_from(earliest, earliest);  // Other threads may see it before the call returns.
  entry.task = std::move(task);
  try {
    entry.handle = service_->schedule(delay, Task(*this, entry));
    entry.accepted = true;
    entry.latest = after(clock_.time(), delay);
  } catch (const RejectedTask&) {
    if (!stops_) object(entry, "was refused, and nobody stops the service");
    if (entry.tasks_destroyed != 1) object(entry, "was refused, and its task lives");
  }
  return entry.number;
}

void Meeting::cancel(Timer timer) {
  Entry& entry = entries_[timer];
  const bool may_be_gone = entry.ends > 0 || stops_;
  switch (service_->cancel(entry.handle)) {
    case CancelResult::cancelled:
      ++entry.cancels;
      if (entry.tasks_destroyed != 1) object(entry, "was cancelled, and its task lives");
      break;
    case CancelResult::running:
      entry.was_running = true;
      break;
    case CancelResult::gone:
      if (!may_be_gone && entry.ends == 0 && !stops_) entry.was_gone = true;
      break;
  }
}

void Meeting::rearm(Timer timer, Duration delay) {
  Entry& entry = entries_[timer];
  const Instant earliest = after(clock_.time(), delay);
  if (!service_->rearm(entry.handle, delay)) return;
  entry.due_from(earliest, after(clock_.time(), delay));
  entry.rearmed = true;
}

void Meeting::stop() {
  stops_ = true;
  std::vector<TimerTask> tasks = service_->stop();
  for (const Entry& entry : entries_) {
    if (entry.starts > entry.ends) object(entry, "runs on though a stop has returned");
  }
  stopped_ = true;
  std::move(tasks.begin(), tasks.end(), std::back_inserter(returned_));
}

void Meeting::pass(Duration delay) { clock_.advance_by(delay + lateness()); }

void Meeting::wait_for_the_others() { Turns::here()->wait_for_quiet(); }

void Meeting::destroy() {
  destroyed_ = true;
  service_ = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.starts > entry.ends) object(entry, "runs on though its service is gone");
    if (entry.tasks_destroyed != 1) object(entry, "outlives its service");
  }
}

std::string Meeting::fault() {
  if (service_ != nullptr) {
    if (!stops_) expect_run();
    stop_at_last();
  }
  for (Entry& entry : entries_) {
    entry.handle.reset();
    judge(entry);
  }
  return fault_;
}

/// Lets time pass until each timer that is due soon must have run.
void Meeting::expect_run() {
  expect_pending();
  Instant last = clock_.time();
  for (const Entry& entry : entries_) {
    if (entry.accepted && entry.latest < Instant{} + kFar) last = std::max(last, entry.latest);
  }
  clock_.run_for(last - clock_.time() + lateness());
  for (const Entry& entry : entries_) {
    const bool was_due = entry.accepted && entry.latest <= last;
    if (was_due && entry.outcomes() == 0) object(entry, "is due, and sleeps on");
  }
  expect_pending();
}

void Meeting::expect_pending() {
  const auto waiting = std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.accepted && entry.outcomes() == 0;
  });
  const std::size_t pending = service_->pending();
  if (pending == static_cast<std::size_t>(waiting)) return;
  object("the service says that " + std::to_string(pending) + " timers are pending, and " +
         std::to_string(waiting) + " are");
}

void Meeting::stop_at_last() {
  const bool again = stopped_;
  const std::size_t before = returned_.size();
  stop();
  if (again && returned_.size() > before) object("a stop after the stop returned a task");
  if (service_->pending() != 0) object("a timer is pending though its service was stopped");
  calls_returned_ = true;
  for (TimerTask& task : returned_) {
    if (!task) {
      object("a stop returned a task that is not there");
    } else {
      task();
    }
  }
  returned_.clear();
  service_ = nullptr;
}

/// Checks that a timer ended exactly once, and that the answers about it were right.
void Meeting::judge(const Entry& entry) {
  const int expected = entry.accepted ? 1 : 0;
  const int outcomes = entry.outcomes();
  if (outcomes > expected) {
    object(entry, "started " + std::to_string(entry.starts) + " times, was cancelled " +
                      std::to_string(entry.cancels) + " times, and returned " +
                      std::to_string(entry.returns) + " times");
  }
  if (outcomes < expected && !destroyed_) object(entry, "was lost");
  if (entry.tasks_destroyed != 1) {
    object(entry,
           "has a task that was destroyed " + std::to_string(entry.tasks_destroyed) + " times");
  }
  if (entry.starts > 0 && entry.ran_at < entry.not_before) object(entry, "started early");
  if (entry.was_running && entry.starts == 0) object(entry, "was called running, and never ran");
  if (entry.was_gone && entry.cancels == 0) {
    object(entry, "was called gone, and had neither run to its end nor was it cancelled");
  }
}

Duration Meeting::lateness() const { return service_->max_lateness(); }

void Meeting::object(const Entry& entry, const std::string& what) {
  object("timer " + std::to_string(entry.number) + " " + what);
}

void Meeting::object(const std::string& what) {
  if (fault_.empty()) fault_ = what;
}

}  // namespace timers::schedules
