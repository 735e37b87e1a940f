/// Answers questions about our services as they are in their originals, line by line, like the
/// program in java/ for the originals. The README describes the questions.

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ratio>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"
#include "impls/services/hashed_wheel_timer.hpp"
#include "impls/services/heap_timer.hpp"
#include "impls/services/hierarchical_wheel_timer.hpp"
#include "impls/services/parts/delay_queue.hpp"
#include "impls/services/parts/executor.hpp"
#include "impls/services/scheduled_thread_pool.hpp"
#include "impls/timer_service.hpp"
#include "impls/timer_task.hpp"

namespace timers {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "ours: " << why << '\n';
  std::exit(2);
}

std::string in_words(bool value) { return value ? "true" : "false"; }

std::string in_words(std::integral auto count) { return std::to_string(count); }

std::string in_milliseconds(Duration span) {
  return span % 1ms == 0ns ? in_words(span / 1ms) : in_words(span.count()) + "ns";
}

/// The words after the verb of a question.
class Words {
 public:
  explicit Words(const std::string& text) {
    std::istringstream in(text);
    words_.assign(std::istream_iterator<std::string>(in), std::istream_iterator<std::string>());
  }

  bool is_empty() const { return next_ == words_.size(); }

  std::string next() {
    if (is_empty()) give_up("a question has too few words");
    return words_[next_++];
  }

  /// The next word, which is not consumed.
  std::string peek() const { return is_empty() ? "" : words_[next_]; }

  /// The words that are left.
  std::string rest() const {
    std::string rest;
    for (std::size_t i = next_; i < words_.size(); ++i) rest += words_[i] + ' ';
    return rest;
  }

  /// The number in a word `name=number`, at any position.
  std::int64_t option(const std::string& name, std::int64_t otherwise) const {
    for (const std::string& word : words_) {
      if (word.starts_with(name + '=')) return std::stoll(word.substr(name.size() + 1));
    }
    return otherwise;
  }

  /// An amount of a unit: of milliseconds, if the word names no unit.
  Duration span() {
    const std::string word = next();
    std::size_t end = 0;
    const std::int64_t amount = std::stoll(word, &end);
    const std::string_view unit = std::string_view(word).substr(end);
    using std::chrono::duration;
    if (unit == "ns") return Duration(amount);
    if (unit == "us") return Delay(duration<std::int64_t, std::micro>(amount));
    if (unit == "s") return Delay(duration<std::int64_t>(amount));
    if (unit == "d") return Delay(duration<std::int64_t, std::ratio<86'400>>(amount));
    return Delay(duration<std::int64_t, std::milli>(amount));
  }

  Instant instant() { return Instant(span()); }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

/// The reports of tasks and threads, in the order in which they come.
class Said {
 public:
  explicit Said(ManualClock& clock) : clock_(clock) {}

  void say(std::string words) {
    const std::lock_guard lock(mutex_);
    said_.push_back(std::move(words));
  }

  /// The same, with the time.
  void say_now(const std::string& words) {
    say(words + '@' + in_milliseconds(clock_.now().time_since_epoch()));
  }

  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, {});
  }

 private:
  ManualClock& clock_;
  std::mutex mutex_;
  std::vector<std::string> said_;
};

/// A service that can be asked questions.
class Asked {
 public:
  Asked(ManualClock& its_clock, Said& what_is_said) : clock(its_clock), said(what_is_said) {}
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  virtual ~Asked() = default;

  /// Answers a question, which may be about a task, or schedules a task. Returns nothing if it does
  /// not know the verb.
  virtual std::optional<std::string> answer(const std::string& verb, Words& words,
                                            TimerTask task) = 0;

  /// Called when all is quiet, to run what runs only then.
  virtual void settle() {}

 protected:
  ManualClock& clock;
  Said& said;
};

/// The handles of each name; several if several timers have the name.
template <class Handle>
class Handles {
 public:
  std::string keep(const std::string& name, Handle handle) {
    handles_[name].push_back(std::move(handle));
    return "";
  }

  bool knows(const std::string& name) const { return handles_.contains(name); }

  /// Asks about all timers of a name.
  template <class Question>
  std::string ask(const std::string& name, Question question) {
    std::string answers;
    for (Handle& handle : handles_.at(name)) answers += question(handle) + ' ';
    return answers;
  }

 private:
  std::map<std::string, std::vector<Handle>> handles_;
};

/// Whether a question names no task.
bool is_no_task(const std::string& name) { return name == "-"; }

// ---- HeapTimer --------------------------------------------------------------------------------

class AskedHeapTimer final : public Asked {
 public:
  using Asked::Asked;

  std::optional<std::string> answer(const std::string& verb, Words& words,
                                    TimerTask task) override {
    if (verb == "end") {
      timer_.cancel();
      return "";
    }
    if (verb == "purge") return in_words(timer_.purge());
    const std::string name = words.next();
    if (is_no_task(name)) return set(verb, HeapTimerTask(), words);
    if (verb == "new") {  // even if a task with that name exists
      const HeapTimerTask another(std::move(task));
      tasks_.keep(name, another);
      return set("schedule", another, words);
    }
    if (!tasks_.knows(name) || verb == "task") tasks_.keep(name, HeapTimerTask(std::move(task)));
    return tasks_.ask(name, [&](HeapTimerTask& it) { return about(it, verb, words); });
  }

 private:
  static HeapTimerOptions options() {
    HeapTimerOptions options = HeapTimer<ManualClock>::as_in_jdk();
    options.on_error = nullptr;
    return options;
  }

  std::string about(HeapTimerTask& task, const std::string& verb, Words& words) {
    if (verb == "task") return "";
    if (verb == "cancel") return in_words(task.cancel());
    if (verb == "planned") {
      return in_milliseconds(task.scheduled_execution_time().time_since_epoch());
    }
    return set(verb, task, words);
  }

  std::string set(const std::string& verb, const HeapTimerTask& task, Words& words) {
    const Duration when = words.span();
    const Instant at(when);
    if (words.is_empty()) {
      verb == "at" ? timer_.schedule(task, at) : timer_.schedule(task, when);
      return "";
    }
    const Duration period = words.span();
    if (verb == "schedule") timer_.schedule(task, when, period);
    if (verb == "at") timer_.schedule(task, at, period);
    if (verb == "rate") timer_.schedule_at_fixed_rate(task, when, period);
    if (verb == "rate_at") timer_.schedule_at_fixed_rate(task, at, period);
    return "";
  }

  Handles<HeapTimerTask> tasks_;
  HeapTimer<ManualClock> timer_{clock, options()};
};

// ---- DelayQueue -------------------------------------------------------------------------------

class AskedDelayQueue final : public Asked {
 public:
  using Asked::Asked;

  std::optional<std::string> answer(const std::string& verb, Words& words, TimerTask) override {
    if (verb == "put") {
      std::string name = words.next();
      queue_.put(std::move(name), words.span());
    } else if (verb == "clear") {
      queue_.clear();
    } else if (verb == "take") {
      start_taker(words.next(), [this](const std::stop_token& stop) { return queue_.take(stop); });
    } else if (verb == "wait") {
      const std::string name = words.next();
      start_taker(name, [this, timeout = words.span()](const std::stop_token& stop) {
        return queue_.poll_for(timeout, stop);
      });
    } else if (verb == "interrupt") {
      takers_.at(words.next()).stop.request_stop();
    } else {
      return told(verb, words);
    }
    return "";
  }

 private:
  struct Taker {
    std::stop_source stop;
    std::unique_ptr<ManualClock::Thread> thread;
  };

  /// An output with room for a limited number of elements.
  struct Output {
    using difference_type = std::ptrdiff_t;  // NOLINT(readability-identifier-naming): as in std

    std::vector<std::string>* elements;
    std::size_t room;

    Output& operator*() { return *this; }
    Output& operator++() { return *this; }
    Output operator++(int) { return *this; }
    Output& operator=(std::string&& element) {
      if (elements->size() == room) throw std::length_error("it is full");
      elements->push_back(std::move(element));
      return *this;
    }
  };

  std::optional<std::string> told(const std::string& verb, Words& words) {
    if (verb == "poll") return queue_.poll().value_or("nothing");
    if (verb == "peek") return queue_.peek().value_or("nothing");
    if (verb == "size") return in_words(queue_.size());
    if (verb == "remove") return in_words(queue_.remove(words.next()));
    if (verb == "drain") return drained(std::numeric_limits<std::size_t>::max(), words);
    if (verb == "drain_into_room_for") return drained(std::stoul(words.next()), words);
    if (verb == "capacity") {
      const auto most = std::numeric_limits<std::size_t>::max();
      return queue_.remaining_capacity() == most ? "endless" : "some";
    }
    return std::nullopt;
  }

  std::string drained(std::size_t room, Words& words) {
    std::vector<std::string> elements;
    const Output output{&elements, room};
    std::string line;
    try {
      line = in_words(words.is_empty() ? queue_.drain_to(output)
                                       : queue_.drain_to(output, std::stoul(words.next())));
    } catch (const std::length_error&) {
      line = "full";
    }
    for (const std::string& element : elements) line += ' ' + element;
    return line;
  }

  template <class Taking>
  void start_taker(const std::string& name, Taking taking) {
    Taker& taker = takers_[name];
    taker.thread =
        std::make_unique<ManualClock::Thread>(clock, [this, name, taking, stop = taker.stop] {
          const std::optional<std::string> taken = taking(stop.get_token());
          const char* const none = stop.stop_requested() ? "interrupted" : "nothing";
          said.say_now(name + '=' + taken.value_or(none));
        });
  }

  DelayQueue<std::string, ManualClock> queue_{clock};
  std::map<std::string, Taker> takers_;
};

// ---- ScheduledThreadPool ----------------------------------------------------------------------

class AskedPool final : public Asked {
 public:
  AskedPool(ManualClock& its_clock, Said& what_is_said, const Words& words)
      : Asked(its_clock, what_is_said), pool_(clock, options(words)) {}

  std::optional<std::string> answer(const std::string& verb, Words& words,
                                    TimerTask task) override {
    if (verb == "shutdown") {
      pool_.shutdown();
    } else if (verb == "delayed_after_shutdown") {
      pool_.set_execute_existing_delayed_tasks_after_shutdown(words.next() == "true");
    } else if (verb == "periodic_after_shutdown") {
      pool_.set_continue_existing_periodic_tasks_after_shutdown(words.next() == "true");
    } else if (verb == "purge") {
      pool_.purge();
    } else {
      return words.is_empty() ? told(verb) : about(verb, words, std::move(task));
    }
    return "";
  }

 private:
  using Pool = ScheduledThreadPool<ManualClock>;

  /// A timer with or without a future.
  struct Timer {
    Pool::Handle handle;
    std::optional<Pool::Future<void>> future;
  };

  static ScheduledThreadPoolOptions options(const Words& words) {
    ScheduledThreadPoolOptions options = Pool::as_in_jdk();
    options.threads = static_cast<std::size_t>(words.option("threads", 1));
    options.remove_on_cancel = words.option("remove_on_cancel", 0) == 1;
    return options;
  }

  std::optional<std::string> told(const std::string& verb) {
    if (verb == "shutdown_now") {
      never_ran_ = pool_.shutdown_now();
      return in_words(never_ran_.size());
    }
    if (verb == "queue_size") return in_words(pool_.queue_size());
    if (verb == "active") return in_words(pool_.active_count());
    if (verb == "completed") return in_words(pool_.completed_task_count());
    if (verb == "task_count") return in_words(pool_.task_count());
    if (verb == "pool_size") return in_words(pool_.pool_size());
    if (verb == "is_terminated") return in_words(pool_.is_terminated());
    return std::nullopt;
  }

  std::optional<std::string> about(const std::string& verb, Words& words, TimerTask named) {
    const std::string name = words.next();
    TimerTask task = is_no_task(name) ? TimerTask() : std::move(named);
    if (verb == "schedule") {
      return timers_.keep(name, {pool_.schedule(words.span(), std::move(task)), {}});
    }
    if (verb == "submit") {
      return timers_.keep(name, {{}, pool_.submit(words.span(), std::move(task))});
    }
    if (verb == "rate" || verb == "repeat") {
      const Duration first = words.span();
      const Duration period = words.span();
      return timers_.keep(
          name, {{},
                 verb == "rate" ? pool_.schedule_at_fixed_rate(first, period, std::move(task))
                                : pool_.schedule_with_fixed_delay(first, period, std::move(task))});
    }
    return timers_.ask(name, [&](Timer& timer) { return told_of(timer, verb); });
  }

  std::string told_of(Timer& timer, const std::string& verb) {
    if (verb == "cancel" && !timer.future) {
      return in_words(pool_.cancel(timer.handle) != CancelResult::gone);
    }
    if (verb == "remove" && !timer.future) return in_words(pool_.remove(timer.handle));
    if (!timer.future) give_up("'" + verb + "' is about a future: the task has to be submitted");
    if (verb == "cancel") return in_words(timer.future->cancel());
    if (verb == "is_done") return in_words(timer.future->is_done());
    if (verb == "is_cancelled") return in_words(timer.future->is_cancelled());
    if (verb == "delay_of") return in_words(timer.future->get_delay() / 1ms);
    if (verb == "outcome") return outcome(*timer.future);
    give_up("'" + verb + "' is a verb that is unknown");
  }

  static std::string outcome(const Pool::Future<void>& future) {
    if (!future.is_done()) return "none";
    try {
      future.get();
      return "returned";
    } catch (const CancelledTask&) {
      return "cancelled";
    } catch (const std::exception&) {
      return "threw";
    }
  }

  Handles<Timer> timers_;
  std::vector<TimerTask> never_ran_;  // if they were dropped, their futures would be cancelled
  Pool pool_;
};

// ---- HashedWheelTimer -------------------------------------------------------------------------

class RefusingExecutor final : public Executor {
 public:
  void execute(TimerTask) override { throw RejectedTask("as it was told to"); }
};

class AskedHashedWheelTimer final : public Asked {
 public:
  AskedHashedWheelTimer(ManualClock& its_clock, Said& what_is_said, const Words& words)
      : Asked(its_clock, what_is_said), timer_(clock, options(words)) {}

  std::optional<std::string> answer(const std::string& verb, Words& words,
                                    TimerTask task) override {
    if (verb == "start") {
      timer_.start();
      return "";
    }
    if (verb == "pending") return in_words(timer_.pending_timeouts());
    if (verb == "stop") return in_words(timer_.stop().size());
    if (verb == "wheel") return in_words(timer_.ticks_per_wheel());
    if (verb == "tick") return in_milliseconds(timer_.tick_duration());
    const std::string name = words.next();
    if (verb == "schedule") {
      const Duration delay = words.span();
      if (is_no_task(name)) task = nullptr;
      return timeouts_.keep(name, timer_.new_timeout(std::move(task), delay));
    }
    return timeouts_.ask(name, [&](const Timer::Timeout& timeout) {
      if (verb == "cancel") return in_words(timeout.cancel());
      if (verb == "is_cancelled") return in_words(timeout.is_cancelled());
      if (verb == "is_expired") return in_words(timeout.is_expired());
      give_up("'" + verb + "' is a verb that is unknown");
    });
  }

 private:
  using Timer = HashedWheelTimer<ManualClock>;

  HashedWheelTimerOptions options(const Words& words) {
    HashedWheelTimerOptions options = Timer::as_in_netty();
    if (words.option("defaults", 0) == 1) return options;
    options.tick_duration = std::chrono::milliseconds(words.option("tick", 100));
    options.tick_duration = Duration(words.option("tick_ns", options.tick_duration.count()));
    options.ticks_per_wheel = static_cast<std::size_t>(words.option("wheel", 8));
    options.max_pending_timeouts = static_cast<std::size_t>(words.option("limit", 0));
    if (words.option("executor_refuses", 0) == 1) options.executor = &refusing_;
    options.on_error = nullptr;
    options.on_warning = nullptr;
    return options;
  }

  RefusingExecutor refusing_;
  Handles<Timer::Timeout> timeouts_;
  Timer timer_;
};

// ---- HierarchicalWheelTimer -------------------------------------------------------------------

/// Runs tasks only after an advance has ended.
class PatientExecutor final : public Executor {
 public:
  void execute(TimerTask task) override { tasks_.push_back(std::move(task)); }

  void run_all() {
    while (!tasks_.empty()) {
      TimerTask task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  std::deque<TimerTask> tasks_;
};

class AskedHierarchicalWheelTimer final : public Asked {
 public:
  AskedHierarchicalWheelTimer(ManualClock& its_clock, Said& what_is_said, const Words& words)
      : Asked(its_clock, what_is_said), timer_(clock, options(words)) {}

  std::optional<std::string> answer(const std::string& verb, Words& words,
                                    TimerTask task) override {
    if (verb == "size") return in_words(timer_.size());
    if (verb == "advance") return in_words(timer_.advance_clock(0ns));
    if (verb == "stop") {
      timer_.stop();
      said.say_now("stopped");
      return "";
    }
    const std::string name = words.next();
    if (verb == "task" || verb == "schedule") {
      auto made = std::make_unique<Timer::Task>(words.span(), std::move(task));
      if (verb == "schedule") timer_.add(*made);
      return tasks_.keep(name, std::move(made));
    }
    return tasks_.ask(name, [&](const std::unique_ptr<Timer::Task>& it) -> std::string {
      if (verb == "is_cancelled") return in_words(it->is_cancelled());
      if (verb == "add") {
        timer_.add(*it);
      } else if (verb == "cancel") {
        it->cancel();
      } else {
        give_up("'" + verb + "' is a verb that is unknown");
      }
      return "";
    });
  }

  void settle() override { patient_.run_all(); }

 private:
  using Timer = HierarchicalWheelTimer<ManualClock>;

  HierarchicalWheelTimerOptions options(const Words& words) {
    HierarchicalWheelTimerOptions options = Timer::as_in_kafka();
    options.tick_duration = std::chrono::milliseconds(words.option("tick", 1));
    options.wheel_size = static_cast<std::size_t>(words.option("wheel", 20));
    options.reaper = words.option("reaper", 0) == 1;
    if (!options.reaper) options.executor = &patient_;
    return options;
  }

  PatientExecutor patient_;
  Timer timer_;
  Handles<std::unique_ptr<Timer::Task>> tasks_;
};

// ---- Questions --------------------------------------------------------------------------------

/// Answers questions one after the other, also those of tasks.
class Questions {
 public:
  /// Returns the line of answers to a line of questions.
  std::string answer(const std::string& line) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    Words words(line.substr(0, colon));
    const std::string verb = words.next();
    std::vector<std::string> of_task;
    std::istringstream rest(line.substr(std::min(colon + 1, line.size())));
    for (std::string question; std::getline(rest, question, ';');) of_task.push_back(question);
    const std::string answer = answer_to(verb, words, of_task);
    if (asked_ != nullptr) settle();
    return merged(answer);
  }

 private:
  /// A task that reports when it runs, and then asks questions itself.
  class Task {
   public:
    Task(Questions& all, std::string name, std::vector<std::string> questions)
        : all_(all), name_(std::move(name)), questions_(std::move(questions)) {}

    void run() {
      ++runs_;
      all_.said_->say_now(name_);
      for (const std::string& question : questions_) {
        Words words(question);
        std::string verb = words.next();
        if (verb == "in") {  // only in the run with this number
          if (std::stoi(words.next()) != runs_) continue;
          verb = words.next();
        }
        if (verb == "throw") throw std::runtime_error("as it was told to");
        std::string answer = all_.answer_to(verb, words, {});
        while (answer.ends_with(' ')) answer.pop_back();
        if (!answer.empty()) all_.said_->say('[' + answer + ']');
      }
    }

   private:
    Questions& all_;
    const std::string name_;
    const std::vector<std::string> questions_;
    int runs_ = 0;
  };

  TimerTask task(std::string name, std::vector<std::string> questions) {
    return [task = std::make_shared<Task>(*this, std::move(name), std::move(questions))] {
      task->run();
    };
  }

  std::string answer_to(const std::string& verb, Words& words,
                        const std::vector<std::string>& of_task) {
    try {
      if (verb == "make") {
        make(words);
      } else if (verb == "move") {
        clock_->advance_to(words.instant());
      } else if (verb == "run") {
        run(words);
      } else if (verb == "sleep") {
        clock_->sleep_for(words.span());
      } else if (verb == "fill") {
        fill(words);
      } else {
        return known(asked_->answer(verb, words, task(words.peek(), of_task)), verb);
      }
      return "";
    } catch (const RejectedTask&) {
      return "refused:rejected";
    } catch (const std::invalid_argument& error) {
      return refusal(error.what());
    } catch (const std::logic_error&) {
      return "refused:forbidden";
    }
  }

  static std::string known(std::optional<std::string> answer, const std::string& verb) {
    if (!answer) give_up("'" + verb + "' is a verb that is unknown");
    return *std::move(answer);
  }

  static std::string refusal(std::string_view message) {
    if (message.find("scheduled or cancelled before") != message.npos) return "refused:used";
    return message.find("needs a task") != message.npos ? "refused:no_task" : "refused:argument";
  }

  void make(Words& words) {
    asked_.reset();
    said_.reset();
    const std::chrono::milliseconds start(words.option("start", 0));
    clock_ = std::make_unique<ManualClock>(Instant(start));
    said_ = std::make_unique<Said>(*clock_);
    const std::string kind = words.next();
    if (kind == "timer") {
      asked_ = std::make_unique<AskedHeapTimer>(*clock_, *said_);
    } else if (kind == "delay_queue") {
      asked_ = std::make_unique<AskedDelayQueue>(*clock_, *said_);
    } else if (kind == "pool") {
      asked_ = std::make_unique<AskedPool>(*clock_, *said_, words);
    } else if (kind == "netty") {
      asked_ = std::make_unique<AskedHashedWheelTimer>(*clock_, *said_, words);
    } else if (kind == "kafka") {
      asked_ = std::make_unique<AskedHierarchicalWheelTimer>(*clock_, *said_, words);
    } else {
      give_up("'" + kind + "' is a service that is unknown");
    }
  }

  /// `run 400 by 10`: moves time step by step.
  void run(Words& words) {
    const Instant end = words.instant();
    words.next();
    const Duration step = words.span();
    while (clock_->now() < end) {
      clock_->advance_by(step);
      asked_->settle();
    }
  }

  /// `fill a 1000 schedule 5`: many timers of one name.
  void fill(Words& words) {
    const std::string name = words.next();
    const std::size_t count = std::stoul(words.next());
    const std::string verb = words.next();
    for (std::size_t i = 0; i < count; ++i) {
      Words of_one(name + ' ' + words.rest());
      known(asked_->answer(verb, of_one, task(name, {})), verb);
    }
  }

  void settle() {
    clock_->settle();
    asked_->settle();
  }

  /// The answer, and all reports since the question. Repeated words are printed once, with their
  /// count.
  std::string merged(const std::string& answer) {
    std::istringstream in(answer);
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    for (std::string& word : said_->take()) words.push_back(std::move(word));
    std::string line;
    for (auto first = words.begin(), next = first; first != words.end(); first = next) {
      next = std::find_if(first, words.end(), [&](const std::string& it) { return it != *first; });
      line += (line.empty() ? "" : " ") + *first;
      if (next - first > 1) line += '*' + in_words(next - first);
    }
    return line;
  }

  std::unique_ptr<ManualClock> clock_;
  std::unique_ptr<Said> said_;
  std::unique_ptr<Asked> asked_;
};

int answer_all() {
  Questions questions;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << questions.answer(line) << std::endl;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace timers

int main() { return timers::answer_all(); }
