#include "tests/conformance/queues/oracle.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "tests/conformance/objection.hpp"
#include "tests/conformance/queues/laws.hpp"

namespace timers::conformance {
namespace {

/// Whether a bound that depends on the delay has the same value for delays of all sizes.
bool is_always(Tick (*bound)(Tick delay), Tick value) {
  for (Tick delay = 1; delay != 0; delay *= 2) {
    if (bound(delay) != value) return false;
  }
  return bound(kEndOfTime) == value;
}

std::string text(bool answer) { return answer ? "true" : "false"; }

std::string text(std::uint64_t number) { return tick_in_words(number); }

std::string text(std::optional<Tick> tick) { return tick ? text(*tick) : "none"; }

std::string pending(bool is_pending) { return is_pending ? "is pending" : "is not pending"; }

}  // namespace

Oracle::Oracle(const QueueKind& kind, std::unique_ptr<AnyQueue> queue)
    : kind_(kind),
      never_late_(is_always(kind.promises.max_lateness, 0)),
      next_expiry_is_exact_(is_always(kind.promises.max_wakes, 1)),
      model_(kind.promises.max_lateness),
      on_expiry_([this](Tick deadline, ProbeTask task) { expired(deadline, std::move(task)); }),
      queue_(std::move(queue)) {
  check_size();
  check_next_expiry();
}

Oracle::~Oracle() { being_destroyed_ = true; }

TimerId Oracle::new_timer() {
  TimerId id;
  if (forgotten_.empty()) {
    id = model_.add();
    tasks_.emplace_back();
  } else {
    id = forgotten_.back();
    forgotten_.pop_back();
    tasks_[id] = {};
  }
  return id;
}

/// If the queue's time ends early, time stops one tick before. Then each timer still has a deadline
/// to which it can be set.
Tick Oracle::now_within_reach(Tick now) const {
  const Tick last = kind_.promises.last_tick;
  return last == kEndOfTime ? now : std::min(now, last - 1);
}

Tick Oracle::deadline_within_reach(Tick deadline) const {
  return std::min(deadline, kind_.promises.last_tick);
}

TimerId Oracle::insert(Tick wanted) {
  const Tick deadline = deadline_within_reach(wanted);
  const TimerId id = new_timer();
  if (!content()) return id;
  ++operations_;
  ++living_tasks_;
  told_next_.reset();
  try {
    tasks_[id].handle = queue_->insert(deadline, ProbeTask(id, this));
    tasks_[id].accepted = true;
    model_.set(id, deadline);
    if (tasks_[id].destroyed) {
      object("A queue keeps the task of a pending timer.", "the task lives after its insert",
             "it was destroyed");
    }
  } catch (const std::bad_alloc&) {
    tasks_[id].handle = queue_->null_handle();
    if (!may_run_out_) {
      object("insert throws only when memory runs out.", "a handle", "std::bad_alloc");
    }
    if (!tasks_[id].destroyed) {
      object("An insert that throws leaves the queue as it was.", "the task is destroyed",
             "it still lives");
    }
  }
  check_size();
  check_next_expiry();
  return id;
}

bool Oracle::cancel(TimerId id) {
  if (!content()) return false;
  ++operations_;
  const bool was_pending = model_.is_pending(id);
  told_next_.reset();
  if (was_pending) model_.remove(id);
  // This is a copy, as the destructor of the task may insert timers, and so move the original.
  const AnyQueue::Handle handle = tasks_[id].handle;
  const bool answer = queue_->cancel(handle);
  if (answer != was_pending) {
    object("cancel returns true for a timer that is pending, and else false.",
           text(was_pending) + ", as " + name_of(id) + " " + pending(was_pending), text(answer));
  } else if (was_pending && !tasks_[id].destroyed) {
    object("cancel destroys the task.", "the task of " + name_of(id) + " is destroyed",
           "it still lives");
  }
  check_size();
  check_next_expiry();
  return answer;
}

bool Oracle::rearm(TimerId id, Tick wanted) {
  const Tick deadline = deadline_within_reach(wanted);
  if (!content() || !kind_.can_rearm) return false;
  ++operations_;
  const bool was_pending = model_.is_pending(id);
  bool answer = was_pending;
  told_next_.reset();
  try {
    answer = queue_->rearm(tasks_[id].handle, deadline);
    if (was_pending) model_.set(id, deadline);
  } catch (const std::bad_alloc&) {
    if (!may_run_out_) {
      object("rearm throws only when memory runs out.", text(was_pending), "std::bad_alloc");
    }
  }
  if (answer != was_pending) {
    object("rearm returns true for a timer that is pending, and else false.",
           text(was_pending) + ", as " + name_of(id) + " " + pending(was_pending), text(answer));
  }
  check_size();
  check_next_expiry();
  return answer;
}

void Oracle::expire(Tick wanted, std::size_t limit) {
  if (!content()) return;
  const Tick now = now_within_reach(wanted);
  const bool runs = !in_pass_ && now >= model_.now();
  const std::size_t ran_before = ran_;
  if (runs) {
    visits_every_tick_ = now - model_.now() <= 1;
    told_before_ = told_next_;
    model_.move_to(now);
    in_pass_ = true;
    interrupted_ = true;
    callback_threw_ = false;
    ran_ = 0;
    last_deadline_ = 0;
  }
  if (!kind_.can_limit) limit = kNoLimit;
  std::size_t ran = 0;
  bool threw = false;
  try {
    ran = limit == kNoLimit ? queue_->expire(now, on_expiry_)
                            : queue_->expire(now, on_expiry_, limit);
  } catch (const CallbackFailure&) {
    threw = true;
  } catch (const std::bad_alloc&) {
    object("expire needs no memory.", "it runs what is due", "std::bad_alloc");
  }
  if (runs) {
    in_pass_ = false;
    check_pass(ran, limit, threw);
  } else if (ran != 0 || ran_ != ran_before) {
    object(
        in_pass_ ? "An expire in a callback does nothing." : "An expire to the past does nothing.",
        "expire to " + text(now) + " runs no timer and returns 0",
        "it ran " + text(ran_ - ran_before) + " and returned " + text(ran));
  }
  check_size();
  check_next_expiry();
}

void Oracle::move_queue() {
  if (content()) {
    const std::unique_ptr<AnyQueue> moved = queue_->move();
    queue_->assign(std::move(*moved));
    const std::unique_ptr<AnyQueue> back = std::exchange(queue_, kind_.make());
    queue_->assign(std::move(*back));
  }
  check_size();
  check_next_expiry();
}

void Oracle::destroy_queue() {
  being_destroyed_ = true;
  queue_.reset();
  if (living_tasks_ != 0) {
    object("A queue destroys its tasks when it is destroyed.", "no task is left",
           text(living_tasks_) + " tasks are left");
  }
}

void Oracle::start_over() {
  destroy_queue();
  if (!content()) return;
  being_destroyed_ = false;
  interrupted_ = false;
  told_next_.reset();
  model_.clear();
  ties_.forget();
  tasks_.clear();
  forgotten_.clear();
  queue_ = kind_.make();
}

/// The callback of every expire. It owns the task, and destroys it when it returns.
void Oracle::expired(Tick deadline, ProbeTask task) {
  const TimerId id = static_cast<TimerId>(task.id());
  check_expiry(deadline, id);
  if (!content()) throw CallbackFailure{};  // what the queue does from here on is no evidence
  model_.remove(id);
  ++operations_;
  ++ran_;
  last_deadline_ = deadline;
  last_expired_ = id;
  check_size();
  check_next_expiry();
  try {
    timer_expired(id);
  } catch (const CallbackFailure&) {
    callback_threw_ = true;
    throw;
  }
}

void Oracle::check_expiry(Tick deadline, TimerId id) {
  const auto ran = [&] {
    return name_of(id) + " of deadline " + text(deadline) + " ran at " + text(now());
  };
  if (!in_pass_) {
    object(laws::kNestedDoesNothing, "no timer runs", ran());
  } else if (!model_.can_expire(id)) {
    object(laws::kOnlyPending,
           name_of(id) + " does not run: it " +
               (model_.is_pending(id) ? "was set at the end of time" : "is not pending"),
           ran());
  } else if (deadline != model_.deadline(id)) {
    object(laws::kToldDeadline, text(model_.deadline(id)), ran());
  } else if (deadline > now()) {
    object(laws::kNeverEarly, name_of(id) + " waits until " + text(deadline), ran());
  } else if (visits_every_tick_ && told_before_ && *told_before_ > now()) {
    object(laws::kNextNotLate, "at most " + text(now()) + ", at which " + name_of(id) + " ran",
           text(*told_before_));
  } else {
    check_order(deadline, id);
  }
  check_last_task();
}

void Oracle::check_order(Tick deadline, TimerId id) {
  const Promises& promises = kind_.promises;
  const auto deadline_of = [this](TimerId timer) {
    return name_of(timer) + " of deadline " + text(model_.deadline(timer));
  };
  if (promises.expires_in_order && never_late_) {
    const Model::First first = *model_.first();
    if (first.due != deadline || (promises.fifo && first.id != id)) {
      object(first.due != deadline ? laws::kInOrder : laws::kFifo,
             deadline_of(first.id) + " runs first", deadline_of(id) + " ran first");
    }
    return;
  }
  if (promises.expires_in_order && deadline < last_deadline_) {
    object(laws::kInOrder, deadline_of(id) + " runs before any of deadline " + text(last_deadline_),
           "it ran after one");
  }
  if (promises.fifo && !ties_.in_order(deadline, model_.sequence(id))) {
    object(laws::kFifo, deadline_of(id) + " runs before those that were set later",
           "it ran after one");
  }
}

void Oracle::check_pass(std::size_t ran, std::size_t limit, bool threw) {
  check_last_task();
  if (threw != callback_threw_) {
    object("An exception of a callback leaves expire.", "expire throws",
           "it returned " + text(ran));
  } else if (threw) {
    return;
  } else if (ran != ran_) {
    object(laws::kTellsHowManyRan, text(ran_), text(ran));
  } else if (ran > limit) {
    object("expire runs no more timers than its limit.", "at most " + text(limit), text(ran));
  } else if (ran < limit) {
    check_end_of_pass(limit);
  }
}

/// Checks the queue after it has said that it has run all that is due.
void Oracle::check_end_of_pass(std::size_t limit) {
  interrupted_ = false;
  const auto first = model_.first();
  if (first && first->due <= now()) {
    object(laws::kRunsAllThatIsDue,
           "expire to " + text(now()) + " runs " + name_of(first->id) + " of deadline " +
               text(model_.deadline(first->id)),
           "it ran " + text(ran_) + " others" +
               (limit == kNoLimit ? "" : ", of at most " + text(limit)));
  }
  if (first && next_expiry_is_exact_ && ran_ == 0 && told_before_ == now()) {
    object(laws::kNextExact, "a timer runs at " + text(now()), "none ran");
  }
  if (never_late_ || !first) ties_.forget();
}

/// Checks that the task of the last expiry is gone when the next one runs.
void Oracle::check_last_task() {
  if (ran_ != 0 && !tasks_[last_expired_].destroyed) {
    object("The callback gets the task, and the queue keeps nothing of it.",
           "the task of " + name_of(last_expired_) + " dies with its callback", "it still lives");
  }
}

void Oracle::check_size() {
  if (!content()) return;
  if (queue_->size() != model_.size()) {
    object(laws::kSize, text(model_.size()), text(queue_->size()));
  }
}

void Oracle::check_next_expiry() {
  if (!content() || !kind_.has_next_expiry) return;
  told_next_ = queue_->next_expiry();
  const auto [law, least, most] = allowed_next_expiry();
  if (least ? told_next_ && *told_next_ >= *least && *told_next_ <= *most : !told_next_) return;
  const std::string expected =
      least == most ? text(least) : "from " + text(least) + " to " + text(most);
  object(law, expected + ", as now is " + text(now()), text(told_next_));
}

Oracle::Allowed Oracle::allowed_next_expiry() const {
  if (model_.size() == 0) {
    return {"next_expiry is none when no timer is pending.", std::nullopt, std::nullopt};
  }
  const std::optional<Model::First> first = model_.first();
  if (!first) {
    return {"next_expiry is kEndOfTime when only timers are left that never run.", kEndOfTime,
            kEndOfTime};
  }
  if (first->due <= now())
    return {"next_expiry is a tick up to now while timers are due.", 0, now()};
  if (next_expiry_is_exact_ && never_late_) {
    return {laws::kNextExact, first->due, first->due};
  }
  // If a queue may be late, it is unknown until the end of its pass which of its timers are due.
  const bool may_be_due = interrupted_ && !never_late_;
  return {"next_expiry is after now, and not later than the tick at which the next timer runs.",
          may_be_due ? 0 : now() + 1, first->due};
}

void Oracle::object(std::string_view law, const std::string& expected, const std::string& seen) {
  if (!content()) return;
  objection_ = in_words({std::string(law), expected, seen});
}

void Oracle::on_destruction(std::uint64_t number) {
  const TimerId id = static_cast<TimerId>(number);
  const auto task = [&] { return "the task of " + name_of(id); };
  if (tasks_[id].destroyed) {
    object("A task is destroyed once.", task() + " is", "it was destroyed twice");
    return;
  }
  tasks_[id].destroyed = true;
  --living_tasks_;
  if (being_destroyed_) return;
  if (model_.is_pending(id)) {
    object("A queue keeps the task of a pending timer.", task() + " lives", "it was destroyed");
  } else if (tasks_[id].accepted) {
    task_destroyed(id);
  }
}

void Oracle::on_overwriting(std::uint64_t id) {
  object("A task has its memory until it is destroyed.",
         "nothing else is there while the task of " + name_of(static_cast<TimerId>(id)) + " dies",
         "something was put there");
}

}  // namespace timers::conformance
