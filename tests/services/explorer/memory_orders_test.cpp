/// Each memory order in the lock-free parts is needed: if it is one step weaker, the explorer finds
/// a fault in one of its programs.
///
/// A step leads from seq_cst to acq_rel, or to acquire for a load and to release for a store; from
/// acq_rel to acquire and to release; and from these to relaxed, which is the weakest. If the
/// standard derives the order of a failure from the other order, it is not counted as an order in
/// the code.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "impls/services/parts/inbox.hpp"
#include "impls/services/parts/sleeper.hpp"
#include "impls/services/parts/timer_state.hpp"
#include "tests/conformance/sanitizers.hpp"
#include "tests/services/explorer/explorer.hpp"
#include "tests/services/explorer/programs/freed_slots.hpp"
#include "tests/services/explorer/programs/inbox.hpp"
#include "tests/services/explorer/programs/rearmable_state.hpp"
#include "tests/services/explorer/programs/shares.hpp"
#include "tests/services/explorer/programs/sleeper.hpp"
#include "tests/services/explorer/programs/timer_state.hpp"

namespace timers {
namespace {

using namespace programs;  // NOLINT(google-build-using-namespace): the tests are about these

using Order = std::memory_order;
using State = AtomicTimerState<StepwiseAtomic>;
using ThatSleeper = Sleeper<StepwiseClock, StepwiseAtomic>;

constexpr Order kRelaxed = std::memory_order_relaxed;
constexpr Order kAcquire = std::memory_order_acquire;
constexpr Order kRelease = std::memory_order_release;
constexpr Order kAcqRel = std::memory_order_acq_rel;
constexpr Order kSeqCst = std::memory_order_seq_cst;

const std::string kRace = "there is a race for plain memory";
const std::string kGone = "an atomic value is destroyed while it is used";
const std::string kLeft = "something is left, and nobody comes";
const std::string kSleptThrough = "a deadline is slept through";

/// An order in the code, a weaker one, and the fault that the weaker one causes in a program.
struct Needed {
  CodeOrder order;
  Order weaker;
  std::string fault;
  Explored (*explore_weakened)(const Weakening&);
  std::set<CodeOrder> (*orders)();
};

template <class Program>
Needed needed(const char* file, const char* function, const char* operation, Order order,
              Order weaker, const std::string& fault) {
  return {{file, function, operation, order},
          weaker,
          fault,
          &explore_weakened<Program>,
          &orders_of<Program>};
}

const std::vector<Needed>& table() {
  const char* const cas = "compare_exchange_weak";
  const char* const strong = "compare_exchange_strong";
  static const std::vector<Needed> all = [=] {
    std::vector<Needed> rows;

    const char* file = "inbox.hpp";
    // The reader needs what is in a node. The writer needs what the reader announced.
    rows.push_back(needed<ProducerAndReader<Inbox>>(file, "push", cas, kAcqRel, kAcquire, kRace));
    rows.push_back(needed<LeaveAgainstSleep<ThatSleeper, Letters, 2>>(file, "push", cas, kAcqRel,
                                                                      kRelease, kLeft));
    rows.push_back(
        needed<ProducerAndReader<Inbox>>(file, "take_all", "fetch_and", kAcqRel, kRelease, kRace));
    rows.push_back(needed<LeaveAgainstSleep<ThatSleeper, Letters, 2>>(file, "take_all", "fetch_and",
                                                                      kAcqRel, kAcquire, kLeft));
    // The thread that closes needs what is in a node. Threads that are refused need what it did.
    rows.push_back(needed<TwoClosers<Inbox>>(file, "close", "exchange", kAcqRel, kRelease, kRace));
    rows.push_back(
        needed<RefusedByCloser<Inbox>>(file, "close", "exchange", kAcqRel, kAcquire, kRace));
    rows.push_back(needed<RefusedByCloser<Inbox>>(file, "push", "load", kAcquire, kRelaxed, kRace));
    rows.push_back(needed<RefusedByCloser<Inbox>>(file, "push", "compare_exchange_weak that fails",
                                                  kAcquire, kRelaxed, kRace));

    file = "sleeper.hpp";
    rows.push_back(needed<LeaveAgainstSleep<ThatSleeper>>(file, "sleep_until", "store", kSeqCst,
                                                          kRelease, kLeft));
    rows.push_back(
        needed<LeaveAgainstSleep<ThatSleeper>>(file, "wake_for", "load", kSeqCst, kAcquire, kLeft));

    file = "timer_state.hpp";
    // The next run needs what a run wrote. Threads that find the timer gone need what the last run
    // wrote.
    rows.push_back(
        needed<RunsOnTwoThreads<State>>(file, "change", strong, kAcqRel, kAcquire, kRace));
    rows.push_back(
        needed<RunsOnTwoThreads<State>>(file, "change", strong, kAcqRel, kRelease, kRace));
    rows.push_back(
        needed<RunAgainstCancel<State>>(file, "finish", "store", kRelease, kRelaxed, kRace));
    rows.push_back(
        needed<RunAgainstCancel<State>>(file, "load", "load", kAcquire, kRelaxed, kRace));

    file = "rearmable_state.hpp";
    rows.push_back(needed<FinishAgainstCancel>(file, "change", cas, kAcqRel, kAcquire, kRace));
    rows.push_back(needed<RearmAgainstRearmAndSleep<true>>(file, "change", cas, kAcqRel, kRelease,
                                                           kSleptThrough));
    rows.push_back(needed<FinishAgainstCancel>(file, "change", "compare_exchange_weak that fails",
                                               kAcquire, kRelaxed, kRace));
    rows.push_back(needed<FinishAgainstCancel>(file, "seen", "load", kAcquire, kRelaxed, kRace));
    rows.push_back(needed<RearmAgainstRearmAndSleep<true>>(file, "latest_deadline", "fetch_or",
                                                           kRelease, kRelaxed, kSleptThrough));
    // The thread that gives up a timer needs what both threads did with it.
    rows.push_back(
        needed<LeaveAgainstSender>(file, "end_way", "fetch_and", kAcqRel, kAcquire, kRace));
    rows.push_back(
        needed<LeaveAgainstCancel>(file, "end_way", "fetch_and", kAcqRel, kRelease, kRace));
    rows.push_back(needed<LeaveAgainstCancel>(file, "leave", "fetch_or", kAcqRel, kAcquire, kRace));
    rows.push_back(needed<LeaveAgainstSender>(file, "leave", "fetch_or", kAcqRel, kRelease, kRace));

    file = "freed_slots.hpp";
    // The thread that takes a slot, or gives the memory back, needs what was in the slot, and the
    // list.
    rows.push_back(needed<FreerAndSource>(file, "free_if", cas, kAcqRel, kAcquire, kRace));
    rows.push_back(needed<TwoFreers>(file, "free_if", cas, kAcqRel, kRelease, kRace));
    rows.push_back(needed<FreerAndSource>(file, "take", "exchange", kAcquire, kRelaxed, kRace));
    rows.push_back(needed<OwnerAndLastFreer<false>>(file, "retire", cas, kAcqRel, kAcquire, kGone));
    rows.push_back(needed<OwnerAndLastFreer<false>>(file, "retire", cas, kAcqRel, kRelease, kRace));
    rows.push_back(
        needed<OwnerAndLastFreer<true>>(file, "retire_if_none", strong, kRelease, kRelaxed, kGone));

    file = "pooled_node.hpp";
    rows.push_back(needed<OwnersOfOneNode>(file, "intrusive_ptr_release", "fetch_sub", kAcqRel,
                                           kAcquire, kGone));
    rows.push_back(needed<OwnersOfOneNode>(file, "intrusive_ptr_release", "fetch_sub", kAcqRel,
                                           kRelease, kGone));
    rows.push_back(
        needed<OwnersOfOneNode>(file, "has_one_owner", "load", kAcquire, kRelaxed, kGone));
    return rows;
  }();
  return all;
}

const char* name_of(Order order) {
  static constexpr std::array kNames = {"relaxed", "consume", "acquire",
                                        "release", "acq_rel", "seq_cst"};
  return kNames.at(static_cast<std::size_t>(order));
}

std::string in_words(const CodeOrder& order, Order weaker) {
  return order.file + ", " + order.function + ", " + order.operation + ": " + name_of(order.order) +
         " to " + name_of(weaker);
}

std::vector<Order> one_step_weaker(const CodeOrder& from) {
  const bool only_loads =
      from.operation == "load" || from.operation.find("fails") != std::string::npos;
  switch (from.order) {
    case kSeqCst:
      if (only_loads) return {kAcquire};
      return {from.operation == "store" ? kRelease : kAcqRel};
    case kAcqRel:
      return {kAcquire, kRelease};
    case kRelaxed:
      return {};
    default:
      return {kRelaxed};
  }
}

TEST(MemoryOrders, AreNeededOneByOne) {
  for (const Needed& row : table()) {
    EXPECT_EQ(row.explore_weakened({row.order, row.weaker}).fault, row.fault)
        << in_words(row.order, row.weaker);
  }
}

TEST(MemoryOrders, AreAllInTheTable) {
  if (conformance::kSanitized) GTEST_SKIP() << "it looks at a table, and a sanitizer adds nothing";
  std::set<std::set<CodeOrder> (*)()> programs;
  std::set<std::string> in_table;
  for (const Needed& row : table()) {
    programs.insert(row.orders);
    in_table.insert(in_words(row.order, row.weaker));
  }
  std::set<std::string> met;
  for (auto* const orders : programs) {
    for (const CodeOrder& order : orders()) {
      for (const Order weaker : one_step_weaker(order)) met.insert(in_words(order, weaker));
    }
  }
  EXPECT_EQ(met, in_table);
}

}  // namespace
}  // namespace timers
