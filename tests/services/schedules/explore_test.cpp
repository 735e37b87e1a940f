/// The search finds what only a few schedules lead to, and leaves out only runs that are the same
/// as earlier ones.

#include "tests/services/schedules/explore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/random.hpp"
#include "tests/services/schedules/stepwise_clock.hpp"
#include "tests/services/schedules/turns.hpp"

namespace timers::schedules {
namespace {

using conformance::Random;
using Deeds = std::vector<std::function<void()>>;

/// Runs each deed on a thread of its own, in every schedule.
void race(const Deeds& deeds) {
  Turns& turns = *Turns::here();
  turns.race(true);
  {
    std::vector<StepwiseClock::Thread> threads;
    for (const auto& deed : deeds) threads.emplace_back("thread", deed);
  }
  turns.race(false);
}

/// A variable, whose accesses are steps.
class Shared {
 public:
  int read() const {
    Turns::here()->stand({.what = "read", .object = this, .writes = false});
    return value_;
  }
  void write(int value) {
    Turns::here()->stand({.what = "write", .object = this});
    value_ = value;
  }

 private:
  int value_ = 0;
};

/// Two threads add 1 to a value, each in two steps.
std::string lose_an_update() {
  Shared value;
  const auto add = [&] { value.write(value.read() + 1); };
  race({add, add});
  return value.read() == 2 ? "" : "an update was lost";
}

TEST(Schedules, FindWhatOnePreemptionLeadsTo) {
  EXPECT_TRUE(explore(lose_an_update, {.pre_emptions = 0}).all);
  const Explored explored = explore(lose_an_update, {.pre_emptions = 1});
  EXPECT_EQ(explored.fault, "an update was lost");
  EXPECT_FALSE(explored.all);
}

TEST(Schedules, AreToldSoThatTheyCanBeRepeated) {
  const Explored explored = explore(lose_an_update);
  const Explored repeated = replay(lose_an_update, explored.schedule);
  EXPECT_EQ(repeated.fault, "an update was lost");
  EXPECT_EQ(repeated.schedule, explored.schedule);
  EXPECT_EQ(repeated.story, explored.story);
  EXPECT_NE(explored.story.find("read\n    and is pre-empted\n  2 (thread):\n    begin\n    read"),
            std::string::npos)
      << explored.story;
}

TEST(Schedules, NeedAsManyPreemptionsAsAFaultNeeds) {
  const auto program = [] {
    Shared turn;
    bool met = false;
    race({[&] {
            turn.write(1);
            if (turn.read() != 2) return;
            turn.write(3);
            met = turn.read() == 4;
          },
          [&] {
            if (turn.read() == 1) turn.write(2);
            if (turn.read() == 3) turn.write(4);
          }});
    return met ? "they met" : "";
  };
  EXPECT_TRUE(explore(program, {.pre_emptions = 2}).all);
  EXPECT_EQ(explore(program, {.pre_emptions = 3}).fault, "they met");
}

TEST(Schedules, NameADeadlock) {
  const auto program = [] {
    std::mutex one;
    std::mutex other;
    const auto lock_both = [](std::mutex& first, std::mutex& second) {
      const std::lock_guard of_first(first);
      const std::lock_guard of_second(second);
    };
    race({[&] { lock_both(one, other); }, [&] { lock_both(other, one); }});
    return "";
  };
  EXPECT_EQ(explore(program).fault,
            "deadlock: nobody can go on; test waits to join; thread waits to lock; thread waits to "
            "lock");
}

TEST(Schedules, NameAnEndlessLoop) {
  const auto program = [] {
    const Shared never_written;
    race({[&] {
      while (never_written.read() == 0) {
      }
    }});
    return "";
  };
  EXPECT_EQ(explore(program).fault, "it does not end: 20000 steps were done");
}

TEST(Schedules, LetAThreadThatYieldsWaitForAnother) {
  const auto program = [] {
    Shared flag;
    race({[&] {
            while (flag.read() == 0) Turns::here()->yield(nullptr);
          },
          [&] { flag.write(1); }});
    return "";
  };
  EXPECT_TRUE(explore(program).all);
}

TEST(Schedules, NameACrash) {
  const auto program = [] {
    Shared value;
    race({[&] {
            if (value.read() == 1) raise(SIGSEGV);
          },
          [&] { value.write(1); }});
    return "";
  };
  const Explored explored = explore(program);
  EXPECT_EQ(explored.fault, "it crashed: Segmentation fault");
  EXPECT_FALSE(explored.schedule.empty());
}

TEST(Schedules, NameAnException) {
  const auto program = [] {
    race({[] { throw std::runtime_error("no"); }});
    return "";
  };
  EXPECT_EQ(explore(program).fault, "a thread threw: no");
}

TEST(Schedules, GiveEachThreadItsOwnVariablesAndExceptions) {
  static thread_local int mine = 7;
  const auto program = [] {
    Shared shared;
    std::array<int, 2> sums{};
    const auto throw_and_add = [&](int& sum) {
      mine += 1;
      try {
        throw mine;
      } catch (const int& thrown) {
        shared.write(shared.read());
        try {
          throw;
        } catch (const int& again) {
          sum = thrown + again + mine;
        }
      }
    };
    race({[&] { throw_and_add(sums[0]); }, [&] { throw_and_add(sums[1]); }});
    const bool is_right = sums[0] == 24 && sums[1] == 24 && mine == 7;
    return is_right ? "" : "a thread saw what belongs to another";
  };
  const Explored explored = explore(program);
  EXPECT_EQ(explored.fault, "");
  EXPECT_GT(explored.runs, 2u);
}

TEST(Schedules, ObjectToAProgramThatIsNotTheSameInEachRun) {
  int run = 0;
  const auto program = [&run] {
    Shared value;
    const auto write = [&] {
      for (int i = 0; i < 2 + run / 4; ++i) value.write(i);
    };
    ++run;
    race({write, write});
    return "";
  };
  EXPECT_EQ(explore(program).fault, "the program is not the same in each run");
}

TEST(Schedules, StopAtABoundOfRuns) {
  const auto program = [] {
    Shared value;
    const auto write = [&] {
      for (int i = 0; i < 9; ++i) value.write(i);
    };
    race({write, write});
    return "";
  };
  const Explored explored = explore(program, {.pre_emptions = 3, .runs = 10});
  EXPECT_EQ(explored.runs, 10u);
  EXPECT_FALSE(explored.all);
}

/// A small program as data, so that two different methods can run it.
class RandomProgram {
 public:
  static constexpr std::size_t kThreads = 3;
  static constexpr std::size_t kVariables = 2;
  enum class Verb { reads, writes, adds, locks, unlocks };
  struct Operation {
    Verb verb;
    std::size_t variable;
    int value;
  };
  /// The result of a run: what each thread read, and the final values of the variables.
  using Outcome = std::vector<int>;

  explicit RandomProgram(Random& random) {
    int value = 0;
    for (auto& operations : threads_) {
      const std::size_t count = 1 + random.below(3);
      for (std::size_t i = 0; i < count; ++i) {
        operations.push_back(
            {static_cast<Verb>(random.below(3)), random.below(kVariables), ++value});
      }
      if (random.one_in(3)) {
        operations.insert(operations.begin(), {Verb::locks, 0, 0});
        operations.push_back({Verb::unlocks, 0, 0});
      }
    }
  }

  /// The outcomes that the search finds.
  std::set<Outcome> explored(int pre_emptions) const {
    std::set<Outcome> outcomes;
    const Explored explored = explore(
        [&] {
          State state;
          std::mutex mutex;
          Deeds deeds;
          for (std::size_t i = 0; i < kThreads; ++i) {
            deeds.emplace_back([&, i] {
              for (const Operation& operation : threads_[i]) {
                if (operation.verb == Verb::locks) {
                  mutex.lock();
                } else if (operation.verb == Verb::unlocks) {
                  mutex.unlock();
                } else {
                  Turns::here()->stand({.what = "access",
                                        .object = &state.variables[operation.variable],
                                        .writes = operation.verb != Verb::reads});
                  state.apply(i, operation);
                }
              }
            });
          }
          race(deeds);
          outcomes.insert(state.outcome());
          return "";
        },
        {.pre_emptions = pre_emptions});
    EXPECT_TRUE(explored.all) << explored.fault;
    return outcomes;
  }

  /// The outcomes of all schedules, tried one after the other.
  std::set<Outcome> tried(int pre_emptions) const {
    std::set<Outcome> outcomes;
    try_all(State(), kThreads, pre_emptions, outcomes);
    return outcomes;
  }

 private:
  struct State {
    std::array<int, kVariables> variables{};
    std::array<std::vector<int>, kThreads> seen;
    std::array<std::size_t, kThreads> next{};
    bool is_locked = false;

    void apply(std::size_t thread, const Operation& operation) {
      int& variable = variables[operation.variable];
      if (operation.verb != Verb::writes) seen[thread].push_back(variable);
      if (operation.verb == Verb::writes) variable = operation.value;
      if (operation.verb == Verb::adds) variable += operation.value;
    }
    Outcome outcome() const {
      Outcome all(variables.begin(), variables.end());
      for (const auto& values : seen) all.insert(all.end(), values.begin(), values.end());
      return all;
    }
  };

  bool can(const State& state, std::size_t thread) const {
    if (state.next[thread] == threads_[thread].size()) return false;
    return threads_[thread][state.next[thread]].verb != Verb::locks || !state.is_locked;
  }

  void try_all(const State& state, std::size_t last, int left, std::set<Outcome>& outcomes) const {
    const bool last_can = last < kThreads && can(state, last);
    bool any = false;
    for (std::size_t i = 0; i < kThreads; ++i) {
      if (!can(state, i)) continue;
      any = true;
      const int cost = last_can && i != last ? 1 : 0;
      if (cost > left) continue;
      State after = state;
      const Operation& operation = threads_[i][after.next[i]++];
      if (operation.verb == Verb::locks || operation.verb == Verb::unlocks) {
        after.is_locked = operation.verb == Verb::locks;
      } else {
        after.apply(i, operation);
      }
      try_all(after, i, left - cost, outcomes);
    }
    if (!any) outcomes.insert(state.outcome());
  }

  std::array<std::vector<Operation>, kThreads> threads_;
};

TEST(Schedules, LeadToAllThatCanHappen) {
  constexpr int kPrograms = 100;
  Random random(26);
  std::size_t outcomes = 0;
  for (int i = 0; i < kPrograms; ++i) {
    const RandomProgram program(random);
    for (const int pre_emptions : {0, 1, 2, 3}) {
      const auto tried = program.tried(pre_emptions);
      outcomes += tried.size();
      ASSERT_EQ(program.explored(pre_emptions), tried)
          << "program " << i << " with " << pre_emptions << " pre-emptions";
    }
  }
  EXPECT_GT(outcomes, 4u * kPrograms);
}

}  // namespace
}  // namespace timers::schedules
