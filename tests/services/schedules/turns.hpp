#pragma once

/// Threads that take turns: exactly one runs at a time, and a schedule says which.
///
/// A thread *stands* before each step: an access to an atomic, the lock of a mutex, a call of a
/// parker, the start or the end of a thread. Then one of the threads that can go on makes its step,
/// and runs until it stands before its next one. Between two steps a thread only accesses plain
/// memory, which no other thread accesses meanwhile: ThreadSanitizer checks that. If a thread
/// cannot make its step, because a mutex is taken or a token has not come, it is *blocked*.
///
/// A switch of threads is free if the running thread is blocked, ends or yields. Otherwise it is a
/// *pre-emption*.

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

/// The next step of a thread.
struct Step {
  const char* what;                  ///< The kind of step, in a word or two.
  const void* object;                ///< The object of the step; nullptr if no other thread sees
                                     ///< the step.
  bool writes = true;                ///< false if it only reads.
  const void* also_reads = nullptr;  ///< Another object that it reads.
  const void* place = nullptr;       ///< The place in the code of the program.

  /// Whether the order of the two steps matters.
  bool touches(const Step& other) const {
    return meets(object, writes, other) || meets(also_reads, false, other);
  }

 private:
  static bool meets(const void* object, bool writes, const Step& other) {
    return object != nullptr && ((object == other.object && (writes || other.writes)) ||
                                 (object == other.also_reads && writes));
  }
};

/// A switch to another thread than the one that would run without it.
struct Switch {
  std::size_t before_step;
  std::size_t to_thread;
};

/// Decides the order of the steps, and sees the state to which it leads.
class Order {
 public:
  virtual ~Order() = default;
  /// Passed as the only thread if all threads that can go on were pre-empted for nothing: since
  /// then nobody has touched what their next steps access. So the run is the same as another one in
  /// which the pre-emption comes later.
  static constexpr std::size_t kForNothing = static_cast<std::size_t>(-1);

  /// Chooses the thread that makes the step of this number. The first of `threads` is the one that
  /// would run without a switch. `is_free` says whether a switch costs no pre-emption. `state`
  /// represents all that has happened so far.
  virtual std::size_t choose(std::size_t step, const std::vector<std::size_t>& threads,
                             bool is_free, std::uint64_t state) = 0;
};

/// What was done in a run.
struct Done {
  std::size_t thread;
  Step step;
  bool preempts;  ///< The previous thread could have gone on.
};

/// One run of a program.
class Turns {
 public:
  explicit Turns(Order& order) : order_(order) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  static constexpr std::size_t kMostSteps = 20'000;

  /// The run to which the calling thread belongs; nullptr if there is none.
  static Turns* here() { return here_; }

  /// Runs `program` on the first thread, until it and all threads that it starts have ended.
  /// Returns what is wrong: the answer of the program, or that no thread can go on, that the run
  /// does not end, or that it crashed.
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

  /// Records an access that is done together with the previous step. It need not be a step of its
  /// own: if steps of other threads came between the two, that would be the same as if they came
  /// after.
  void touch(const Step& step) { account(step); }

  /// Lets others go first.
  void yield(const void* place);

  /// Waits until no other thread can go on.
  void wait_for_quiet();

  /// Says whether `Order` chooses. Before a race begins, and when it is over, each thread runs as
  /// long as it can.
  void race(bool begins) { races_ = begins; }

  /// Starts a thread, and returns its number.
  std::size_t start(std::string name, std::function<void()> body);
  /// Waits for the end of a thread.
  void join(std::size_t thread, const void* place);

  /// Locks a mutex, and unlocks it.
  void lock(const void* mutex, const void* place);
  void unlock(const void* mutex);

  /// An address that identifies the current thread.
  const void* identity() const { return threads_[current_].get(); }
  void at_end_of_thread(void (*destroy)(void*), void* object);

  /// Ends the run at once, wherever its threads are.
  [[noreturn]] void give_up(std::string fault);

  // For use when the run is over.

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
    bool is_ending = false;  // Its thread-local variables are destroyed, in one step if possible.
    bool ended = false;
    bool yields = false;
    bool waits_for_quiet = false;
    bool sleeps = false;  // it was pre-empted, and nothing has touched its next step since then
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
  std::unordered_map<const void*, std::uint64_t> last_writes_;  // for each object, the past of the
                                                                // thread that wrote it last
  std::unordered_set<const void*> locked_;
  std::uint64_t all_pasts_ = 0;
  std::vector<Done> done_;
  std::vector<std::size_t> can_go_;  // kept for next_thread, which is called often
  std::string fault_;
  Fiber origin_;
};

}  // namespace timers::schedules
