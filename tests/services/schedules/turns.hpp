#pragma once

/// Threads that take turns: exactly one goes on at a time, and a schedule says which.
///
/// A thread *stands* before each step: an access to an atomic, the lock of a mutex, a call of a
/// parker, the start or the end of a thread. Then one of the threads that can go on does its step,
/// and goes on until it stands before its next one. What a thread does between two steps is plain
/// memory, which no other thread touches meanwhile: a thread sanitizer says so. A thread that
/// cannot do its step, because a mutex is taken or a token has not come, is *blocked*.
///
/// A switch of threads is free where the one that goes on is blocked, ends or yields. Everywhere
/// else it is a *pre-emption*.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tests/services/schedules/fiber.hpp"

namespace timers::schedules {

/// What a thread is about to do.
struct Step {
  const char* what;                  ///< In a word or two.
  const void* object;                ///< What it is done to; nullptr if it touches no other thread.
  bool writes = true;                ///< Or it only reads.
  const void* also_reads = nullptr;  ///< Another object.
  const void* place = nullptr;       ///< In the program's code.

  /// Whether the order of the two matters.
  bool touches(const Step& other) const {
    return meets(object, writes, other) || meets(also_reads, false, other);
  }

 private:
  static bool meets(const void* object, bool writes, const Step& other) {
    return object != nullptr && ((object == other.object && (writes || other.writes)) ||
                                 (object == other.also_reads && writes));
  }
};

/// A switch to another thread than the one that would go on by itself.
struct Switch {
  std::size_t before_step;
  std::size_t to_thread;
};

/// Says in which order steps are done, and keeps track of what that leads to.
class Order {
 public:
  virtual ~Order() = default;
  /// The only thread that can go on was pre-empted for nothing: nobody has touched since then what
  /// it is about to access. So another run is the same, in which it was pre-empted later.
  static constexpr std::size_t kForNothing = static_cast<std::size_t>(-1);

  /// Which of the threads does the step of this number. The first is the one that goes on by
  /// itself. `is_free` says whether the others cost no pre-emption; `state` stands for all that
  /// happened so far.
  virtual std::size_t choose(std::size_t step, const std::vector<std::size_t>& threads,
                             bool is_free, std::uint64_t state) = 0;
};

/// What was done in a run.
struct Done {
  std::size_t thread;
  Step step;
  bool preempts;  ///< The thread before could have gone on.
};

/// One run of a program.
class Turns {
 public:
  explicit Turns(Order& order) : order_(order) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  static constexpr std::size_t kMostSteps = 20'000;

  /// The run that the caller is a thread of; nullptr if it is none.
  static Turns* here() { return here_; }

  /// Runs `program` on the first thread, to its end and that of all threads that it starts.
  /// Returns what is wrong: what the program says, or that nobody can go on, or that there is no
  /// end, or that it crashed.
  std::string run(const std::function<std::string()>& program);

  // For threads of the run.

  /// Stands before a step until its turn comes.
  void stand(const Step& step) { stand(step, nullptr, nullptr); }

  /// The same, for a step that can be done only when `can()`.
  template <class Can>
  void stand_until(const Step& step, const Can& can) {
    stand(
        step, [](const void* it) { return (*static_cast<const Can*>(it))(); }, &can);
  }

  /// Does something to an object without standing before it. No step of others can come between
  /// that and the step before it, and differ from one that comes after.
  void touch(const Step& step) { account(step); }

  /// Lets others go first.
  void yield(const void* place);

  /// Returns when no other thread can go on.
  void wait_for_quiet();

  /// Whether the order is asked. Before a race begins, and when it is over, each thread goes on as
  /// long as it can.
  void race(bool begins) { races_ = begins; }

  /// Starts a thread, and returns its number.
  std::size_t start(std::string name, std::function<void()> body);
  /// Waits for its end.
  void join(std::size_t thread, const void* place);

  /// Locks a mutex, and unlocks it.
  void lock(const void* mutex, const void* place);
  void unlock(const void* mutex);

  /// An address that stands for it.
  const void* identity() const { return threads_[current_].get(); }
  void at_end_of_thread(void (*destroy)(void*), void* object);

  /// Ends the run at once, in the middle of everything.
  [[noreturn]] void give_up(std::string fault);

  // When the run is over.

  const std::vector<Done>& done() const { return done_; }
  const std::string& name_of(std::size_t thread) const { return threads_[thread]->name; }

 private:
  using Can = bool (*)(const void*);

  struct Thread {
    std::string name;
    std::size_t number;
    Fiber* fiber = nullptr;
    Step next{"begin", nullptr};
    Can can = nullptr;
    const void* argument = nullptr;
    bool is_ending = false;  // Its thread-local variables die, all in one step if that can be.
    bool ended = false;
    bool yields = false;
    bool waits_for_quiet = false;
    bool sleeps = false;  // was pre-empted, and nothing has touched its next step since then
    std::uint64_t past = 0;
  };

  void stand(const Step& step, Can can, const void* argument);
  void account(const Step& step);
  void pass_on();
  std::size_t next_thread(bool& preempts);
  bool can_go_on(const Thread& thread) const;
  std::uint64_t state(bool current_can) const;
  void set_past(Thread& thread, std::uint64_t past);
  std::string blocked_in_words() const;

  static inline Turns* here_ = nullptr;

  Order& order_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t current_ = 0;
  std::size_t not_ended_ = 0;
  bool races_ = false;
  std::unordered_map<const void*, std::uint64_t> last_writes_;  // the pasts of those who wrote
  std::unordered_set<const void*> locked_;
  std::uint64_t all_pasts_ = 0;
  std::vector<Done> done_;
  std::vector<std::size_t> can_go_;  // for next_thread, which is called often
  std::string fault_;
  Fiber origin_;
};

}  // namespace timers::schedules
