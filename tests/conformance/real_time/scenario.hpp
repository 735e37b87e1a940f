#pragma once

/// One fresh service under observation: a test calls the service through it.
///
/// The scenario keeps a ledger and checks the service against it. So a test states only the
/// behaviour that it is about. The scenario checks:
///   - when a task starts: it is not early, runs for the first time, was not cancelled, and runs
///     alone if the service promises that;
///   - in the end, when the service is destroyed: each task was destroyed, once, and ran at most
///     once, not before the deadline that its timer had last, and not if it was cancelled.
///
/// To be slow is no fault, unless it takes for ever.

#include <any>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "impls/clocks/instant.hpp"
#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/random.hpp"
#include "tests/conformance/real_time/any_service.hpp"
#include "tests/conformance/real_time/watched_process.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/conformance/threads_together.hpp"

namespace timers::real_time {

using conformance::any_span;
using conformance::dawdle;
using conformance::Random;
using conformance::Skip;
using conformance::together;
using namespace std::chrono_literals;

using RealClock = std::chrono::steady_clock;
using Deed = std::function<void()>;

/// A timer in the ledger.
struct Timer {
  AnyService::Handle handle;
  Deed deed;
  Deed deed_of_destructor;
  bool cancelled = false;             // by the thread that owns the timer
  std::atomic<Instant> not_before{};  // the deadline is at this instant or later
  Instant not_after;                  // the deadline is at this instant or earlier
  std::atomic<Instant> started_at{};
  std::atomic<int> starts = 0;
  std::atomic<int> ends = 0;
  std::atomic<int> destroyed = 0;
  std::size_t place = 0;  // its number in the order of starts

  bool is_over() const { return ends > 0 || cancelled; }
};

class Scenario {
 public:
  Scenario(const ServiceKind& kind, Report& report);
  ~Scenario();
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  /// Runs a sentence as a Google test: makes a scenario in a process of its own, and calls `body`
  /// with it there.
  static void live(const ServiceKind& kind, void (*body)(Scenario&));

  /// The verbs. The thread that schedules a timer owns it. Only the owner cancels and re-arms it.
  /// Another thread may do so after the owner has handed the timer over.
  Timer& schedule(Duration delay, Deed deed = {}, Deed deed_of_destructor = {});
  /// nullptr if the service refuses.
  Timer* try_to_schedule(Duration delay, Deed deed = {});
  bool cancel(Timer& timer);
  bool rearm(Timer& timer, Duration delay);
  /// How many tasks the service gave back, if it gives any back.
  std::optional<std::size_t> stop();
  void destroy_service();
  /// The service itself. The ledger does not see what a test does with it directly.
  AnyService& service() { return *service_; }

  /// Waits until `is_so()`. `what` says in the report what was awaited, if it never comes.
  void wait_until(std::string_view what, const std::function<bool()>& is_so);
  /// Waits until all timers have run or were cancelled.
  void wait_for_all();
  void wait_for(const Timer& timer) {
    wait_until("a task to run", [&] { return timer.ends > 0; });
  }
  /// Lets real time pass.
  static void pass(Duration span) { std::this_thread::sleep_for(span); }

  /// Adds a fault to the report.
  void object(std::string_view fault) { report_.object(fault); }
  void expect(bool is_so, std::string_view fault) {
    if (!is_so) object(fault);
  }
  bool has_faults() const { return report_.has_faults(); }
  /// Call it when the test has made progress: it does not hang.
  void progress() { report_.progress(); }

  /// How many tasks have started, and how many timers were scheduled.
  std::size_t started() const { return started_; }
  std::size_t scheduled() const { return scheduled_; }
  std::size_t destroyed() const { return destroyed_; }

  const ServiceKind& kind() const { return kind_; }
  void needs_rearm() const;
  void needs_periods() const;
  void needs_stop() const;
  void needs_serial() const;

 private:
  class TaskOf;

  std::string history() const;
  Timer& new_timer(Deed deed, Deed deed_of_destructor);
  void start(Timer& timer);
  void end(Timer& timer);
  void die(Timer& timer);
  void check(const Timer& timer);

  const ServiceKind kind_;
  Report& report_;
  std::atomic<std::size_t> scheduled_ = 0;
  std::atomic<std::size_t> started_ = 0;
  std::atomic<std::size_t> over_ = 0;
  std::atomic<std::size_t> destroyed_ = 0;
  std::atomic<std::size_t> early_ = 0;
  std::atomic<int> running_ = 0;

  std::mutex mutex_;  // guards `timers_`
  std::deque<Timer> timers_;

  std::unique_ptr<AnyService> service_;
};

/// Counts rounds, up to `most`. If a round takes long, as it may with coarse ticks, the rounds end
/// early: after a second, or a tenth of a second under a sanitizer, but not before three rounds.
class Rounds {
 public:
  explicit Rounds(int most) : most_(most) {}

  bool go_on() {
    const int done = done_++;
    return done < most_ && (done < kFewest || RealClock::now() < end_);
  }

 private:
  static constexpr int kFewest = 3;

  int most_;
  int done_ = 0;
  Instant end_ = RealClock::now() + (conformance::kSanitized ? 100ms : 1s);
};

/// A width for `dawdle`: some microseconds at most.
inline constexpr unsigned kMoment = 14;

/// Schedules some timers. While the service starts their tasks from first to last, calls `deed` for
/// each timer from last to first, so that the two meet.
void meet_the_starts(Scenario& service, const std::function<void(Timer&)>& deed);

}  // namespace timers::real_time
