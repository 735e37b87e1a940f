/// The explorer finds all that the memory model allows, and nothing else. It is tested with small
/// programs whose outcomes are known.

#include "tests/services/explorer/explorer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace timers {
namespace {

using Order = std::memory_order;
constexpr Order kRelaxed = std::memory_order_relaxed;
constexpr Order kAcquire = std::memory_order_acquire;
constexpr Order kRelease = std::memory_order_release;
constexpr Order kAcqRel = std::memory_order_acq_rel;
constexpr Order kSeqCst = std::memory_order_seq_cst;

using Outcome = std::vector<int>;
using Outcomes = std::set<Outcome>;

/// A program that records what its threads saw.
struct Litmus {
  static inline Outcomes outcomes;
  StepwiseAtomic<int> x = 0;
  StepwiseAtomic<int> y = 0;
  Outcome seen = Outcome(4);
  std::string fault() const {
    outcomes.insert(seen);
    return "";
  }
};

template <class Program>
Outcomes outcomes_of() {
  Litmus::outcomes.clear();
  EXPECT_EQ(explore<Program>().fault, "");
  return Litmus::outcomes;
}

struct ThreeWritesEach {
  StepwiseAtomic<int> value = 0;
  void first() { write(1); }
  void second() { write(2); }
  void write(int number) {
    for (int i = 0; i < 3; ++i) value = number;
  }
  static std::string fault() { return ""; }
};

TEST(Explorer, RunsEachOrderOfWritesOnce) {
  const Explored all = explore<ThreeWritesEach>();
  EXPECT_EQ(all.runs, 20u);  // 6 over 3
  EXPECT_EQ(all.cut_short, 0u);
}

struct ValuesOfTheirOwn {
  StepwiseAtomic<int> one = 0;
  StepwiseAtomic<int> other = 0;
  void first() { one = one + 1; }
  void second() { other = other + 1; }
  static std::string fault() { return ""; }
};

TEST(Explorer, TriesAccessesThatDoNotTouchInOneOrder) {
  EXPECT_EQ(explore<ValuesOfTheirOwn>().runs, 1u);
}

/// Each thread writes one value and reads the other's (store buffering).
template <Order kStore, Order kLoad>
struct WriteThenRead : Litmus {
  void first() {
    x.store(1, kStore);
    seen[0] = y.load(kLoad);
  }
  void second() {
    y.store(1, kStore);
    seen[1] = x.load(kLoad);
  }
};

const Outcomes kAllOfTwo{{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}};
const Outcomes kNotBothZero{{0, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}};

TEST(Explorer, LetsOneOfTwoThreadsSeeTheOtherIfAllIsSequentiallyConsistent) {
  EXPECT_EQ((outcomes_of<WriteThenRead<kSeqCst, kSeqCst>>()), kNotBothZero);
}
TEST(Explorer, LetsNeitherOfTwoThreadsSeeTheOtherIfNotAllIsSequentiallyConsistent) {
  EXPECT_EQ((outcomes_of<WriteThenRead<kRelease, kSeqCst>>()), kAllOfTwo);
  EXPECT_EQ((outcomes_of<WriteThenRead<kSeqCst, kAcquire>>()), kAllOfTwo);
  EXPECT_EQ((outcomes_of<WriteThenRead<kRelaxed, kRelaxed>>()), kAllOfTwo);
}

template <Order kOne, Order kOther>
struct WriteFenceRead : Litmus {
  void first() {
    x.store(1, kRelaxed);
    Explorer::fence(kOne);
    seen[0] = y.load(kRelaxed);
  }
  void second() {
    y.store(1, kRelaxed);
    Explorer::fence(kOther);
    seen[1] = x.load(kRelaxed);
  }
};

TEST(Explorer, LetsOneOfTwoThreadsSeeTheOtherAcrossFences) {
  EXPECT_EQ((outcomes_of<WriteFenceRead<kSeqCst, kSeqCst>>()), kNotBothZero);
  EXPECT_EQ((outcomes_of<WriteFenceRead<kSeqCst, kAcqRel>>()), kAllOfTwo);
}

/// A fence on one side, sequentially consistent accesses on the other.
struct FenceAgainstAccesses : Litmus {
  void first() {
    x.store(1, kRelaxed);
    Explorer::fence(kSeqCst);
    seen[0] = y.load(kRelaxed);
  }
  void second() {
    y.store(1, kSeqCst);
    seen[1] = x.load(kSeqCst);
  }
};

TEST(Explorer, OrdersAFenceWithAccesses) {
  EXPECT_EQ(outcomes_of<FenceAgainstAccesses>(), kNotBothZero);
}

/// Both threads change one value, before they read what the other wrote. The thread that changes it
/// second knows what the first one did.
template <Order kOrder>
struct ChangeThenRead : Litmus {
  StepwiseAtomic<int> meeting = 0;
  void first() {
    x.store(1, kRelaxed);
    meeting.fetch_or(1, kOrder);
    seen[0] = y.load(kRelaxed);
  }
  void second() {
    y.store(1, kRelaxed);
    meeting.fetch_or(2, kOrder);
    seen[1] = x.load(kRelaxed);
  }
};

TEST(Explorer, PutsReadModifyWritesInOneRow) {
  EXPECT_EQ(outcomes_of<ChangeThenRead<kAcqRel>>(), kNotBothZero);
  EXPECT_EQ(outcomes_of<ChangeThenRead<kAcquire>>(), kAllOfTwo);
  EXPECT_EQ(outcomes_of<ChangeThenRead<kRelease>>(), kAllOfTwo);
}

/// A message and a flag (message passing).
template <Order kStore, Order kLoad>
struct Message : Litmus {
  void first() {
    x.store(1, kRelaxed);
    y.store(1, kStore);
  }
  void second() {
    seen[0] = y.load(kLoad);
    seen[1] = x.load(kRelaxed);
  }
};

TEST(Explorer, CarriesAMessageFromAReleaseToAnAcquire) {
  EXPECT_EQ((outcomes_of<Message<kRelease, kAcquire>>()),
            (Outcomes{{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}}));
  EXPECT_EQ((outcomes_of<Message<kRelease, kRelaxed>>()), kAllOfTwo);
  EXPECT_EQ((outcomes_of<Message<kRelaxed, kAcquire>>()), kAllOfTwo);
}

struct MessageBetweenFences : Litmus {
  void first() {
    x.store(1, kRelaxed);
    Explorer::fence(kRelease);
    y.store(1, kRelaxed);
  }
  void second() {
    seen[0] = y.load(kRelaxed);
    Explorer::fence(kAcquire);
    seen[1] = x.load(kRelaxed);
  }
};

TEST(Explorer, CarriesAMessageFromFenceToFence) {
  EXPECT_EQ(outcomes_of<MessageBetweenFences>(),
            (Outcomes{{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}}));
}

/// A release, then a relaxed access by another thread, and an acquire of the result of that.
template <bool kChanges>
struct ReleaseSequence : Litmus {
  void first() {
    x.store(1, kRelaxed);
    y.store(1, kRelease);
  }
  void second() {
    int expected = 1;
    if (kChanges) {
      y.compare_exchange_strong(expected, 2, kRelaxed);
    } else if (y.load(kRelaxed) == 1) {
      y.store(2, kRelaxed);
    }
  }
  void third() {
    seen[0] = y.load(kAcquire);
    seen[1] = x.load(kRelaxed);
  }
};

TEST(Explorer, FollowsAReleaseSequenceThroughReadModifyWritesAndNoFurther) {
  EXPECT_EQ(outcomes_of<ReleaseSequence<true>>().count({2, 0, 0, 0}), 0u);
  EXPECT_EQ(outcomes_of<ReleaseSequence<true>>().count({2, 1, 0, 0}), 1u);
  EXPECT_EQ(outcomes_of<ReleaseSequence<false>>().count({2, 0, 0, 0}), 1u);
}

/// Two loads of one location, and two stores to it.
struct TwoLoads : Litmus {
  void first() {
    x.store(1, kRelaxed);
    x.store(2, kRelaxed);
  }
  void second() {
    seen[0] = x.load(kRelaxed);
    seen[1] = x.load(kRelaxed);
  }
};

TEST(Explorer, NeverLetsAThreadSeeALocationGoBack) {
  EXPECT_EQ(
      outcomes_of<TwoLoads>(),
      (Outcomes{
          {0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {1, 1, 0, 0}, {1, 2, 0, 0}, {2, 2, 0, 0}}));
}

/// A thread stores and then loads. Meanwhile another one stores, before that store or after it.
struct StoreThenLoad : Litmus {
  void first() {
    x.store(1, kRelaxed);
    seen[0] = x.load(kRelaxed);
  }
  void second() { x.store(2, kRelaxed); }
  std::string fault() {
    seen[1] = x.load();
    return Litmus::fault();
  }
};

TEST(Explorer, NeverLetsAThreadSeeWhatItsOwnStoreTookThePlaceOf) {
  EXPECT_EQ(outcomes_of<StoreThenLoad>(), (Outcomes{{1, 1, 0, 0}, {1, 2, 0, 0}, {2, 2, 0, 0}}));
}

/// Each thread writes both values, in opposite orders (2+2W).
template <Order kOrder>
struct TwoWritesEach : Litmus {
  void first() {
    x.store(1, kOrder);
    y.store(2, kOrder);
  }
  void second() {
    y.store(1, kOrder);
    x.store(2, kOrder);
  }
  std::string fault() {
    seen[0] = x.load();
    seen[1] = y.load();
    return Litmus::fault();
  }
};

TEST(Explorer, LetsStoresThatAreNotSequentiallyConsistentOvertakeEachOther) {
  EXPECT_EQ(outcomes_of<TwoWritesEach<kRelease>>().count({1, 1, 0, 0}), 1u);
  EXPECT_EQ(outcomes_of<TwoWritesEach<kSeqCst>>().count({1, 1, 0, 0}), 0u);
  EXPECT_EQ(explore<TwoWritesEach<kRelease>>().runs, 4u);
}

/// Two threads write, two read both values in opposite orders (independent reads of independent
/// writes).
template <Order kOrder>
struct TwoReaders : Litmus {
  void first() { x.store(1, kSeqCst); }
  void second() { y.store(1, kSeqCst); }
  void third() {
    seen[0] = x.load(kOrder);
    seen[1] = y.load(kOrder);
  }
  void fourth() {
    seen[2] = y.load(kOrder);
    seen[3] = x.load(kOrder);
  }
};

TEST(Explorer, LetsReadersDisagreeOnTwoWritesUnlessAllIsSequentiallyConsistent) {
  EXPECT_EQ(outcomes_of<TwoReaders<kAcquire>>().count({1, 0, 1, 0}), 1u);
  EXPECT_EQ(outcomes_of<TwoReaders<kAcquire>>().size(), 16u);
  EXPECT_EQ(outcomes_of<TwoReaders<kSeqCst>>().count({1, 0, 1, 0}), 0u);
  EXPECT_EQ(outcomes_of<TwoReaders<kSeqCst>>().size(), 15u);
}

/// The third thread learns what the first one wrote through the second (write to read causality).
struct Causality : Litmus {
  void first() { x.store(1, kRelaxed); }
  void second() {
    seen[0] = x.load(kRelaxed);
    y.store(1, kRelease);
  }
  void third() {
    seen[1] = y.load(kAcquire);
    seen[2] = x.load(kRelaxed);
  }
};

TEST(Explorer, CarriesWhatAThreadSawToAThird) {
  EXPECT_EQ(outcomes_of<Causality>().count({1, 1, 0, 0}), 0u);
  EXPECT_EQ(outcomes_of<Causality>().count({0, 1, 0, 0}), 1u);
}

/// What the first thread stored happens before what the second one changed, but not strongly: the
/// acquire is the change itself (Z6.U; Lahav and others, 2017).
struct StrongAndWeak : Litmus {
  StepwiseAtomic<int> z = 0;
  void first() {
    x.store(1, kSeqCst);
    y.store(1, kRelease);
  }
  void second() {
    seen[0] = y.fetch_add(1, kSeqCst);
    seen[1] = y.load(kRelaxed);
  }
  void third() {
    y.store(3, kSeqCst);
    seen[2] = x.load(kSeqCst);
  }
};

/// The second thread reads either what the first one stored, or what that thread released after it.
/// Then it makes sequentially consistent accesses. Only in the second case all threads agree on one
/// order.
template <bool kReadsWhatCameAfter>
struct AcquiredBetween : Litmus {
  StepwiseAtomic<int> z = 0;
  void first() {
    x.store(1, kSeqCst);
    z.store(1, kRelease);
  }
  void second() {
    seen[0] = (kReadsWhatCameAfter ? z : x).load(kAcquire);
    seen[1] = y.load(kSeqCst);
  }
  void third() {
    y.store(1, kSeqCst);
    seen[2] = x.load(kSeqCst);
  }
};

TEST(Explorer, CountsStronglyHappensBeforeToTheLetter) {
  EXPECT_EQ(outcomes_of<StrongAndWeak>().count({1, 3, 0, 0}), 1u);
  EXPECT_EQ(outcomes_of<AcquiredBetween<false>>().count({1, 0, 0, 0}), 1u);
  EXPECT_EQ(outcomes_of<AcquiredBetween<true>>().count({1, 0, 0, 0}), 0u);
}

/// One thread stores. Another one changes the value in one step.
struct StoreAndChange : Litmus {
  void first() { seen[0] = x.fetch_add(1, kRelaxed); }
  void second() { x.store(5, kRelaxed); }
  std::string fault() {
    seen[1] = x.load();
    return Litmus::fault();
  }
};

TEST(Explorer, PutsNoStoreIntoAReadModifyWrite) {
  EXPECT_EQ(outcomes_of<StoreAndChange>(), (Outcomes{{0, 5, 0, 0}, {5, 6, 0, 0}}));
}

/// The standard allows both threads to see a store that depends on what they see. No checker that
/// we know tries this.
struct ReadThenWrite : Litmus {
  void first() {
    seen[0] = x.load(kRelaxed);
    y.store(1, kRelaxed);
  }
  void second() {
    seen[1] = y.load(kRelaxed);
    x.store(1, kRelaxed);
  }
};

TEST(Explorer, LeavesOutLoadBuffering) {
  EXPECT_EQ(outcomes_of<ReadThenWrite>(), (Outcomes{{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}));
}

struct LostUpdate {
  StepwiseAtomic<int> value = 0;
  void first() { value = value + 1; }
  void second() { value = value + 1; }
  std::string fault() const { return value == 2 ? "" : "an update is lost"; }
};

TEST(Explorer, FindsAnUpdateThatIsLost) {
  EXPECT_EQ(explore<LostUpdate>().fault, "an update is lost");
}

struct NoLostUpdate {
  StepwiseAtomic<int> value = 0;
  void first() { value.fetch_add(1, kRelaxed); }
  void second() { value.fetch_sub(2, kRelaxed); }
  std::string fault() const { return value == -1 ? "" : "an update is lost"; }
};

TEST(Explorer, LosesNoUpdateInOneStep) {
  const Explored all = explore<NoLostUpdate>();
  EXPECT_EQ(all.fault, "");
  EXPECT_EQ(all.runs, 2u);
}

struct WeakCompare {
  static inline Outcomes outcomes;
  StepwiseAtomic<int> value = 0;
  int failed = 0;
  void first() {
    int expected = 0;
    while (!value.compare_exchange_weak(expected, 1)) ++failed;
  }
  static void second() {}
  std::string fault() const {
    outcomes.insert({failed});
    return value == 1 ? "" : "it did not succeed";
  }
};

TEST(Explorer, LetsAWeakCompareFailForNoReasonOnce) {
  WeakCompare::outcomes.clear();
  EXPECT_EQ(explore<WeakCompare>().runs, 2u);
  EXPECT_EQ(WeakCompare::outcomes, (Outcomes{{0}, {1}}));
}

/// A plain value behind a flag.
template <Order kStore, Order kLoad>
struct PlainMessage {
  StepwiseAtomic<bool> is_ready = false;
  Checked<int> value = 0;
  int seen = 1;
  void first() {
    value = 1;
    is_ready.store(true, kStore);
  }
  void second() {
    if (is_ready.load(kLoad)) seen = value;
  }
  std::string fault() const { return seen == 1 ? "" : "a message is not read"; }
};

TEST(Explorer, FindsARaceForPlainMemory) {
  const Explored right = explore<PlainMessage<kRelease, kAcquire>>();
  EXPECT_EQ(right.fault, "");
  EXPECT_EQ(right.runs, 2u);
  EXPECT_EQ((explore<PlainMessage<kRelaxed, kAcquire>>().fault),
            "there is a race for plain memory");
  EXPECT_EQ((explore<PlainMessage<kRelease, kRelaxed>>().fault),
            "there is a race for plain memory");
}

struct TwoPlainReaders {
  Checked<int> value = 1;
  void first() { seen_by_first = value; }
  void second() { seen_by_second = value; }
  int seen_by_first = 0;
  int seen_by_second = 0;
  std::string fault() const { return seen_by_first + seen_by_second == 2 ? "" : "misread"; }
};

TEST(Explorer, LetsTwoThreadsReadPlainMemory) { EXPECT_EQ(explore<TwoPlainReaders>().fault, ""); }

struct OneReadsOneWrites {
  Checked<int> value = 1;
  int seen = 0;
  void first() { seen = value; }
  void second() { value = 2; }
  static std::string fault() { return ""; }
};

TEST(Explorer, FindsThatPlainMemoryIsWrittenWhileItIsRead) {
  EXPECT_EQ(explore<OneReadsOneWrites>().fault, "there is a race for plain memory");
}

/// Two threads count under a lock.
template <bool kLocksBoth>
struct UnderALock {
  StepwiseMutex mutex;
  Checked<int> count = 0;
  void first() { add(true); }
  void second() { add(kLocksBoth); }
  void add(bool locks) {
    for (int i = 0; i < 2; ++i) {
      if (locks) mutex.lock();
      count = count + 1;
      if (locks) mutex.unlock();
    }
  }
  std::string fault() const { return count == 4 ? "" : "miscounted"; }
};

TEST(Explorer, LetsOneThreadHaveALock) {
  const Explored all = explore<UnderALock<true>>();
  EXPECT_EQ(all.fault, "");
  EXPECT_EQ(all.runs, 6u);  // 4 over 2
  EXPECT_EQ(explore<UnderALock<false>>().fault, "there is a race for plain memory");
}

struct TwoLocks {
  StepwiseMutex one;
  StepwiseMutex other;
  void first() {
    one.lock();
    other.lock();
    other.unlock();
    one.unlock();
  }
  void second() {
    other.lock();
    one.lock();
    one.unlock();
    other.unlock();
  }
  static std::string fault() { return ""; }
};

TEST(Explorer, FindsThatThreadsWaitForEachOther) {
  EXPECT_EQ(explore<TwoLocks>().fault, "threads wait for each other for ever");
}

/// Two threads give up a share; the last one destroys an atomic value.
template <Order kOrder>
struct LastShare {
  StepwiseAtomic<int> shares = 2;
  std::optional<StepwiseAtomic<int>> value{0};
  void first() { use(); }
  void second() { use(); }
  void use() {
    value->fetch_add(1, kRelaxed);
    if (shares.fetch_sub(1, kOrder) == 1) value.reset();
  }
  std::string fault() const { return value ? "it is left" : ""; }
};

TEST(Explorer, FindsAnAtomicValueThatIsDestroyedWhileItIsUsed) {
  EXPECT_EQ(explore<LastShare<kAcqRel>>().fault, "");
  EXPECT_EQ(explore<LastShare<kRelease>>().fault, "an atomic value is destroyed while it is used");
  EXPECT_EQ(explore<LastShare<kAcquire>>().fault, "an atomic value is destroyed while it is used");
}

struct Endless {
  StepwiseAtomic<int> value = 0;
  void first() {
    while (value.load(kRelaxed) == 0) {
    }
  }
  static void second() {}
  static std::string fault() { return ""; }
};

TEST(Explorer, GivesUpARunThatDoesNotEnd) {
  EXPECT_EQ(explore<Endless>().fault, "a run does not end");
}

}  // namespace
}  // namespace timers
