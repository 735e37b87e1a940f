#include "tests/conformance/queues/oracle.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace timers::conformance {
namespace {

/// Whether a bound that depends on the delay has one value for delays of all sizes.
bool is_always(Tick (*bound)(Tick delay), Tick value) {
  for (Tick delay = 1; delay != 0; delay *= 2) {
    if (bound(delay) != value) return false;
  }
  return bound(kEndOfTime) == value;
}

const char* truth(bool answer) { return answer ? "true" : "false"; }

std::string text(Tick tick) { return std::to_string(tick); }

std::string text(std::optional<Tick> tick) { return tick ? text(*tick) : "none"; }

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

/// Where time ends early, it stops one tick before, so that each timer has a deadline to be set to.
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
  try {
    tasks_[id].handle = queue_->insert(deadline, ProbeTask(id, this));
    tasks_[id].accepted = true;
    model_.set(id, deadline);
    if (tasks_[id].destroyed) object("insert destroyed the task");
  } catch (const std::bad_alloc&) {
    tasks_[id].handle = queue_->null_handle();
    if (!may_run_out_) object("insert threw std::bad_alloc");
    if (!tasks_[id].destroyed) object("insert threw and kept the task");
  }
  check_size();
  check_next_expiry();
  return id;
}

bool Oracle::cancel(TimerId id) {
  if (!content()) return false;
  ++operations_;
  const bool pending = model_.is_pending(id);
  if (pending) model_.remove(id);
  // A copy: the destructor of the task may insert timers, and so move the original.
  const AnyQueue::Handle handle = tasks_[id].handle;
  const bool answer = queue_->cancel(handle);
  if (answer != pending) {
    object("cancel of " + name_of(id) + " returned " + truth(answer) + ", but it is " +
           (pending ? "pending" : "not pending"));
  } else if (pending && !tasks_[id].destroyed) {
    object("cancel of " + name_of(id) + " did not destroy its task");
  }
  check_size();
  check_next_expiry();
  return answer;
}

bool Oracle::rearm(TimerId id, Tick wanted) {
  const Tick deadline = deadline_within_reach(wanted);
  if (!content() || !kind_.can_rearm) return false;
  ++operations_;
  const bool pending = model_.is_pending(id);
  bool answer = pending;
  try {
    answer = queue_->rearm(tasks_[id].handle, deadline);
    if (pending) model_.set(id, deadline);
  } catch (const std::bad_alloc&) {
    if (!may_run_out_) object("re-arm threw std::bad_alloc");
  }
  if (answer != pending) {
    object("re-arm of " + name_of(id) + " returned " + truth(answer) + ", but it is " +
           (pending ? "pending" : "not pending"));
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
    model_.move_to(now);
    in_pass_ = true;
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
    object("expire threw std::bad_alloc");
  }
  if (runs) {
    in_pass_ = false;
    check_pass(ran, limit, threw);
  } else if (ran != 0 || ran_ != ran_before) {
    object("expire to " + text(now) +
           (in_pass_ ? " inside a callback" : ", which is in the past,") + " ran a timer");
  }
  check_size();
  check_next_expiry();
}

void Oracle::move_queue() {
  if (content()) queue_ = queue_->move();
  check_size();
  check_next_expiry();
}

void Oracle::destroy_queue() {
  being_destroyed_ = true;
  queue_.reset();
  if (living_tasks_ != 0) {
    object(std::to_string(living_tasks_) + " tasks were never destroyed");
  }
}

void Oracle::start_over() {
  destroy_queue();
  if (!content()) return;
  being_destroyed_ = false;
  model_.clear();
  ties_.forget();
  tasks_.clear();
  forgotten_.clear();
  queue_ = kind_.make();
}

/// The callback of every expire. It owns the task, which is destroyed when it returns.
void Oracle::expired(Tick deadline, ProbeTask task) {
  const TimerId id = static_cast<TimerId>(task.id());
  check_expiry(deadline, id);
  if (!content()) throw CallbackFailure{};  // what the queue does from here on tells nothing
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
  if (!in_pass_) {
    object(name_of(id) + " ran in an expire that should run none");
  } else if (!model_.can_expire(id)) {
    object(name_of(id) + " ran, but " +
           (model_.is_pending(id) ? "was set at the end of time" : "is not pending"));
  } else if (deadline != model_.deadline(id)) {
    object(name_of(id) + " ran with deadline " + text(deadline) + " instead of " +
           text(model_.deadline(id)));
  } else if (deadline > now()) {
    object(name_of(id) + " ran at " + text(now()) + ", before its deadline " + text(deadline));
  } else {
    check_order(deadline, id);
  }
  check_last_task();
}

void Oracle::check_order(Tick deadline, TimerId id) {
  const Promises& promises = kind_.promises;
  if (promises.expires_in_order && never_late_) {
    const Model::First first = *model_.first();
    if (first.due != deadline || (promises.fifo && first.id != id)) {
      object(name_of(id) + " of deadline " + text(deadline) + " ran before " + name_of(first.id) +
             " of deadline " + text(first.due));
    }
    return;
  }
  if (promises.expires_in_order && deadline < last_deadline_) {
    object(name_of(id) + " of deadline " + text(deadline) + " ran after one of deadline " +
           text(last_deadline_));
  }
  if (promises.fifo && !ties_.in_order(deadline, model_.sequence(id))) {
    object(name_of(id) + " ran after one of the same deadline that was set later");
  }
}

void Oracle::check_pass(std::size_t ran, std::size_t limit, bool threw) {
  check_last_task();
  if (threw != callback_threw_) {
    object("expire swallowed the exception of a callback");
  } else if (threw) {
    return;
  } else if (ran != ran_) {
    object("expire returned " + std::to_string(ran) + " and ran " + std::to_string(ran_));
  } else if (ran > limit) {
    object("expire ran " + std::to_string(ran) + " of at most " + std::to_string(limit));
  } else if (ran < limit) {
    const auto first = model_.first();
    if (first && first->due <= now()) {
      object("expire to " + text(now()) + " left " + name_of(first->id) + " of deadline " +
             text(model_.deadline(first->id)));
    }
    if (never_late_ || !first) ties_.forget();
  }
}

/// The task of the last expiry is gone when the next one runs.
void Oracle::check_last_task() {
  if (ran_ != 0 && !tasks_[last_expired_].destroyed) {
    object("the task of " + name_of(last_expired_) + " outlived its callback");
  }
}

void Oracle::check_size() {
  if (!content()) return;
  if (queue_->size() != model_.size()) {
    object("size is " + std::to_string(queue_->size()) + " instead of " +
           std::to_string(model_.size()));
  }
}

void Oracle::check_next_expiry() {
  if (!content() || !kind_.has_next_expiry) return;
  const std::optional<Tick> next = queue_->next_expiry();
  const auto first = model_.first();
  bool right;
  if (model_.size() == 0) {
    right = !next;
  } else if (!next) {
    right = false;
  } else if (!first) {
    right = *next == kEndOfTime;
  } else if (!never_late_) {
    right = *next <= first->due;
  } else if (first->due <= now()) {
    right = *next <= now();
  } else if (next_expiry_is_exact_) {
    right = *next == first->due;
  } else {
    right = *next > now() && *next <= first->due;
  }
  if (!right) {
    object("next_expiry is " + text(next) + " at " + text(now()) + ", where the earliest of " +
           std::to_string(model_.size()) + " timers has " +
           text(first ? std::optional(first->due) : std::nullopt));
  }
}

void Oracle::object(const std::string& objection) {
  if (content()) objection_ = objection;
}

void Oracle::on_destruction(std::uint64_t number) {
  const TimerId id = static_cast<TimerId>(number);
  if (tasks_[id].destroyed) {
    object("the task of " + name_of(id) + " was destroyed twice");
    return;
  }
  tasks_[id].destroyed = true;
  --living_tasks_;
  if (being_destroyed_) return;
  if (model_.is_pending(id)) {
    object("the task of " + name_of(id) + " was destroyed while it was pending");
  } else if (tasks_[id].accepted) {
    task_destroyed(id);
  }
}

}  // namespace timers::conformance
