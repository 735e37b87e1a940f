#include "tests/conformance/services/scenario.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <utility>

#include "tests/conformance/services/in_words.hpp"

namespace timers::service_conformance {

namespace {

std::string span_in_words(std::uint64_t nanoseconds) {
  return in_words(Duration(static_cast<Duration::rep>(nanoseconds)));
}

std::uint64_t number_of(Duration span) { return static_cast<std::uint64_t>(span.count()); }

std::string named(Id id) { return "timer " + std::to_string(id); }

std::uint64_t number_of(Id id) { return static_cast<std::uint64_t>(id); }

}  // namespace

/// The task that the service gets. It is small, moved and never copied, and reports its
/// destruction.
class Scenario::Task {
 public:
  Task(Scenario& scenario, Id id) : scenario_(&scenario), id_(id) {}
  Task(Task&& other) noexcept
      : scenario_(std::exchange(other.scenario_, nullptr)), id_(other.id_) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (scenario_ != nullptr) scenario_->die(id_);
  }

  void operator()() const { scenario_->run(id_); }

 private:
  Scenario* scenario_;
  Id id_;
};

Scenario::Scenario(const ServiceKind& kind, Instant start, Settings settings)
    : kind_(kind), start_(start), clock_(start), journal_(&span_in_words) {
  settings.on_error = [this](const std::exception_ptr& error) { note_error(error); };
  service_ = kind.make(clock_, settings);
  lateness_ = service_->max_lateness();
}

Scenario::~Scenario() {
  const bool left_by_exception = std::uncaught_exceptions() > 0;
  if (service_) destroy_service();
  if (!had_failed_ && !reported_ && testing::Test::HasFailure()) {
    ADD_FAILURE() << kind_.name << " was asked for this:\n" << journal_.text();
  }
  if (!saw_something_ && !left_by_exception) {
    ADD_FAILURE()
        << "this scenario saw nothing happen: no timer ran, was cancelled or was returned "
           "by stop";
  }
}

void Scenario::schedule(Id id, Duration delay, Deed deed) {
  enter(id, delay, std::move(deed));
  try {
    AnyService::Handle handle = service_->schedule(delay, Task(*this, id));
    const Lock lock(mutex_);
    timers_.at(id).handle = std::move(handle);
  } catch (...) {
    leave(id, Fate::refused);
    throw;
  }
}

CancelResult Scenario::cancel(Id id) {
  const CancelResult expected = result_of_cancel(id);
  {
    const Lock lock(mutex_);
    journal_.note("cancel", number_of(id));
  }
  const CancelResult result = service_->cancel(handle(id));
  // If tasks run side by side, the state before the call may differ from the state during the call.
  if (promises().serial && result != expected) {
    complain({"cancel tells what became of the timer.",
              testing::PrintToString(expected) + ", for " + named(id),
              testing::PrintToString(result)});
  }
  if (result == CancelResult::cancelled) {
    leave(id, Fate::cancelled);
    if (destroyed(id) != 1) {
      complain({"The task of a timer that is cancelled is destroyed in that call.",
                "the task of " + named(id) + " is destroyed", "it lives"});
    }
  }
  return result;
}

bool Scenario::rearm(Id id, Duration delay) {
  const bool was_pending = result_of_cancel(id) == CancelResult::cancelled;
  const bool was_due = was_pending && is_due(id);
  std::optional<Wait> before;
  if (was_pending) before = wait_anew(id, delay);  // The task may start in the call.
  {
    const Lock lock(mutex_);
    journal_.note("re-arm", number_of(id), " in ", number_of(delay));
  }
  const bool rearmed = service_->rearm(handle(id), delay);
  const bool may_be_refused = was_due || (was_pending && is_being_stopped_);
  if (promises().serial && rearmed != was_pending && !may_be_refused) {
    complain({"A re-arm is true for a timer that is pending, and else false.",
              was_pending ? "true: " + named(id) + " is pending"
                          : "false: " + named(id) + " is not pending",
              rearmed ? "true" : "false"});
  }
  if (before && !rearmed) wait_as_before(id, *before);
  return rearmed;
}

Ids Scenario::stop() {
  {
    const Lock lock(mutex_);
    journal_.note("stop");
  }
  is_being_stopped_ = true;
  std::vector<TimerTask> tasks;
  try {
    tasks = service_->stop();
  } catch (...) {
    is_being_stopped_ = false;
    throw;
  }
  Ids ids;
  roll_call_ = &ids;
  for (TimerTask& task : tasks) {
    if (task) task();
  }
  roll_call_ = nullptr;
  if (ids.size() != tasks.size()) {
    complain({"stop returns tasks of timers that were pending.",
              std::to_string(ids.size()) + " tasks",
              std::to_string(tasks.size()) + ", of which some were never scheduled"});
  }
  for (const Id id : ids) leave(id, Fate::returned);
  std::sort(ids.begin(), ids.end());
  return ids;
}

void Scenario::destroy_service() {
  being_destroyed_ = true;
  {
    const Lock lock(mutex_);
    journal_.note("destroy the service");
  }
  service_.reset();
  check_destroyed(true);
  report();
  // If a task wrongly lives on in a node, it must die before the ledger does.
  for (auto& [id, timer] : timers_) timer.handle.reset();
}

void Scenario::run_for(Duration span) {
  constexpr std::size_t kMany = 20;
  constexpr Duration kLast = std::chrono::seconds(2);
  const bool ticks = promises().max_idle_wakes(span) > kMany;
  if (ticks && span > kLast && !tolerates_delays_) {
    jump(span - kLast);
    span = kLast;
  }
  clock_.run_for(span);
  note_time();
  check();
}

void Scenario::jump(Duration span) {
  jumps_ = true;
  clock_.advance_by(span);
  jumps_ = false;
  note_time();
  check();
}

Ids Scenario::log() const {
  const Lock lock(mutex_);
  return log_;
}

testing::AssertionResult Scenario::ran(Ids expected) const {
  Ids ran = log();
  std::sort(ran.begin(), ran.end());
  std::sort(expected.begin(), expected.end());
  if (ran == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected to run: " << testing::PrintToString(expected)
                                     << "\nbut ran: " << testing::PrintToString(ran);
}

bool Scenario::has_run(Id id) const {
  const Lock lock(mutex_);
  return std::find(log_.begin(), log_.end(), id) != log_.end();
}

int Scenario::destroyed(Id id) const {
  const Lock lock(mutex_);
  return timers_.at(id).destroyed;
}

void Scenario::on_destruction_of(Id id, Deed deed) {
  const Lock lock(mutex_);
  timers_.at(id).deed_of_destructor = std::move(deed);
}

std::vector<std::string> Scenario::errors() const {
  const Lock lock(mutex_);
  return errors_;
}

void Scenario::on_error(Deed deed) {
  const Lock lock(mutex_);
  deed_of_handler_ = std::move(deed);
}

void Scenario::needs_serial() const {
  if (!promises().serial) throw Skip{"it runs tasks side by side"};
}

void Scenario::needs_fifo() const {
  needs_serial();
  if (!promises().fifo) throw Skip{"it does not keep the order of equal deadlines"};
}

void Scenario::needs_error_handler() const {
  if (!kind_.tells_errors) throw Skip{"it has no option on_error"};
}

void Scenario::needs_to_sleep_on() const {
  if (!promises().sleeps_on) throw Skip{"it wakes for timers that are not the next"};
}

void Scenario::enter(Id id, Duration delay, Deed deed) {
  const Lock lock(mutex_);
  journal_.note("schedule", number_of(id), " in ", number_of(delay));
  const Wait wait = wait_of(delay);
  const bool is_new = timers_.try_emplace(id, Timer{wait, std::move(deed), {}, {}}).second;
  if (!is_new) throw std::logic_error("a scenario uses each number for one timer");
  due_.emplace(turn_of(wait), id);
}

/// From now on a pending timer waits with another delay. Returns its former wait.
Scenario::Wait Scenario::wait_anew(Id id, Duration delay) {
  const Lock lock(mutex_);
  Wait wait = wait_of(delay);
  wait.is_rearmed = true;
  return replace_wait(id, wait);
}

/// Undoes `wait_anew` after a re-arm that did nothing.
void Scenario::wait_as_before(Id id, const Wait& before) {
  const Lock lock(mutex_);
  if (timers_.at(id).fate == Fate::pending) replace_wait(id, before);
}

/// Call it under the lock; the next function, too.
Scenario::Wait Scenario::replace_wait(Id id, const Wait& wait) {
  Timer& timer = timers_.at(id);
  due_.erase(turn_of(timer.wait));
  due_.emplace(turn_of(wait), id);
  return std::exchange(timer.wait, wait);
}

/// The wait of a timer that is set now.
Scenario::Wait Scenario::wait_of(Duration delay) {
  const bool without_delay = delay <= Duration::zero();
  const Instant deadline = after(clock_.now(), without_delay ? Duration::zero() : delay);
  return {deadline, turns_++, without_delay};
}

bool Scenario::is_due(Id id) const {
  const Lock lock(mutex_);
  return timers_.at(id).wait.deadline <= clock_.now();
}

CancelResult Scenario::result_of_cancel(Id id) const {
  const Lock lock(mutex_);
  switch (timers_.at(id).fate) {
    case Fate::pending:
      return CancelResult::cancelled;
    case Fate::running:
      return CancelResult::running;
    default:
      return CancelResult::gone;
  }
}

/// A timer stops being pending.
void Scenario::leave(Id id, Fate fate) {
  const Lock lock(mutex_);
  Timer& timer = timers_.at(id);
  if (fate != Fate::refused) saw_something_ = true;
  if (timer.fate != Fate::pending) {
    const char* const what = fate == Fate::returned    ? "is returned by stop"
                             : fate == Fate::cancelled ? "is cancelled"
                                                       : "is refused";
    object({std::string("Only a timer that is pending ") + what + ".",
            named(id) + " is not pending: it ran, was cancelled, or was returned before",
            "it " + std::string(what)});
    return;
  }
  timer.fate = fate;
  due_.erase(turn_of(timer.wait));
}

void Scenario::run(Id id) {
  if (roll_call_ != nullptr) {
    roll_call_->push_back(id);
    return;
  }
  const Deed& deed = start(id);
  const struct End {
    Scenario& scenario;
    Id id;
    ~End() { scenario.end(id); }
  } end_of_run{*this, id};
  if (deed) deed();
}

/// Returns a reference to the deed in the ledger: a map does not move its elements.
const Scenario::Deed& Scenario::start(Id id) {
  const Lock lock(mutex_);
  journal_.note("run", number_of(id));
  Timer& timer = timers_.at(id);
  saw_something_ = true;
  log_.push_back(id);
  check_start(id, timer);
  due_.erase(turn_of(timer.wait));
  timer.fate = Fate::running;
  ++running_;
  return timer.deed;
}

void Scenario::end(Id id) {
  const Lock lock(mutex_);
  timers_.at(id).fate = Fate::over;
  --running_;
}

void Scenario::check_start(Id id, const Timer& timer) {
  const Instant now = clock_.now();
  const Instant deadline = timer.wait.deadline;
  const std::string who = named(id) + ", due at " + since_start(deadline) + ",";
  const auto started = [&] { return who + " started at " + since_start(now); };
  if (timer.fate != Fate::pending) {
    return object({"Only a timer that is pending starts.",
                   named(id) + " runs, ran, was cancelled, or was returned before", started()});
  }
  if (now < deadline) object({"No task starts before its deadline.", who + " waits", started()});
  if (!jumps_ && !tolerates_delays_ && now > after(deadline, lateness_)) {
    object({"No task starts later than max_lateness() says.",
            who + " starts by " + since_start(after(deadline, lateness_)), started()});
  }
  if (!promises().serial) return;
  if (running_ > 0) {
    object({"Tasks run one after the other, as the service promises.", who + " waits",
            started() + ", while another task ran"});
  }
  if (timer.wait.without_delay || !has_a_turn(timer)) return;
  const auto& [first, its_id] = *due_.begin();
  if (after(first.first, lateness_) < deadline) {
    object({"A task that is due earlier, by more than the lateness, starts earlier.",
            named(its_id) + ", due at " + since_start(first.first) + ", starts before " + named(id),
            started()});
  }
  if (promises().fifo && overtakes(timer)) {
    object({"Tasks of equal deadlines start in the order in which they were scheduled.",
            "another of this deadline starts before " + named(id), started()});
  }
}

/// Whether the service promises a place for this timer in the order of equal deadlines.
bool Scenario::has_a_turn(const Timer& timer) const {
  return promises().rearms_in_turn || !timer.wait.is_rearmed;
}

/// Whether another timer of the same deadline should have started before this one. Call it under
/// the lock.
bool Scenario::overtakes(const Timer& timer) const {
  const auto first = due_.lower_bound({timer.wait.deadline, 0});
  const auto mine = due_.find(turn_of(timer.wait));
  return std::any_of(first, mine,
                     [&](const auto& before) { return has_a_turn(timers_.at(before.second)); });
}

/// Called by the destructor of a task.
void Scenario::die(Id id) {
  Deed deed;
  {
    const Lock lock(mutex_);
    Timer& timer = timers_.at(id);
    ++timer.destroyed;
    if (!being_destroyed_) deed = timer.deed_of_destructor;
  }
  if (deed) deed();
}

void Scenario::note_error(const std::exception_ptr& error) {
  Deed deed;
  std::string text = "no std::exception";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    text = exception.what();
  } catch (...) {
  }
  {
    const Lock lock(mutex_);
    errors_.push_back(std::move(text));
    deed = deed_of_handler_;
  }
  if (deed) deed();
}

/// Checks the service when all is quiet.
void Scenario::check() {
  if (service_) {
    const std::size_t pending = service_->pending();
    const Lock lock(mutex_);
    if (pending != due_.size()) {
      object({"pending is how many timers wait.", std::to_string(due_.size()),
              std::to_string(pending)});
    }
    if (!due_.empty() && !tolerates_delays_) {
      const Instant first = due_.begin()->first.first;
      if (first < Instant::max() && after(first, lateness_) <= clock_.now()) {
        object({"All that is due has started when nothing is left to do.",
                named(due_.begin()->second) + ", due at " + since_start(first) + ", has started",
                "it has not started at " + since_start(clock_.now())});
      }
    }
  }
  check_destroyed(false);
  report();
}

/// Checks that a task is destroyed once, as soon as it is over. If `all`, each task must be
/// destroyed.
void Scenario::check_destroyed(bool all) {
  const Lock lock(mutex_);
  for (const auto& [id, timer] : timers_) {
    const bool lives = timer.fate == Fate::pending || timer.fate == Fate::running;
    const int expected = all || !lives ? 1 : 0;
    if (timer.destroyed != expected) {
      object({"A task is destroyed once, as soon as it is over.",
              expected == 0 ? "the task of " + named(id) + " lives: it waits, or runs"
                            : "the task of " + named(id) + " was destroyed once",
              "it was destroyed " + std::to_string(timer.destroyed) + " times"});
    }
  }
}

void Scenario::complain(const Objection& objection) {
  const Lock lock(mutex_);
  object(objection);
}

/// Call it under the lock. Only the first complaint is kept, as others may follow from it.
void Scenario::object(const Objection& objection) {
  if (!complaint_) complaint_ = in_words(objection) + '\n' + journal_.text();
}

/// Fails the test. The thread of the test calls it.
void Scenario::report() {
  const Lock lock(mutex_);
  if (!complaint_ || std::exchange(reported_, true)) return;
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  ADD_FAILURE_AT(test.file(), test.line())
      << kind_.name << " breaks the contract in " << test.name() << ":\n"
      << *complaint_;
}

/// The journal also records how far time has moved.
void Scenario::note_time() {
  const Lock lock(mutex_);
  journal_.note_time("time goes to", number_of(now()));
}

AnyService::Handle Scenario::handle(Id id) const {
  const Lock lock(mutex_);
  return timers_.at(id).handle;
}

/// The instant as a span since the scenario began, for example "5 ms".
std::string Scenario::since_start(Instant instant) const {
  if (instant == Instant::max()) return "no time";
  return in_words(span(start_, instant));
}

}  // namespace timers::service_conformance
