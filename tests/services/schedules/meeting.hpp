#pragma once

/// Threads that meet at one service, in every schedule; and a ledger of what happens to its timers.
///
///     const Sentence one_winner("HasOneWinnerOfCancelAndStart", [](Meeting& meeting) {
///       const auto timer = meeting.schedule(kSoon);
///       meeting.meet({{"canceller", [&] { meeting.cancel(timer); }},
///                     {"time", [&] { meeting.pass(kSoon); }}});
///     });
///
/// All that happens before the threads meet has only one order, and so has all that happens after.
/// The meeting goes on until timers that are due soon have run. Then it stops the service and
/// destroys it. Then each timer must have ended exactly once.

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "impls/clocks/instant.hpp"
#include "impls/timer_service.hpp"
#include "tests/conformance/basic_sentence.hpp"
#include "tests/services/schedules/explored_services.hpp"
#include "tests/services/schedules/stepwise_clock.hpp"

namespace timers::schedules {

/// A meeting waits until timers with this deadline are over. It does not wait for others.
inline constexpr Duration kSoon = std::chrono::milliseconds(1);
inline constexpr Duration kLater = 2 * kSoon;
inline constexpr Duration kFar = std::chrono::hours(1);

class Meeting {
 public:
  using Timer = std::size_t;
  struct Thread {
    std::string name;
    std::function<void()> deed;
  };

  explicit Meeting(const ExploredKind& kind);
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;
  ~Meeting();

  /// Lets threads meet in every schedule. Fails if a schedule leads to a fault, and prints how many
  /// schedules there were.
  static void live(const ExploredKind& kind, void (*body)(Meeting&));

  /// Starts the threads, and returns when they have ended and all is quiet.
  void meet(const std::vector<Thread>& threads);

  // What the threads do to the service.

  Timer schedule(Duration delay, std::function<void()> task = {});
  void cancel(Timer timer);
  void rearm(Timer timer, Duration delay);
  void stop();
  /// Lets time pass, so that timers with this delay are due now.
  void pass(Duration delay);
  /// A task may call it to take more than one step.
  void look_at_time() const { clock_.now(); }
  /// A task may call it to go on until no other thread can continue.
  static void wait_for_the_others();
  /// Makes a new service.
  void make();
  void destroy();

  /// Ends the meeting, and returns what went wrong, or "".
  std::string fault();

 private:
  struct Entry;
  class Task;

  void fill_pools();
  void object(const std::string& what);
  void object(const Entry& entry, const std::string& what);
  void expect_run();
  void expect_pending();
  void stop_at_last();
  void judge(const Entry& entry);
  Duration lateness() const;

  const ExploredKind kind_;
  StepwiseClock clock_;
  std::unique_ptr<service_conformance::AnyService> service_;
  std::deque<Entry> entries_;
  std::vector<TimerTask> returned_;
  bool stops_ = false;           // a thread has called stop
  bool stopped_ = false;         // stop has returned
  bool destroyed_ = false;       // while threads met
  bool calls_returned_ = false;  // calls the tasks that stop returned
  std::string fault_;
};

using Sentence = conformance::BasicSentence<ExploredKind, Meeting>;

}  // namespace timers::schedules
