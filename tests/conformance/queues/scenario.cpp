#include "tests/conformance/queues/scenario.hpp"

#include <algorithm>
#include <exception>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "tests/conformance/queues/laws.hpp"

namespace timers::conformance {

std::ostream& operator<<(std::ostream& out, const Expiry& expiry) {
  return out << expiry.id << " (due " << expiry.deadline << ") at " << expiry.now;
}

Scenario::Scenario(const QueueKind& kind, Tick start)
    : kind_(kind), ledger_(kind.promises), journal_(&tick_in_words), queue_(kind.make()) {
  listen();
  if (start > 0) expire(start);
}

Scenario::~Scenario() {
  const bool left_by_exception = std::uncaught_exceptions() > 0;
  const bool saw_nothing = happenings_ == 0;
  destroy_queue();
  if (fails_without_complaint()) {
    ADD_FAILURE() << kind_.name << " was asked for this:\n" << journal_.text();
  }
  if (saw_nothing && !left_by_exception) ADD_FAILURE() << "this scenario saw nothing happen";
}

void Scenario::listen() {
  queue_->on_staying_expiry([this](Tick deadline, ProbeTask& task) {
    timers_.at(task.id()).place_of_task = &task;
    record(deadline, task);
  });
}

Scenario::Timer& Scenario::new_timer(Id id) {
  const auto [timer, is_new] = timers_.try_emplace(id);
  if (!is_new) throw std::logic_error("a scenario uses each number for one timer");
  return timer->second;
}

void Scenario::insert(Id id, Tick deadline) {
  need_settable(deadline);
  Timer& timer = new_timer(id);
  journal_.note("insert", id, " at ", deadline);
  ledger_.set(id, deadline);
  timer.handle = queue_->insert(deadline, ProbeTask(id, this));
  check();
}

bool Scenario::cancel(Id id) {
  journal_.note("cancel", id);
  const bool was_pending = ledger_.is_pending(id);
  ledger_.remove(id);
  const bool cancelled = queue_->cancel(timers_.at(id).handle);
  judge("cancel", id, cancelled, was_pending);
  if (cancelled && timers_.at(id).destroyed != 1) {
    complain({"cancel destroys the task.",
              "the task of timer " + std::to_string(id) + " is destroyed", "it lives"});
  }
  check();
  return cancelled;
}

bool Scenario::rearm(Id id, Tick deadline) {
  needs_rearm();
  need_settable(deadline);
  journal_.note("re-arm", id, " to ", deadline);
  const bool was_pending = ledger_.is_pending(id);
  if (was_pending) ledger_.set(id, deadline);
  const bool rearmed = queue_->rearm(timers_.at(id).handle, deadline);
  judge("re-arm", id, rearmed, was_pending);
  check();
  return rearmed;
}

void Scenario::make(Id id) {
  needs_staying_timers();
  Timer& timer = new_timer(id);
  journal_.note("make", id);
  timer.owner = queue_->make(ProbeTask(id, this));
  check();
}

void Scenario::make_for_owner_of_nothing(Id id) {
  needs_staying_timers();
  Timer& timer = new_timer(id);
  journal_.note("make for an owner of nothing", id);
  timer.owner = queue_->owner_of_nothing();
  timer.owner->assign(std::move(*queue_->make(ProbeTask(id, this))));
  check();
}

bool Scenario::arm(Id id, Tick deadline) {
  need_settable(deadline);
  journal_.note("arm", id, " at ", deadline);
  const bool was_pending = ledger_.is_pending(id);
  ledger_.set(id, deadline);
  const bool answer = queue_->arm(*timers_.at(id).owner, deadline);
  ++happenings_;
  judge("arm", id, answer, was_pending);
  check();
  return answer;
}

bool Scenario::disarm(Id id) {
  journal_.note("disarm", id);
  const bool was_pending = ledger_.is_pending(id);
  ledger_.remove(id);
  const bool answer = queue_->disarm(*timers_.at(id).owner);
  judge("disarm", id, answer, was_pending);
  check();
  return answer;
}

void Scenario::drop(Id id) {
  journal_.note("drop", id);
  ledger_.remove(id);
  timers_.at(id).owner.reset();
  ++happenings_;
  check();
}

void Scenario::drop_for(Id dropped, Id kept) {
  journal_.note("assign another owner to that of", dropped);
  ledger_.remove(dropped);
  std::unique_ptr<AnyQueue::Timer> owner = std::move(timers_.at(dropped).owner);
  owner->assign(std::move(*timers_.at(kept).owner));
  timers_.at(kept).owner = std::move(owner);
  ++happenings_;
  check();
}

void Scenario::drop_for_nothing(Id id) {
  journal_.note("assign an owner of nothing to that of", id);
  ledger_.remove(id);
  timers_.at(id).owner->assign(std::move(*queue_->owner_of_nothing()));
  ++happenings_;
  check();
}

void Scenario::look_at_task(Id id) {
  journal_.note("look at the task of", id);
  Timer& timer = timers_.at(id);
  const ProbeTask& task = queue_->task(*timer.owner);
  if (task.id() != id) {
    complain({"task gives the task of its timer.", std::to_string(id), std::to_string(task.id())});
  } else if (timer.place_of_task != nullptr && timer.place_of_task != &task) {
    complain({"The task of a timer that stays never moves.", "it is where it was", "it has moved"});
  }
  timer.place_of_task = &task;
}

std::size_t Scenario::expire(Tick now) { return observe(now, kNoLimit, false); }

std::size_t Scenario::expire(Tick now, std::size_t limit) {
  needs_limit();
  return observe(now, limit, true);
}

std::size_t Scenario::observe(Tick now, std::size_t limit, bool limited) {
  const auto on_expiry = [this](Tick deadline, ProbeTask task) { record(deadline, task); };
  if (limited) {
    journal_.note("with a limit of", limit);
  }
  journal_.note_time("expire to", now);
  if (passing_) {
    const std::size_t ran =
        limited ? queue_->expire(now, on_expiry, limit) : queue_->expire(now, on_expiry);
    if (ran != 0) complain({laws::kNestedDoesNothing, "it returns 0", std::to_string(ran)});
    check();
    return ran;
  }

  need_time(kind_, now);
  const bool in_the_past = now < ledger_.now();
  if (!in_the_past) ledger_.begin_pass(now);
  ran_in_pass_ = 0;
  most_in_pass_ = in_the_past ? 0 : std::min(limit, ledger_.size());
  passing_ = true;
  const struct EndOfPass {
    bool& passing;
    ~EndOfPass() { passing = false; }
  } end_of_pass{passing_};

  const std::size_t ran =
      limited ? queue_->expire(now, on_expiry, limit) : queue_->expire(now, on_expiry);
  if (ran != ran_in_pass_) {
    complain({laws::kTellsHowManyRan, std::to_string(ran_in_pass_), std::to_string(ran)});
  }
  if (!in_the_past && ran < limit) {
    if (const auto objection = ledger_.against_end_of_pass()) complain(*objection);
  }
  check();
  return ran;
}

void Scenario::record(Tick deadline, const ProbeTask& task) {
  const Id id = task.id();
  ++happenings_;
  journal_.note("run", id);
  log_.push_back({id, deadline, ledger_.now()});
  // This also ends a pass that would otherwise never end.
  if (++ran_in_pass_ > most_in_pass_) {
    complain({"expire runs each pending timer once, and no more than its limit.",
              "at most " + std::to_string(most_in_pass_) + " of them run", "another one ran"});
    throw std::runtime_error("expire goes on and on");
  }
  if (const auto objection = ledger_.against_run(id, deadline)) complain(*objection);
  ledger_.run(id);
  check();
  if (const auto callback = timers_.at(id).on_expiry) callback();
}

std::optional<Tick> Scenario::next_expiry() const {
  needs_next_expiry();
  return queue_->next_expiry();
}

void Scenario::on_expiry(Id id, std::function<void()> callback) {
  timers_.at(id).on_expiry = std::move(callback);
}

void Scenario::on_destruction_of(Id id, std::function<void()> callback) {
  timers_.at(id).on_destruction = std::move(callback);
}

void Scenario::on_destruction(std::uint64_t id) {
  Timer& timer = timers_.at(id);
  ++timer.destroyed;
  const auto callback = timer.on_destruction;
  if (!callback || !queue_) return;
  ++destructors_;
  try {
    callback();
  } catch (...) {
    if (!escaped_) escaped_ = std::current_exception();
  }
  --destructors_;
}

void Scenario::on_overwriting(std::uint64_t id) {
  complain({"A task has its memory until it is destroyed.",
            "nothing else is there while the task of timer " + std::to_string(id) + " dies",
            "something was put there"});
}

namespace {

/// Sorts expiries that the queue may run in any order, so that logs can be compared.
std::vector<Expiry> as_promised(std::vector<Expiry> log, const Promises& promises) {
  const auto in_one_call = [](const Expiry& one, const Expiry& other) {
    return one.now == other.now;
  };
  for (auto first = log.begin(); first != log.end();) {
    const auto last = std::find_if_not(
        first, log.end(), [&](const Expiry& expiry) { return in_one_call(*first, expiry); });
    if (!promises.expires_in_order) {
      std::stable_sort(first, last, [](const Expiry& one, const Expiry& other) {
        return one.deadline < other.deadline;
      });
    }
    if (!promises.fifo) {
      std::stable_sort(first, last, [](const Expiry& one, const Expiry& other) {
        return one.deadline == other.deadline && one.id < other.id;
      });
    }
    first = last;
  }
  return log;
}

}  // namespace

testing::AssertionResult Scenario::ran(const std::vector<Expiry>& expected) const {
  if (as_promised(expected, promises()) == as_promised(log_, promises()))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected to run: " << testing::PrintToString(expected)
                                     << "\nbut ran: " << testing::PrintToString(log_);
}

bool Scenario::same_handle(Id one, Id other) const {
  return queue_->same(timers_.at(one).handle, timers_.at(other).handle);
}

void Scenario::move_queue() {
  journal_.note("move the queue");
  queue_ = queue_->move();
  check();
}

/// The queue has another timer, too: of two timers, a pool takes the second from those that stay.
std::unique_ptr<AnyQueue> Scenario::interrupted_queue_with(Id id, Tick deadline) {
  auto queue = kind_.make();
  new_timer(id).handle = queue->insert(deadline, ProbeTask(id, this));
  queue->insert(deadline, ProbeTask(id));
  if (kind_.can_limit) {
    const Tick due = deadline + promises().max_lateness(deadline);
    queue->expire(
        due, [](Tick, const ProbeTask&) {}, 0);
  }
  return queue;
}

void Scenario::assign_queue_over_one_with(Id id, Tick deadline) {
  journal_.note("assign the queue to one that has", id);
  auto other = interrupted_queue_with(id, deadline);
  other->assign(std::move(*queue_));
  queue_ = std::move(other);
  check();
}

/// Does what std::swap does.
void Scenario::swap_queue_with_one_with(Id id, Tick deadline) {
  journal_.note("swap the queue with one that has", id);
  auto other = interrupted_queue_with(id, deadline);
  const std::size_t its_size = other->size();
  const auto moved = queue_->move();
  queue_->assign(std::move(*other));
  other->assign(std::move(*moved));
  queue_.swap(other);
  if (other->size() != its_size) {
    complain({laws::kSize, std::to_string(its_size), std::to_string(other->size())});
  }
  other.reset();
  check();
}

void Scenario::begin_anew() {
  needs_staying_timers();
  journal_.note("destroy the queue, and make one in its place");
  ledger_ = Ledger(kind_.promises);
  queue_->begin_anew();
  check();
}

void Scenario::assign_fresh_queue() {
  needs_staying_timers();
  journal_.note("assign a fresh queue");
  ledger_ = Ledger(kind_.promises);
  queue_->assign(std::move(*kind_.make()));
  listen();
  check();
}

void Scenario::destroy_queue() {
  if (!queue_) return;
  journal_.note("destroy the queue");
  for (auto& [id, timer] : timers_) timer.owner.reset();
  queue_.reset();
  for (const auto& [id, timer] : timers_) {
    ++happenings_;
    if (timer.destroyed != 1) {
      complain({"A task is destroyed once, with its queue at the latest.",
                "the task of timer " + std::to_string(id) + " was destroyed once",
                std::to_string(timer.destroyed) + " times"});
    }
  }
}

void Scenario::need_settable(Tick deadline) const {
  need_deadline(kind_, deadline);
  if (tolerates_lateness_ || now() == kEndOfTime) return;
  need_punctuality(kind_, std::max(deadline, now() + 1) - now());
}

Tick Scenario::from_now(Tick delay) const {
  return delay > kEndOfTime - now() ? kEndOfTime : now() + delay;
}

void Scenario::judge(const char* verb, Id id, bool answer, bool was_pending) {
  if (answer) ++happenings_;
  if (answer == was_pending) return;
  const std::string timer = "timer " + std::to_string(id);
  complain({std::string(verb) + " tells whether the timer was pending.",
            std::string(was_pending ? "true, as " : "false, as ") + timer +
                (was_pending ? " was pending" : " was not pending"),
            answer ? "true" : "false"});
}

void Scenario::check() {
  if (destructors_ == 0 && escaped_) std::rethrow_exception(std::exchange(escaped_, nullptr));
  if (!queue_) return;
  if (queue_->size() != ledger_.size()) {
    complain({laws::kSize, std::to_string(ledger_.size()), std::to_string(queue_->size())});
  }
  if (!kind_.has_next_expiry) return;
  if (const auto objection = ledger_.against_next(queue_->next_expiry())) complain(*objection);
}

/// Prints the place of the sentence that the queue breaks, as this is what a user wants to read.
void Scenario::complain(const Objection& objection) {
  // After the first fault of a queue, further faults say little.
  if (std::exchange(complained_, true)) return;
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  ADD_FAILURE_AT(test.file(), test.line())
      << kind_.name << " breaks the contract in " << test.name() << ", at " << tick_in_words(now())
      << ":\n"
      << in_words(objection) << '\n'
      << journal_.text();
}

bool Scenario::fails_without_complaint() const {
  return !had_failed_ && !complained_ && testing::Test::HasFailure();
}

}  // namespace timers::conformance
