#pragma once

/// Programs for the explorer, in which threads move one timer about as QueueTimer does. The timer
/// goes from the inbox into the queue. It leaves the queue when it is due. It goes through the
/// inbox once more when a user cancels it, or re-arms it to an earlier deadline.
///
/// The steps are those of QueueTimer; its queue has room for this one timer only. The state, the
/// inbox and the shares are the real ones. All other data of a timer is not atomic. Two threads
/// must never access it at once, nor may any thread when the timer is gone.

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "impls/services/parts/inbox.hpp"
#include "impls/services/parts/pooled_node.hpp"
#include "impls/services/parts/sleeper.hpp"
#include "impls/timer_queue.hpp"
#include "impls/timer_service.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/rearmable_state.hpp"
#include "tests/services/explorer/programs/sleeper.hpp"

namespace timers::programs {

class OneTimer {
 protected:
  struct Node : PooledNode<Node, StepwiseAtomic> {
    Node(Tick deadline, OneTimer& of) : PooledNode(/*owners=*/2), state(deadline), service(of) {}
    static void destroy(Node* node) { node->service.place_.reset(); }

    StepwiseState state;
    OneTimer& service;
    Checked<Node*> next_in_inbox = nullptr;
    Checked<Tick> in_queue = 0;  // the deadline in the queue; 0 if it is not there
    Checked<bool> has_task = true;
  };

  OneTimer() { inbox_.push(&node()); }

  // What users do, who have a share of the timer.

  void rearm(Tick deadline) {
    const Rearmed rearmed = node().state.rearm(deadline);
    if (rearmed.sends) send();
    if (rearmed.was_pending) last_deadline_ = deadline;
  }
  void cancel() {
    const Recalled recalled = node().state.recall();
    if (recalled.result != CancelResult::cancelled) return;
    ++cancelled_;
    node().has_task = false;
    if (recalled.sends) send();
  }
  void forget_handle() { intrusive_ptr_release(handle_); }

  // What the thread of the service does.

  void file_arrivals() {
    if (arrivals_ == nullptr) arrivals_ = inbox_.take_all();
    while (arrivals_ != nullptr) {
      Node* const next = arrivals_->next_in_inbox;
      file(*arrivals_);
      arrivals_ = next;
    }
  }

  void run_due(Tick now) {
    if (queued_ == nullptr || queued_at_ > now) return;
    Node& node = *std::exchange(queued_, nullptr);
    node.in_queue = 0;
    switch (node.state.start(now)) {
      case Start::runs:
        ran_at_ = now;
        ++ran_;
        node.has_task = false;
        node.state.finish();
        return drop(node);
      case Start::put_off:
        if (!node.state.set_out()) return;
        node.next_in_inbox = std::exchange(arrivals_, &node);
        return;
      case Start::never:
        return drop(node);
    }
  }

  /// What the thread does that stops the service, after the service's thread has ended.
  void stop() {
    if (queued_ != nullptr) withdraw(*std::exchange(queued_, nullptr));
    take_back(std::exchange(arrivals_, nullptr));
    take_back(inbox_.close());
  }

  /// The fault at the end, when nobody has a share.
  std::string fault_in_the_end() const {
    if (place_) return "a timer is left that nobody has a share of";
    if (ran_ + cancelled_ + withdrawn_ != 1) return "a task had not one end";
    return ran_ == 1 && ran_at_ < last_deadline_ ? "a timer ran before its deadline" : "";
  }

 private:
  Node& node() { return *handle_; }

  void send() {
    if (inbox_.push(handle_) == 0 && node().state.end_way()) intrusive_ptr_release(handle_);
  }

  void file(Node& node) {
    Tick deadline = 0;
    do {
      deadline = node.state.deadline();
      if (node.state.load() == TimerState::pending) {
        queued_ = &node;
        queued_at_ = deadline;
        node.in_queue = deadline;
      }
    } while (!node.state.arrive(deadline));
    if (node.state.load() == TimerState::pending) return;
    queued_ = nullptr;
    node.in_queue = 0;
    drop(node);
  }

  static void drop(Node& node) {
    if (node.state.leave()) intrusive_ptr_release(&node);
  }

  void withdraw(Node& node) {
    if (node.state.cancel_if_pending()) {
      ++withdrawn_;
      node.has_task = false;
    }
    node.in_queue = 0;
    drop(node);
  }

  void take_back(Node* node) {
    while (node != nullptr) {
      Node* const next = node->next_in_inbox;
      node->state.end_way();
      if (queued_ == node) queued_ = nullptr;
      withdraw(*node);
      node = next;
    }
  }

  std::optional<Node> place_{std::in_place, Tick{5}, *this};
  Node* handle_ = &*place_;
  Inbox<Node, StepwiseAtomic> inbox_;

  // Used by the service's thread, and then by the thread that stops the service.
  Node* arrivals_ = nullptr;
  Node* queued_ = nullptr;
  Tick queued_at_ = 0;
  Tick ran_at_ = 0;
  int ran_ = 0;
  int withdrawn_ = 0;

  // Used by the user.
  int cancelled_ = 0;
  Tick last_deadline_ = 5;
};

/// The service's thread, and a user. The user re-arms the timer to an earlier deadline, and then
/// cancels it or puts it off.
template <bool kCancels>
struct ServiceAgainstUser : OneTimer {
  void first() {
    file_arrivals();
    run_due(5);
    file_arrivals();
    run_due(9);
  }
  void second() {
    rearm(3);
    kCancels ? cancel() : rearm(8);
    forget_handle();
  }
  std::string fault() {
    stop();
    return fault_in_the_end();
  }
};

/// One thread stops the service. Another one re-arms the timer to an earlier deadline, and then
/// cancels it or re-arms it to a still earlier one.
template <bool kCancels>
struct StopAgainstUser : OneTimer {
  StopAgainstUser() { file_arrivals(); }
  void first() { stop(); }
  void second() {
    rearm(3);
    kCancels ? cancel() : rearm(4);
    forget_handle();
  }
  std::string fault() const { return fault_in_the_end(); }
};

/// Two users re-arm one timer to earlier deadlines, while the service's thread goes to sleep. Only
/// one of them sends the timer.
struct TwoRearmsAgainstSleep {
  struct Node {
    StepwiseState state{200};
    Checked<Node*> next_in_inbox = nullptr;
  };

  TwoRearmsAgainstSleep() { node.state.arrive(200); }
  void first() {
    try {
      sleeper.sleep_until(filed, Instant::max(), [this] { return file_arrivals(); });
    } catch (const Waits&) {
    }
  }
  void second() { rearm(10); }
  void third() { rearm(100); }

  void rearm(Tick deadline) {
    const Rearmed rearmed = node.state.rearm(deadline);
    if (!rearmed.is_nearer) return;
    if (rearmed.sends) inbox.push(&node);
    sleeper.wake_for(node.state.latest_deadline(), 1);
  }
  bool file_arrivals() {
    if (inbox.take_all() == nullptr) return false;
    do {
      filed = node.state.deadline();
    } while (!node.state.arrive(filed));
    return true;
  }
  std::string fault() const {
    return clock.is_waited_on_for_ever() && node.state.deadline() < filed
               ? "a deadline is slept through"
               : "";
  }

  StepwiseClock clock;
  Sleeper<StepwiseClock, StepwiseAtomic> sleeper{clock};
  Node node;
  Inbox<Node, StepwiseAtomic> inbox;
  Tick filed = 200;
};

}  // namespace timers::programs
