#include "tests/conformance/real_time/scenario.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/real_time/injected_delays.hpp"

namespace timers::real_time {

namespace {

std::string in_words(Duration span) {
  return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(span).count()) + " ns";
}

/// The lines of a text, each once. So a fault that occurs a thousand times is printed once.
std::string each_once(const std::string& text) {
  std::vector<std::pair<std::string, int>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto same = [&](const auto& other) { return other.first == line; };
    const auto found = std::find_if(lines.begin(), lines.end(), same);
    if (found != lines.end()) {
      ++found->second;
    } else {
      lines.emplace_back(line, 1);
    }
  }
  std::string result;
  for (const auto& [line, times] : lines) {
    result += line + (times == 1 ? "" : " (" + std::to_string(times) + " times)") + '\n';
  }
  return result;
}

}  // namespace

/// The task that the service holds. It runs the deed of a timer, and records its own destruction.
class Scenario::TaskOf {
 public:
  TaskOf(Scenario& scenario, Timer& timer) : scenario_(scenario), timer_(timer) {}
  TaskOf(const TaskOf&) = delete;
  TaskOf& operator=(const TaskOf&) = delete;
  ~TaskOf() {
    hold_up();
    scenario_.die(timer_);
  }

  void run() {
    hold_up();
    scenario_.start(timer_);
    try {
      if (timer_.deed) timer_.deed();
    } catch (...) {
      scenario_.end(timer_);
      throw;
    }
    scenario_.end(timer_);
    hold_up();
  }

 private:
  Scenario& scenario_;
  Timer& timer_;
};

Scenario::Scenario(const ServiceKind& kind, Report& report)
    : kind_(kind), report_(report), service_(kind.make()) {}

Scenario::~Scenario() {
  if (service_) destroy_service();
}

void Scenario::live(const ServiceKind& kind, void (*body)(Scenario&)) {
  const Outcome outcome = run_watched([&](Report& report) {
    try {
      Scenario scenario(kind, report);
      body(scenario);
      scenario.destroy_service();
      if (report.has_faults() && scenario.scheduled() > 0) report.object(scenario.history());
    } catch (const Skip& skip) {
      report.skip(skip.reason);
    }
  });
  if (!outcome.skipped.empty()) throw Skip{outcome.skipped};
  if (outcome.faults.empty()) return;
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  ADD_FAILURE_AT(test.file(), test.line())
      << kind.name << " breaks the contract in " << test.name() << ":\n"
      << each_once(outcome.faults);
}

/// What was done, as numbers only. The order is no help, as threads never meet twice in the same
/// way.
std::string Scenario::history() const {
  return "history: " + std::to_string(scheduled_) + " timers were scheduled, " +
         std::to_string(started_) + " tasks have started, " + std::to_string(destroyed_) +
         " were destroyed";
}

Timer& Scenario::new_timer(Deed deed, Deed deed_of_destructor) {
  const std::lock_guard lock(mutex_);
  Timer& timer = timers_.emplace_back();
  timer.deed = std::move(deed);
  timer.deed_of_destructor = std::move(deed_of_destructor);
  return timer;
}

Timer& Scenario::schedule(Duration delay, Deed deed, Deed deed_of_destructor) {
  Timer& timer = new_timer(std::move(deed), std::move(deed_of_destructor));
  // This is a shared_ptr, as a std::function may be copied.
  Task task = [own = std::make_shared<TaskOf>(*this, timer)] { own->run(); };
  ++scheduled_;
  timer.not_before = deadline_after(RealClock::now(), delay);
  try {
    timer.handle = service_->schedule(delay, std::move(task));
  } catch (...) {
    timer.cancelled = true;  // The timer never existed.
    ++over_;
    throw;
  }
  timer.not_after = deadline_after(RealClock::now(), delay);
  progress();
  return timer;
}

Timer* Scenario::try_to_schedule(Duration delay, Deed deed) {
  try {
    return &schedule(delay, std::move(deed));
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool Scenario::cancel(Timer& timer) {
  progress();
  if (!service_->cancel(timer.handle)) return false;
  expect(!timer.cancelled, "a cancel succeeded twice");
  expect(timer.starts == 0, "a cancel succeeded though the task has run");
  timer.cancelled = true;
  ++over_;
  return true;
}

bool Scenario::rearm(Timer& timer, Duration delay) {
  const Instant before = timer.not_before;
  const Instant earliest = deadline_after(RealClock::now(), delay);
  // Until the call of rearm returns, the task may start at either deadline.
  timer.not_before = std::min(before, earliest);
  const bool rearmed = service_->rearm(timer.handle, delay);
  timer.not_before = rearmed ? earliest : before;
  timer.not_after = deadline_after(RealClock::now(), delay);
  return rearmed;
}

std::optional<std::size_t> Scenario::stop() {
  report_.waits_for("stop to return");
  const auto given_back = service_->stop();
  report_.waits_for("");
  progress();
  return given_back;
}

void Scenario::destroy_service() {
  report_.waits_for("the destructor of the service to return");
  service_.reset();
  progress();
  const std::lock_guard lock(mutex_);
  for (Timer& timer : timers_) timer.handle.reset();  // A handle may hold the task.
  for (const Timer& timer : timers_) check(timer);
}

void Scenario::check(const Timer& timer) {
  expect(timer.destroyed == 1, "the service is gone, and a task was not destroyed once");
  if (timer.starts == 0) return;
  expect(!timer.cancelled, "a task ran though a cancel had succeeded");
  expect(
      timer.started_at.load() >= timer.not_before.load(),
      "a task ran before the last deadline of its timer; or a re-arm said true though it had run");
}

void Scenario::wait_until(std::string_view what, const std::function<bool()>& is_so) {
  report_.waits_for(what);
  for (Duration pause = 1us; !is_so(); pause = std::min<Duration>(2 * pause, 1ms)) {
    std::this_thread::sleep_for(pause);
  }
  report_.waits_for("");
  progress();
}

void Scenario::wait_for_all() {
  wait_until("all tasks to run that were not cancelled", [&] { return over_ == scheduled_; });
}

void Scenario::start(Timer& timer) {
  const Instant now = RealClock::now();
  const Instant not_before = timer.not_before;
  if (now < not_before) {
    // One span tells enough. Equal lines are counted.
    object(early_++ == 0 ? "a task started " + in_words(not_before - now) + " early"
                         : std::string("another task started early"));
  }
  timer.started_at = now;
  if (timer.starts.fetch_add(1) > 0) object("a task ran twice");
  if (++running_ > 1 && kind_.promises.serial) object("two tasks ran at the same time");
  timer.place = started_++;
  progress();
}

void Scenario::end(Timer& timer) {
  --running_;
  if (timer.ends++ == 0) ++over_;
}

void Scenario::die(Timer& timer) {
  ++destroyed_;
  if (timer.destroyed++ > 0) object("a task was destroyed twice");
  if (timer.deed_of_destructor) timer.deed_of_destructor();
  progress();
}

void Scenario::needs_rearm() const {
  if (!kind_.can_rearm) throw Skip{"it cannot re-arm"};
}
void Scenario::needs_periods() const {
  if (!kind_.can_repeat) throw Skip{"it cannot repeat at a fixed rate"};
}
void Scenario::needs_stop() const {
  if (!kind_.can_stop) throw Skip{"it cannot stop"};
}
void Scenario::needs_serial() const {
  if (!kind_.promises.serial) throw Skip{"its tasks may overlap"};
}

void meet_the_starts(Scenario& service, const std::function<void(Timer&)>& deed) {
  const std::size_t started_before = service.started();
  std::vector<Timer*> timers;
  for (int i = 0; i < 100; ++i) timers.push_back(&service.schedule(200us));
  // This thread must not sleep when the first task starts.
  const Instant patience = RealClock::now() + 3ms;
  while (service.started() == started_before && RealClock::now() < patience) {
    std::this_thread::yield();
  }
  std::for_each(timers.rbegin(), timers.rend(), [&](Timer* timer) { deed(*timer); });
}

}  // namespace timers::real_time
