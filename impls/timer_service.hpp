#pragma once

/// The contract of a timer service: what a program uses to have things done later.
///
/// A timer queue shows *why* a timer is fast. A service shows what a program gets. It has a clock,
/// threads that wait for the deadlines, and tasks that it runs. Any thread may call any service,
/// and a task may call its own service.
///
///     timers::SteadyClock clock;
///     timers::HashedWheelTimer timer(clock);
///     auto handle = timer.schedule(30s, [] { close_idle_connection(); });
///     timer.cancel(handle);     // CancelResult::cancelled: it will not run
///     timer.stop();             // returns the tasks that did not run
///
/// Beyond this contract each service has what its original has, under the same names, and behaves
/// as the original does. Where the original breaks the contract, the service has an option, whose
/// default keeps the contract. `as_in_netty()`, `as_in_kafka()` or `as_in_jdk()` give the options
/// that make it behave like the original.

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/timer_task.hpp"

namespace timers {

/// What became of a timer that was to be cancelled.
enum class CancelResult {
  cancelled,  ///< The task will not run, and is destroyed.
  running,    ///< It is running now, and will not run again.
  gone        ///< It ran to its end, was cancelled before, or never was.
};

/// Its name, for messages.
inline std::ostream& operator<<(std::ostream& out, CancelResult result) {
  switch (result) {
    case CancelResult::cancelled:
      return out << "cancelled";
    case CancelResult::running:
      return out << "running";
    case CancelResult::gone:
      return out << "gone";
  }
  return out << "CancelResult(" << static_cast<int>(result) << ")";
}

/// Thrown when a service does not take a task: the service was stopped, or is full. If it is full,
/// the message says how many timers are pending.
class RejectedTask : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What every timer service offers.
///
/// `schedule(delay, task)` lets `task` run once, `delay` from now or a little later, and never
/// earlier. `max_lateness()` says how much later, on a clock that wakes sleepers at once.
///   - A delay may be in any unit of std::chrono; see `Delay`. A negative delay counts as zero. A
///     delay that leads beyond the last instant never ends. A service whose original refuses
///     negative or endless delays throws std::invalid_argument: see ServicePromises.
///   - An empty task (`TimerTask()`) is refused with std::invalid_argument.
///   - A service that was stopped, or is full, throws RejectedTask. Nothing has changed after a
///     call that throws, and the task is destroyed.
///   - What was written before the call is visible to the task.
///
/// `cancel(handle)` keeps a timer from running, if it still can; see CancelResult. After
/// `cancelled` the task never starts; after `gone` everything that it wrote is visible. A
/// default-constructed handle stands for a timer that never was. A handle stays good for ever, even
/// when its service is gone. To pass a handle of another service is the caller's error.
///
/// `pending()` is the number of timers that were scheduled, have not started to run, and were not
/// cancelled. While other threads schedule or cancel, the number may be out of date at once.
///
/// From `stop()` on the service accepts nothing more. The call waits for the tasks that run, and
/// ends the threads of the service. It returns the tasks of all timers that were pending then:
/// tasks that never ran, and repeating ones that waited for another run. A second stop returns
/// nothing. A task that stops its own service would wait for itself: it gets std::logic_error, and
/// the service goes on. If memory runs out, a stop throws std::bad_alloc. Then the service accepts
/// nothing more and runs nothing more, and the next stop returns the tasks. The destructor stops
/// the service, too, and needs no memory.
///
/// A task is destroyed when its last run is over, on the thread of the run, or when its timer is
/// cancelled, in that call. In a run or a call, the service destroys the task last of all. So the
/// destructor of a task may do what the task may do. A task may have the last handle of its own
/// timer. No lock of the service is held while a task runs or is destroyed.
///
/// If memory runs out on a thread of the service, its timers may be late, and none is lost. But an
/// executor without memory for a task refuses the task: the option `executor` says what follows.
///
/// An exception that leaves a task goes to `Options::on_error` and harms no other task.
///
/// A process that was forked has a copy of the service, but none of its threads: no task runs
/// there. The timers of the parent go on. On SteadyClock this holds in the child:
///   - It may destroy the service, in any state that the fork found it in. The destructor waits for
///     nothing, and destroys no pending task: what the timers hold stays allocated.
///   - It may copy and destroy handles, and make services of its own.
///   - It must make no other call to the service or to a handle: a thread of the parent may have
///     held a lock at the fork, and in the child nobody releases that lock.
///   - Handlers of pthread_atfork must not touch services.
///   - If a task forks, it must not return in the child: the child would go on as the service's
///     thread. So in the child the task has to end by _exit or exec.
template <class Service>
concept TimerService = requires(Service service, const Service& view, Duration delay,
                                TimerTask task, typename Service::Handle handle) {
  { Service::name } -> std::convertible_to<std::string_view>;
  { service.schedule(delay, std::move(task)) } -> std::same_as<typename Service::Handle>;
  { service.cancel(handle) } -> std::same_as<CancelResult>;
  { view.pending() } -> std::same_as<std::size_t>;
  { view.max_lateness() } -> std::same_as<Duration>;
  { service.stop() } -> std::same_as<std::vector<TimerTask>>;
}
&&std::regular<typename Service::Handle>;

/// An ability, which is detected: timers that are set anew.
///
/// `rearm(handle, delay)` gives a pending timer a new deadline, `delay` from now, and returns true.
/// Otherwise it changes nothing and returns false: the task runs or ran, the timer was cancelled or
/// never was, or the service was stopped. It may also return false for a timer whose deadline has
/// come and whose task has not started yet. If a re-arm races with the start of the task, one of
/// the two wins, and the result says which.
///   - The handle stays good, and the task stays where it is.
///   - Delays mean the same as in `schedule`.
///   - To put a timer off takes no lock, sends no message and wakes nobody. At its old deadline the
///     thread may wake for nothing, once for each re-arm. To bring a timer nearer may cost what
///     `schedule` costs.
///   - If memory runs out it throws std::bad_alloc, and the timer waits as before.
template <class Service>
concept RearmingService = TimerService<Service> &&
    requires(Service service, const typename Service::Handle& handle, Delay delay) {
  { service.rearm(handle, delay) } -> std::same_as<bool>;
};

/// Two more abilities: timers that repeat, at a fixed rate or with a fixed delay.
///
/// `schedule_at_fixed_rate(first, period, task)` runs `task` again and again. The first run is due
/// `first` from now, and each other run `period` after the previous run was due. So the rate does
/// not drift, however late a run starts and however long it takes.
///
/// `schedule_with_fixed_delay(first, delay, task)` does the same, but each run is due `delay` after
/// the previous run has ended, or has started: see `delays_count_from_the_end`.
///   - Delays and tasks mean the same as in `schedule`, and are refused in the same way.
///   - No two runs of a timer overlap, and each run sees what the previous one wrote. No run is
///     early.
///   - Runs of a fixed rate are *missed* if several are due when one can start: because a run took
///     long, or the machine slept. `missed_runs` says what becomes of them. A fixed delay misses
///     nothing.
///   - `cancel` takes the handle that both calls return. Between two runs `cancel` returns
///     `cancelled`: no run follows, and the task is destroyed. During a run it returns `running`,
///     and that run is the last one. The task itself may call `cancel`.
///   - Between two runs the timer is pending, and a stop returns its task. During a run it is not
///     pending. If a stop waits for a run, that run is the last one, and the stop need not return
///     the task.
///   - An endless first delay leads to no run, as in `schedule`, and an endless period to no other
///     run. A period in which no time passes is refused with std::invalid_argument.
///   - If a run throws, see `repeats_after_error`.
template <class Service>
concept HasFixedRate = TimerService<Service> &&
    requires(Service service, Delay delay, TimerTask task) {
  {
    service.cancel(service.schedule_at_fixed_rate(delay, delay, std::move(task)))
    } -> std::same_as<CancelResult>;
};
template <class Service>
concept HasFixedDelay = TimerService<Service> &&
    requires(Service service, Delay delay, TimerTask task) {
  {
    service.cancel(service.schedule_with_fixed_delay(delay, delay, std::move(task)))
    } -> std::same_as<CancelResult>;
};

/// What a service does about the runs of a fixed rate that it missed.
enum class MissedRuns {
  made_up_for,  ///< All take place, one right after the other.
  skipped       ///< One takes place for all of them. The next run is due as planned.
};

/// What a service promises about its behaviour, with its default options. A service declares a
/// weaker promise by a static constexpr member of the same name. What it does not declare, it
/// promises as strictly as here. Only `max_lateness()` depends on options, so it is a function of
/// the service.
struct ServicePromises {
  /// Tasks run one after the other. Then, of two tasks whose deadlines differ by more than the
  /// lateness, the earlier one starts first. But a task without delay may start before tasks that
  /// are overdue.
  bool serial = true;
  /// Tasks of equal deadlines start in the order in which they were scheduled. Only a serial
  /// service can show this.
  bool fifo = true;
  /// A timer that was re-armed takes its turn as if it had been scheduled at that moment: among
  /// timers of equal deadlines, and among timers that are due when the service is late.
  bool rearms_in_turn = true;
  /// A negative delay is refused with std::invalid_argument.
  bool refuses_negative_delays = false;
  /// A delay that leads beyond the last instant is refused in the same way.
  bool refuses_endless_delays = false;
  /// The memory of cancelled timers is bounded: by a constant, or by the number of timers that were
  /// pending at the last cancel. But it may grow while a task runs, if one thread runs all tasks.
  bool forgets_cancelled = true;
  /// How often, at most, threads wake for nothing within `delay`, while no timer is pending or just
  /// one timer with this delay.
  std::size_t (*max_idle_wakes)(Duration delay) = &never_wakes;
  /// A `schedule` whose timer is due before all others may wake a thread. Of all other calls, at
  /// most one in a thousand wakes a thread.
  bool sleeps_on = true;
  /// The most allocations that one `schedule` makes, if as many timers were pending at once before.
  std::size_t max_allocations = 1;
  /// What it does about missed runs. Neither value is the stronger promise.
  MissedRuns missed_runs = MissedRuns::made_up_for;
  /// A fixed delay counts from the end of a run. Otherwise it counts from the start, and a run that
  /// takes longer is followed by the next one at once. Neither is the stronger promise.
  bool delays_count_from_the_end = true;
  /// A timer that repeats goes on after a run that throws. Otherwise that run is the last one, and
  /// its exception need not get to `Options::on_error`.
  bool repeats_after_error = true;

  static constexpr std::size_t never_wakes(Duration) { return 0; }
};

/// The promises of `Service`: those it declares, and the strictest for the rest.
template <class Service>
constexpr ServicePromises service_promises_of() {
  ServicePromises promises;
  if constexpr (requires { Service::serial; }) promises.serial = Service::serial;
  if constexpr (requires { Service::fifo; }) promises.fifo = Service::fifo;
  if constexpr (requires { Service::rearms_in_turn; })
    promises.rearms_in_turn = Service::rearms_in_turn;
  if constexpr (requires { Service::refuses_negative_delays; })
    promises.refuses_negative_delays = Service::refuses_negative_delays;
  if constexpr (requires { Service::refuses_endless_delays; })
    promises.refuses_endless_delays = Service::refuses_endless_delays;
  if constexpr (requires { Service::forgets_cancelled; })
    promises.forgets_cancelled = Service::forgets_cancelled;
  if constexpr (requires { Service::max_idle_wakes(Duration{}); })
    promises.max_idle_wakes = Service::max_idle_wakes;
  if constexpr (requires { Service::sleeps_on; }) promises.sleeps_on = Service::sleeps_on;
  if constexpr (requires { Service::max_allocations; })
    promises.max_allocations = Service::max_allocations;
  if constexpr (requires { Service::missed_runs; }) promises.missed_runs = Service::missed_runs;
  if constexpr (requires { Service::delays_count_from_the_end; })
    promises.delays_count_from_the_end = Service::delays_count_from_the_end;
  if constexpr (requires { Service::repeats_after_error; })
    promises.repeats_after_error = Service::repeats_after_error;
  return promises;
}

/// The service calls the handler on the thread of the task, with what the task threw. The handler
/// may do what a task may do, but it must not throw.
using ErrorHandler = std::function<void(std::exception_ptr)>;

/// The default of every `Options::on_error`: a line on standard error.
inline void print_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "timers: a task threw: %s\n", exception.what());
  } catch (...) {
    std::fprintf(stderr, "timers: a task threw something that is no std::exception\n");
  }
}

/// Refuses a task because the service was stopped.
[[noreturn]] inline void refuse_stopped() {
  throw RejectedTask("a timer that was stopped takes no task");
}

/// Refuses an empty task.
inline void require_task(const TimerTask& task) {
  if (!task) throw std::invalid_argument("a timer needs a task, and got none");
}

}  // namespace timers
