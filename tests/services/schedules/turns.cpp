#include "tests/services/schedules/turns.hpp"

#include <sys/single_threaded.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timers::schedules {

namespace {

/// Fibers with their stacks, which one run after another uses.
Fiber& fiber_of(std::size_t thread) {
  static std::deque<Fiber> fibers;
  while (fibers.size() <= thread) fibers.emplace_back();
  return fibers[thread];
}

std::uint64_t mixed(std::uint64_t one, std::uint64_t other) {
  std::uint64_t bits = (one ^ (other * 0x9e3779b97f4a7c15)) + 0x7f4a7c15f39cc060;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// The place to which a crash jumps.
sigjmp_buf crashed;

extern "C" void crash(int signal) { siglongjmp(crashed, signal); }

/// Catches crashes while it lives.
class CrashesCaught {
 public:
  CrashesCaught() {
    stack_t stack{};
    stack.ss_sp = bytes_.get();
    stack.ss_size = kBytes;
    sigaltstack(&stack, &old_stack_);
    struct sigaction action {};
    action.sa_handler = crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < kCount; ++i) sigaction(kSignals[i], &action, &old_[i]);
  }
  CrashesCaught(const CrashesCaught&) = delete;
  CrashesCaught& operator=(const CrashesCaught&) = delete;
  ~CrashesCaught() {
    for (std::size_t i = 0; i < kCount; ++i) sigaction(kSignals[i], &old_[i], nullptr);
    old_stack_.ss_flags = SS_DISABLE;
    sigaltstack(&old_stack_, nullptr);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 16;
  static constexpr std::size_t kCount = 5;
  static constexpr int kSignals[kCount] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};

  std::unique_ptr<std::byte[]> bytes_{new std::byte[kBytes]};
  stack_t old_stack_{};
  struct sigaction old_[kCount] {};
};

}  // namespace

std::string Turns::run(const std::function<std::string()>& program) {
  __libc_single_threaded = 0;  // The standard library leaves out work that a program with one
                               // thread does not need.
  const CrashesCaught caught;
  const int signal = sigsetjmp(crashed, /*savemask=*/1);
  if (signal == 0) {
    start("test", [this, &program] {
      std::string fault = program();
      if (fault_.empty()) fault_ = std::move(fault);
    });
    here_ = this;
    origin_.hand_over_to(*threads_[0]->fiber);
  } else {
    origin_.come_back();
    fault_ = std::string("it crashed: ") + strsignal(signal);
  }
  here_ = nullptr;
  return fault_;
}

std::size_t Turns::start(std::string name, std::function<void()> body) {
  const std::size_t number = threads_.size();
  threads_.push_back(std::make_unique<Thread>());
  Thread& thread = *threads_.back();
  thread.name = std::move(name);
  thread.number = number;
  all_pasts_ += mixed(thread.past, number);
  thread.fiber = &fiber_of(number);
  thread.next = {.what = "begin", .object = &thread};
  ++not_ended_;
  if (here_ != nullptr) account({.what = "start", .object = &thread});
  const auto whole = [this, &thread, body = std::move(body)] {
    account(thread.next);
    try {
      body();
    } catch (const std::exception& exception) {
      give_up(std::string("a thread threw: ") + exception.what());
    }
    thread.is_ending = true;
  };
  const auto last = [this, &thread] {
    thread.is_ending = false;
    stand({.what = "end", .object = &thread});
    thread.ended = true;
    --not_ended_;
    pass_on();
  };
  thread.fiber->begin(whole, last);
  return number;
}

void Turns::join(std::size_t thread, const void* place) {
  const Thread& other = *threads_[thread];
  stand_until({.what = "join", .object = &other, .writes = false, .place = place},
              [&other] { return other.ended; });
}

void Turns::lock(const void* mutex, const void* place) {
  stand_until({.what = "lock", .object = mutex, .place = place},
              [this, mutex] { return !locked_.contains(mutex); });
  locked_.insert(mutex);
}

/// Not a place to wait: to unlock later would only keep others from this mutex.
void Turns::unlock(const void* mutex) {
  locked_.erase(mutex);
  account({.what = "unlock", .object = mutex});
}

void Turns::at_end_of_thread(void (*destroy)(void*), void* object) {
  threads_[current_]->fiber->at_end(destroy, object);
}

void Turns::yield(const void* place) {
  threads_[current_]->yields = true;
  stand({.what = "yield", .object = nullptr, .place = place});
}

void Turns::wait_for_quiet() {
  Thread& me = *threads_[current_];
  me.waits_for_quiet = true;
  stand({.what = "wait until all is quiet", .object = nullptr});
  me.waits_for_quiet = false;
  // All that has happened comes before what follows.
  for (const auto& thread : threads_) set_past(me, mixed(me.past, thread->past));
}

void Turns::give_up(std::string fault) {
  fault_ = std::move(fault);
  threads_[current_]->fiber->hand_over_to(origin_);
  std::terminate();  // No thread hands over to it again.
}

void Turns::stand(const Step& step, Can can, const void* argument) {
  Thread& me = *threads_[current_];
  me.next = step;
  me.can = can;
  me.argument = argument;
  if (!me.is_ending || !can_go_on(me)) pass_on();
  account(step);
}

/// Chooses the thread that goes on. Returns when the calling thread goes on.
void Turns::pass_on() {
  const std::size_t me = current_;
  if (not_ended_ == 0) threads_[me]->fiber->hand_over_to(origin_);
  if (done_.size() >= kMostSteps) {
    give_up("it does not end: " + std::to_string(kMostSteps) + " steps were done");
  }
  bool preempts = false;
  const std::size_t next = next_thread(preempts);
  if (next == threads_.size()) give_up("deadlock: nobody can go on" + blocked_in_words());
  Thread& goes = *threads_[next];
  goes.sleeps = false;
  if (preempts) threads_[me]->sleeps = true;
  for (const auto& thread : threads_) {
    if (thread.get() != &goes) thread->yields = false;
  }
  goes.yields = false;
  done_.push_back({.thread = next, .step = goes.next, .preempts = preempts});
  current_ = next;
  if (next != me) threads_[me]->fiber->hand_over_to(*goes.fiber);
}

bool Turns::can_go_on(const Thread& thread) const {
  return !thread.ended && (thread.can == nullptr || thread.can(thread.argument));
}

std::size_t Turns::next_thread(bool& preempts) {
  const Thread& me = *threads_[current_];
  const bool me_can = !me.yields && !me.waits_for_quiet && can_go_on(me);
  std::size_t first = threads_.size();  // the first thread that can go on, whether or not it sleeps
  can_go_.clear();
  const auto look_at = [&](std::size_t number) {
    if (first == threads_.size()) first = number;
    if (!threads_[number]->sleeps) can_go_.push_back(number);
  };
  // The other threads are taken in a circle. So if threads yield to each other, the rest is not
  // kept waiting.
  for (std::size_t i = me_can ? 0 : 1; i <= threads_.size(); ++i) {
    const std::size_t number = (current_ + i) % threads_.size();
    const Thread& thread = *threads_[number];
    if (i > 0 && number == current_ && me_can) break;
    if (!thread.yields && !thread.waits_for_quiet && can_go_on(thread)) look_at(number);
  }
  if (first == threads_.size()) {  // threads that let the others go first
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i]->yields) look_at(i);
    }
  }
  if (first == threads_.size()) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i]->waits_for_quiet) look_at(i);
    }
  }
  if (first == threads_.size()) return first;
  if (can_go_.empty()) can_go_.push_back(Order::kForNothing);
  const std::size_t next =
      races_ ? order_.choose(done_.size(), can_go_, !me_can, state(me_can)) : can_go_[0];
  const std::size_t chosen = next == Order::kForNothing ? first : next;
  if (chosen >= threads_.size() || !(can_go_on(*threads_[chosen]))) {
    give_up("the program is not the same in each run");
  }
  preempts = me_can && chosen != current_;
  return chosen;
}

/// Records that the current thread did the step. The past of a thread is a hash of its steps, and
/// of the writes that they found. So all pasts together represent all that the threads know, and
/// the order of the writes to each object.
void Turns::account(const Step& step) {
  Thread& me = *threads_[current_];
  std::uint64_t past = mixed(me.past, 1);
  if (step.also_reads != nullptr) past = mixed(past, last_writes_[step.also_reads]);
  if (step.object != nullptr) {
    std::uint64_t& last_write = last_writes_[step.object];
    past = mixed(past, last_write);
    if (step.writes) last_write = past;
  }
  set_past(me, past);
  for (const auto& thread : threads_) {
    if (thread->sleeps && thread->next.touches(step)) thread->sleeps = false;
  }
}

void Turns::set_past(Thread& thread, std::uint64_t past) {
  all_pasts_ -= mixed(thread.past, thread.number);
  thread.past = past;
  all_pasts_ += mixed(thread.past, thread.number);
}

std::uint64_t Turns::state(bool current_can) const {
  std::uint64_t rest = current_can ? current_ + 1 : 0;
  for (const auto& thread : threads_) {
    rest = rest * 4 + (thread->sleeps ? 2 : 0) + (thread->yields ? 1 : 0);
  }
  return mixed(all_pasts_, rest);
}

std::string Turns::blocked_in_words() const {
  std::string words;
  for (const auto& thread : threads_) {
    if (!thread->ended) words += "; " + thread->name + " waits to " + thread->next.what;
  }
  return words;
}

}  // namespace timers::schedules
