#pragma once

/// Runs two threads in every order of their accesses to memory.
///
///     struct Program {                        // made anew for each run
///       StepwiseAtomic<int> value = 0;
///       void first() { value = 1; }           // on one thread
///       void second() { value = 2; }          // on the other
///       std::string fault() const;            // in the end: what is wrong, or ""
///     };
///     explore<Program>()                      // {2 runs, no fault}
///
/// A thread stops before each access to a StepwiseAtomic. Then one of the two is chosen to do its
/// access, and to go on until its next one. The program runs again and again, each time with other
/// choices, until all are tried: a search in depth. A compare_exchange_weak may also fail for no
/// reason, once a run. Two accesses that do not touch, because they are to different values or both
/// read, are tried in one order only: a thread that another one was preferred to *sleeps* until
/// something happens that its access touches (the sleep sets of Godefroid, 1990).
///
/// This proves that no interleaving of these two threads leads to the fault that the program looks
/// for. It says nothing of other programs, and nothing of what a memory order allows beyond
/// interleavings: every access counts as sequentially consistent, and what is plain moves with the
/// access before it. To see those is for the races under a thread sanitizer.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace timers {

class Explorer {
 public:
  /// Waits until it is the turn of this thread to access `value`; not if it is no thread of an
  /// explorer.
  static void stand_before(const void* value, bool writes) {
    if (here_ != nullptr) here_->stand(me_, {value, writes});
  }

  /// Whether a compare_exchange_weak fails that could succeed.
  static bool fails_for_no_reason() { return here_ != nullptr && here_->fails(); }

  /// The number of accesses of this run so far. After an access, that is its own number.
  static std::size_t accesses() { return here_->accesses_; }

  Explorer() : threads_{std::jthread([this] { act(0); }), std::jthread([this] { act(1); })} {}
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;
  ~Explorer() {
    over_ = true;
    for (auto& turn : turns_) turn.release();
  }

  /// Runs `first` and `second` once, by the next sequence of choices. Returns whether that was
  /// worth it: not if a run before was the same, but for the order of accesses that do not touch.
  bool run(std::function<void()> first, std::function<void()> second) {
    deeds_ = {std::move(first), std::move(second)};
    states_ = {State::fresh, State::fresh};
    sleeps_ = {false, false};
    may_fail_ = true;
    is_repetition_ = false;
    depth_ = 0;
    accesses_ = 0;
    turns_[0].release();
    end_.acquire();
    return !is_repetition_;
  }

  /// Whether there is another sequence of choices.
  bool next() {
    while (!path_.empty() && path_.back()) path_.pop_back();
    if (path_.empty()) return false;
    path_.back() = true;
    return true;
  }

 private:
  enum class State { fresh, going, standing, done };

  struct Access {
    const void* value = nullptr;
    bool writes = false;

    bool touches(const Access& other) const {
      return value == other.value && (writes || other.writes);
    }
  };

  static inline thread_local Explorer* here_ = nullptr;
  static inline thread_local std::size_t me_ = 0;

  void act(std::size_t me) {
    here_ = this;
    me_ = me;
    for (;;) {
      turns_[me].acquire();
      if (over_) return;
      states_[me] = State::going;
      deeds_[me]();
      states_[me] = State::done;
      pass_on(me);
    }
  }

  void stand(std::size_t me, Access access) {
    states_[me] = State::standing;
    accesses_to_come_[me] = access;
    if (pass_on(me) != me) turns_[me].acquire();
    states_[me] = State::going;
    ++accesses_;
  }

  /// Gives the turn to the thread that goes next, if it is not `me`, and returns its number.
  std::size_t pass_on(std::size_t me) {
    const std::size_t other = 1 - me;
    if (states_[me] == State::done && states_[other] == State::done) {
      end_.release();
      return me;
    }
    // Only when both stand before their first access there is something to choose.
    const bool first_comes_other = states_[other] == State::fresh;
    const std::size_t next = first_comes_other ? other : next_of_standing();
    if (next != me) turns_[next].release();
    return next;
  }

  std::size_t next_of_standing() {
    const bool both_stand = states_[0] == State::standing && states_[1] == State::standing;
    std::size_t next = states_[0] == State::standing ? 0 : 1;
    if (both_stand && !sleeps_[0] && !sleeps_[1]) {
      next = choose() ? 1 : 0;
      if (next == 1) sleeps_[0] = true;  // All that begins with its access was tried before.
    } else if (both_stand) {
      next = sleeps_[0] ? 1 : 0;
    }
    if (sleeps_[next]) is_repetition_ = true;
    const std::size_t other = 1 - next;
    if (accesses_to_come_[next].touches(accesses_to_come_[other])) sleeps_[other] = false;
    return next;
  }

  bool fails() {
    if (!may_fail_) return false;
    may_fail_ = !choose();
    return !may_fail_;
  }

  /// Takes the next choice of the path. Where that ends, it begins with the first alternative.
  bool choose() {
    if (is_repetition_) return false;
    if (depth_ == path_.size()) path_.push_back(false);
    return path_[depth_++];
  }

  // All this belongs to the thread whose turn it is.
  std::vector<bool> path_;  // the choices of this run
  std::size_t depth_ = 0;
  std::size_t accesses_ = 0;
  std::array<State, 2> states_{};
  std::array<Access, 2> accesses_to_come_{};
  std::array<bool, 2> sleeps_{};
  bool may_fail_ = true;
  bool is_repetition_ = false;
  std::array<std::function<void()>, 2> deeds_;
  bool over_ = false;

  std::array<std::binary_semaphore, 2> turns_{std::binary_semaphore(0), std::binary_semaphore(0)};
  std::binary_semaphore end_{0};
  std::array<std::jthread, 2> threads_;
};

/// As std::atomic, but that it waits for its turn.
template <class Value>
class StepwiseAtomic {
 public:
  StepwiseAtomic(Value value) : value_(value) {}  // NOLINT(google-explicit-constructor): as std's
  StepwiseAtomic(const StepwiseAtomic&) = delete;
  StepwiseAtomic& operator=(const StepwiseAtomic&) = delete;

  Value load(std::memory_order = std::memory_order_seq_cst) const {
    Explorer::stand_before(this, false);
    return value_;
  }
  void store(Value value, std::memory_order = std::memory_order_seq_cst) {
    Explorer::stand_before(this, true);
    value_ = value;
  }
  Value exchange(Value value, std::memory_order = std::memory_order_seq_cst) {
    Explorer::stand_before(this, true);
    return std::exchange(value_, value);
  }
  Value fetch_and(Value mask, std::memory_order = std::memory_order_seq_cst) {
    Explorer::stand_before(this, true);
    return std::exchange(value_, value_ & mask);
  }
  Value fetch_or(Value mask, std::memory_order = std::memory_order_seq_cst) {
    Explorer::stand_before(this, true);
    return std::exchange(value_, value_ | mask);
  }
  bool compare_exchange_strong(Value& expected, Value desired,
                               std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) {
    Explorer::stand_before(this, true);
    if (value_ != expected) {
      expected = value_;
      return false;
    }
    value_ = desired;
    return true;
  }
  bool compare_exchange_weak(Value& expected, Value desired,
                             std::memory_order = std::memory_order_seq_cst,
                             std::memory_order = std::memory_order_seq_cst) {
    Explorer::stand_before(this, true);
    if (value_ != expected || Explorer::fails_for_no_reason()) {
      expected = value_;
      return false;
    }
    value_ = desired;
    return true;
  }

  operator Value() const { return load(); }  // NOLINT(google-explicit-constructor): as std's
  Value operator=(Value value) {  // NOLINT(misc-unconventional-assign-operator): as std's
    store(value);
    return value;
  }

 private:
  Value value_;
};

struct Explored {
  std::uint64_t runs = 0;
  std::string fault;  ///< Of the last run; the search ends there.
};

template <class Program>
Explored explore() {
  Explorer explorer;
  Explored explored;
  do {
    Program program;
    if (!explorer.run([&] { program.first(); }, [&] { program.second(); })) continue;
    ++explored.runs;
    explored.fault = program.fault();
  } while (explored.fault.empty() && explorer.next());
  return explored;
}

}  // namespace timers
