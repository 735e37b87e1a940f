#include "tests/conformance/queues/scenario.hpp"

#include <algorithm>
#include <exception>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace timers::conformance {

std::ostream& operator<<(std::ostream& out, const Expiry& expiry) {
  return out << expiry.id << " (due " << expiry.deadline << ") at " << expiry.now;
}

Scenario::Scenario(const QueueKind& kind, Tick start)
    : kind_(kind), ledger_(kind.promises), queue_(kind.make()) {
  if (start > 0) expire(start);
}

Scenario::~Scenario() {
  const bool left_by_exception = std::uncaught_exceptions() > 0;
  const bool saw_nothing = happenings_ == 0;
  destroy_queue();
  if (saw_nothing && !left_by_exception) ADD_FAILURE() << "this scenario saw nothing happen";
}

void Scenario::insert(Id id, Tick deadline) {
  need_tick(deadline);
  need_exact(deadline);
  const auto [place, is_new] = timers_.try_emplace(id);
  if (!is_new) throw std::logic_error("a scenario uses each number for one timer");
  ledger_.set(id, deadline);
  place->second.handle = queue_->insert(deadline, ProbeTask(id, this));
  check("an insert");
}

bool Scenario::cancel(Id id) {
  const bool was_pending = ledger_.is_pending(id);
  ledger_.remove(id);
  const bool cancelled = queue_->cancel(timers_.at(id).handle);
  if (cancelled) ++happenings_;
  if (cancelled != was_pending)
    complain("cancel of timer " + std::to_string(id) + " is " + (cancelled ? "true" : "false"));
  if (cancelled && timers_.at(id).destroyed != 1)
    complain("the task of timer " + std::to_string(id) + " outlived its cancel");
  check("a cancel");
  return cancelled;
}

bool Scenario::rearm(Id id, Tick deadline) {
  needs_rearm();
  need_tick(deadline);
  need_exact(deadline);
  const bool was_pending = ledger_.is_pending(id);
  if (was_pending) ledger_.set(id, deadline);
  const bool rearmed = queue_->rearm(timers_.at(id).handle, deadline);
  if (rearmed) ++happenings_;
  if (rearmed != was_pending)
    complain("re-arm of timer " + std::to_string(id) + " is " + (rearmed ? "true" : "false"));
  check("a re-arm");
  return rearmed;
}

std::size_t Scenario::expire(Tick now) { return observe(now, kNoLimit, false); }

std::size_t Scenario::expire(Tick now, std::size_t limit) {
  needs_limit();
  return observe(now, limit, true);
}

std::size_t Scenario::observe(Tick now, std::size_t limit, bool limited) {
  const auto on_expiry = [this](Tick deadline, ProbeTask task) { record(deadline, task); };
  if (passing_) {
    const std::size_t ran =
        limited ? queue_->expire(now, on_expiry, limit) : queue_->expire(now, on_expiry);
    if (ran != 0) complain("an expire out of a callback is not 0");
    check("an expire out of a callback");
    return ran;
  }

  need_tick(now);
  const Tick before = ledger_.now();
  const bool in_the_past = now < before;
  if (!in_the_past) ledger_.move_to(now);
  ran_in_pass_ = 0;
  most_in_pass_ = in_the_past ? 0 : std::min(limit, ledger_.size());
  previous_in_pass_.reset();
  passing_ = true;
  const struct EndOfPass {
    bool& passing;
    ~EndOfPass() { passing = false; }
  } end_of_pass{passing_};

  const std::size_t ran =
      limited ? queue_->expire(now, on_expiry, limit) : queue_->expire(now, on_expiry);
  if (ran != ran_in_pass_)
    complain("expire is " + std::to_string(ran) + ", but ran " + std::to_string(ran_in_pass_));
  if (!in_the_past && ran < limit) {
    if (const auto done = ledger_.nothing_is_due(before); !done) complain(done.message());
  }
  check("an expire");
  return ran;
}

void Scenario::record(Tick deadline, const ProbeTask& task) {
  const Id id = task.id();
  ++happenings_;
  log_.push_back({id, deadline, ledger_.now()});
  // This also ends a pass that would never end.
  if (++ran_in_pass_ > most_in_pass_)
    throw std::runtime_error("expire runs more than was pending, or than its limit");
  if (const auto may = ledger_.may_run(id, deadline, previous_in_pass_); !may)
    complain("timer " + std::to_string(id) + " ran, but " + may.message());
  previous_in_pass_ = deadline;
  ledger_.remove(id);
  check("the start of a callback");
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
  if (const auto callback = timer.on_destruction; callback && queue_) callback();
}

namespace {

/// Sorts what the queue may run in any order, so that logs can be compared.
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
  queue_ = queue_->move();
  check("a move");
}

void Scenario::assign_queue_over_one_with(Id id, Tick deadline) {
  auto other = kind_.make();
  timers_.try_emplace(id).first->second.handle = other->insert(deadline, ProbeTask(id, this));
  other->assign(std::move(*queue_));
  queue_ = std::move(other);
  check("an assignment");
}

void Scenario::destroy_queue() {
  if (!queue_) return;
  queue_.reset();
  for (const auto& [id, timer] : timers_) {
    ++happenings_;
    if (timer.destroyed != 1) {
      complain("the task of timer " + std::to_string(id) + " was destroyed " +
               std::to_string(timer.destroyed) + " times");
    }
  }
}

void Scenario::needs_rearm() const { need(kind_.can_rearm, "re-arm"); }
void Scenario::needs_next_expiry() const { need(kind_.has_next_expiry, "tell its next expiry"); }
void Scenario::needs_limit() const { need(kind_.can_limit, "limit an expire"); }

void Scenario::needs_order() const {
  if (!promises().expires_in_order) throw Skip{kind_.name + " does not expire in order"};
}

void Scenario::needs_fifo() const {
  needs_order();
  if (!promises().fifo) throw Skip{kind_.name + " does not keep the order of equal deadlines"};
}

void Scenario::need(bool has, const char* what) const {
  if (!has) throw Skip{kind_.name + " cannot " + what};
}

void Scenario::need_exact(Tick deadline) const {
  if (tolerates_lateness_ || now() == kEndOfTime) return;
  const Tick delay = std::max(deadline, now() + 1) - now();
  if (promises().max_lateness(delay) == 0) return;
  throw Skip{kind_.name + " may run a timer of delay " + std::to_string(delay) + " late"};
}

void Scenario::need_tick(Tick tick) const {
  if (tick > promises().last_tick)
    throw Skip{kind_.name + " does not reach tick " + std::to_string(tick)};
}

Tick Scenario::from_now(Tick delay) const {
  return delay > kEndOfTime - now() ? kEndOfTime : now() + delay;
}

void Scenario::check(const char* after) {
  if (!queue_) return;
  if (queue_->size() != ledger_.size()) {
    complain("size is " + std::to_string(queue_->size()) + ", not " +
             std::to_string(ledger_.size()) + ", after " + after);
  }
  if (!kind_.has_next_expiry) return;
  if (const auto may = ledger_.may_be_next(queue_->next_expiry()); !may)
    complain(std::string("next_expiry is ") + may.message() + ", after " + after);
}

void Scenario::complain(const std::string& what) {
  // What follows the first fault of a queue says little.
  if (std::exchange(complained_, true)) return;
  ADD_FAILURE() << kind_.name << " at " << now() << ": " << what;
}

}  // namespace timers::conformance
