#pragma once

/// One fresh service on a manual clock under observation: a test calls the service through it.
///
/// Timers have numbers that the test chooses, one for each timer. The scenario keeps a ledger and
/// checks the service against it. So a test states only the behaviour that it is about. The
/// scenario checks:
///   - when a task starts: its timer is pending and not early. If the clock moves like real time,
///     it is not late. If the service promises so, it starts after all timers that were due
///     before it, and no other task runs;
///   - when time has moved: all that is due has started, `pending` is right, and the tasks that are
///     over are destroyed;
///   - in the end: each task was destroyed exactly once.
///
/// Tasks may use the scenario as the test does, except for functions that move time. When a test
/// fails, the scenario prints what was done. A scenario in which nothing happened is a failure.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/journal.hpp"
#include "tests/conformance/objection.hpp"
#include "tests/conformance/services/any_service.hpp"

namespace timers::service_conformance {

using conformance::Journal;
using conformance::Objection;
using conformance::Skip;

using Id = int;
using Ids = std::vector<Id>;

/// Skips the test unless services of this kind can re-arm.
inline void needs_rearm(const ServiceKind& kind) {
  if (!kind.can_rearm) throw Skip{"it cannot re-arm"};
}

class Scenario {
 public:
  using Deed = std::function<void()>;

  /// A service on a clock that reads `start`.
  explicit Scenario(const ServiceKind& kind, Instant start = Instant{}, Settings settings = {});
  ~Scenario();
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  /// The verbs. When a task has started and is in the log, it does its deed.
  void schedule(Id id, Duration delay, Deed deed = {});
  void schedule_no_task(Duration delay) { service_->schedule(delay, TimerTask()); }
  CancelResult cancel(Id id);
  bool rearm(Id id, Duration delay);
  bool rearm_null(Duration delay) { return service_->rearm(service_->null_handle(), delay); }
  CancelResult cancel_null() { return service_->cancel(service_->null_handle()); }
  std::size_t pending() const { return service_->pending(); }
  /// Returns the numbers of the timers whose tasks stop returned, in ascending order.
  Ids stop();
  void destroy_service();

  /// Moves time by `span` like real time. If the service wakes at each tick, most of a long span is
  /// a jump, and only its end is like real time.
  void run_for(Duration span);
  /// Moves time by `span` at once.
  void jump(Duration span);
  /// Waits until all is quiet.
  void settle() { run_for(Duration::zero()); }
  /// Moves time so far that all that is due in `delay` has started.
  void pass(Duration delay) { run_for(delay + lateness_); }

  /// The time since the scenario began.
  Duration now() const { return clock_.now() - start_; }
  Duration lateness() const { return lateness_; }
  /// How often a thread was woken so far.
  std::size_t wakes() const { return clock_.wakes(); }
  /// The clock itself, so that a test can move it while another thread is in a call. Then the
  /// scenario checks nothing.
  ManualClock& clock() { return clock_; }
  /// For tasks: takes `span` of time.
  void sleep_for(Duration span) { clock_.sleep_for(span); }

  /// What ran so far, in order.
  Ids log() const;
  /// Whether exactly these tasks ran so far, in any order.
  testing::AssertionResult ran(Ids expected) const;
  bool has_run(Id id) const;
  /// How often the task of this timer was destroyed.
  int destroyed(Id id) const;
  /// What the destructor of a task does, unless the service is destroyed.
  void on_destruction_of(Id id, Deed deed);

  /// What tasks threw, as the error handler received it.
  std::vector<std::string> errors() const;
  /// What the error handler does after it has recorded the error.
  void on_error(Deed deed);

  bool is_null(Id id) const { return service_->same(handle(id), service_->null_handle()); }
  bool same_handle(Id one, Id other) const { return service_->same(handle(one), handle(other)); }

  /// Skip the test unless the service keeps a promise or has an ability.
  void needs_serial() const;
  void needs_fifo() const;
  void needs_rearm() const { service_conformance::needs_rearm(kind_); }
  bool can_rearm() const { return kind_.can_rearm; }
  void needs_error_handler() const;
  void needs_to_sleep_on() const;
  const ServicePromises& promises() const { return kind_.promises; }

  /// Declares that tasks take time, so that others may start late.
  void tolerate_delays() { tolerates_delays_ = true; }

 private:
  class Task;
  enum class Fate { pending, running, over, cancelled, returned, refused };

  /// What a timer waits for.
  struct Wait {
    Instant deadline;
    int turn;  // its number in the sequence of all schedules and re-arms
    bool without_delay;
    bool is_rearmed = false;
  };
  struct Timer {
    Wait wait;
    Deed deed;
    Deed deed_of_destructor;
    AnyService::Handle handle;
    Fate fate = Fate::pending;
    int destroyed = 0;
  };
  using Lock = std::lock_guard<std::mutex>;

  void enter(Id id, Duration delay, Deed deed);
  void leave(Id id, Fate fate);
  Wait wait_anew(Id id, Duration delay);
  void wait_as_before(Id id, const Wait& before);
  Wait replace_wait(Id id, const Wait& wait);
  Wait wait_of(Duration delay);
  static std::pair<Instant, int> turn_of(const Wait& wait) { return {wait.deadline, wait.turn}; }
  bool is_due(Id id) const;
  CancelResult result_of_cancel(Id id) const;
  void run(Id id);
  const Deed& start(Id id);
  void end(Id id);
  void check_start(Id id, const Timer& timer);
  bool has_a_turn(const Timer& timer) const;
  bool overtakes(const Timer& timer) const;
  void die(Id id);
  void note_error(const std::exception_ptr& error);
  void check();
  void check_destroyed(bool all);
  void complain(const Objection& objection);
  void object(const Objection& objection);
  void report();
  void note_time();
  AnyService::Handle handle(Id id) const;
  std::string since_start(Instant instant) const;

  /// If it is set, a task adds its number to this list instead of running. So the scenario finds
  /// out to which timer a task belongs.
  static inline thread_local Ids* roll_call_ = nullptr;

  const ServiceKind kind_;
  const Instant start_;
  ManualClock clock_;
  std::atomic<bool> tolerates_delays_ = false;
  std::atomic<bool> jumps_ = false;
  std::atomic<bool> being_destroyed_ = false;
  std::atomic<bool> is_being_stopped_ = false;

  mutable std::mutex mutex_;  // guards the ledger, which is all of these
  std::map<Id, Timer> timers_;
  std::map<std::pair<Instant, int>, Id> due_;  // pending timers, by deadline and turn
  int turns_ = 0;
  Ids log_;
  Journal journal_;
  std::vector<std::string> errors_;
  Deed deed_of_handler_;
  int running_ = 0;
  bool saw_something_ = false;
  std::optional<std::string> complaint_;
  bool reported_ = false;
  const bool had_failed_ = testing::Test::HasFailure();

  std::unique_ptr<AnyService> service_;
  Duration lateness_;
};

}  // namespace timers::service_conformance
