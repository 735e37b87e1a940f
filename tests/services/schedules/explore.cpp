#include "tests/services/schedules/explore.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/services/schedules/story.hpp"
#include "tests/services/schedules/turns.hpp"

namespace timers::schedules {

namespace {

/// The depth-first search: each run makes the choices of the previous one, except for the last.
class Search final : public Order {
 public:
  explicit Search(int pre_emptions) : most_(pre_emptions) {}

  void begin_run() {
    depth_ = 0;
    used_ = 0;
    nothing_new_ = false;
  }

  std::size_t choose(std::size_t step, const std::vector<std::size_t>& threads, bool is_free,
                     std::uint64_t state) override {
    if (threads[0] == kForNothing) nothing_new_ = true;
    if (depth_ < path_.size()) {
      if (path_[depth_].step != step) return threads[0];
      return take(path_[depth_++]);
    }
    const bool is_choice = threads.size() > 1 && (is_free || used_ < most_);
    if (nothing_new_ || !is_choice) return threads[0];
    if (was_tried(state)) {
      nothing_new_ = true;
      return threads[0];
    }
    path_.push_back({.step = step, .threads = threads, .is_free = is_free});
    return take(path_[depth_++]);
  }

  /// Moves on to the next run. Returns false if there is none.
  bool next() {
    while (!path_.empty() && path_.back().chosen + 1 == path_.back().threads.size()) {
      path_.pop_back();
    }
    if (path_.empty()) return false;
    ++path_.back().chosen;
    return true;
  }

  /// Whether the run made all of its given choices. If not, the program is not the same in each
  /// run.
  bool was_repeated() const { return depth_ == path_.size(); }

 private:
  struct Choice {
    std::size_t step;
    std::vector<std::size_t> threads;
    bool is_free;
    std::size_t chosen = 0;
  };

  std::size_t take(const Choice& choice) {
    if (choice.chosen > 0 && !choice.is_free) ++used_;
    return choice.threads[choice.chosen];
  }

  /// Whether all that follows this state was tried with at least as many pre-emptions left.
  bool was_tried(std::uint64_t state) {
    const int left = most_ - used_;
    const auto [found, is_new] = left_at_.try_emplace(state, left);
    if (is_new) return false;
    if (found->second >= left) return true;
    found->second = left;
    return false;
  }

  const int most_;
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
  int used_ = 0;
  bool nothing_new_ = false;
  std::unordered_map<std::uint64_t, int> left_at_;  // how many pre-emptions were left in each state
};

/// A single fixed schedule.
class Fixed final : public Order {
 public:
  explicit Fixed(const std::string& schedule) {
    std::istringstream in(schedule);
    std::size_t thread = 0;
    std::size_t steps = 0;
    char times = 0;
    while (in >> thread >> times >> steps) threads_.insert(threads_.end(), steps, thread);
  }

  std::size_t choose(std::size_t step, const std::vector<std::size_t>& threads, bool,
                     std::uint64_t) override {
    return step < threads_.size() ? threads_[step] : threads[0];
  }

 private:
  std::vector<std::size_t> threads_;
};

std::string schedule_of(const Turns& turns) {
  std::string schedule;
  const std::vector<Done>& done = turns.done();
  for (std::size_t i = 0; i < done.size();) {
    std::size_t end = i;
    while (end < done.size() && done[end].thread == done[i].thread) ++end;
    if (!schedule.empty()) schedule += ' ';
    schedule += std::to_string(done[i].thread) + '*' + std::to_string(end - i);
    i = end;
  }
  return schedule;
}

/// One run of the program that is explored.
void run_once(const std::function<std::string()>& program, Order& order, Explored& explored,
              bool tells) {
  Turns turns(order);
  explored.fault = turns.run(program);
  ++explored.runs;
  explored.most_steps = std::max(explored.most_steps, turns.done().size());
  if (explored.fault.empty() && !tells) return;
  explored.schedule = schedule_of(turns);
  explored.story = story_of(turns);
}

}  // namespace

std::string run_by_itself(const std::function<std::string()>& program) {
  Fixed by_itself("");
  return Turns(by_itself).run(program);
}

Explored explore(const std::function<std::string()>& program, const Bounds& bounds) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
  if (const char* schedule = std::getenv("TIMERBENCH_SCHEDULE")) return replay(program, schedule);
  run_by_itself(program);  // What is made once, and kept, is there from now on.
  Search search(bounds.pre_emptions);
  Explored explored;
  do {
    search.begin_run();
    run_once(program, search, explored, /*tells=*/false);
    if (explored.fault.empty() && !search.was_repeated()) {
      explored.fault = "the program is not the same in each run";
    }
    if (!explored.fault.empty()) return explored;
    if (explored.runs == bounds.runs) return explored;
  } while (search.next());
  explored.all = true;
  return explored;
}

Explored replay(const std::function<std::string()>& program, const std::string& schedule) {
  run_by_itself(program);  // What is made once, and kept, is there from now on.
  Fixed order(schedule);
  Explored explored;
  run_once(program, order, explored, /*tells=*/true);
  return explored;
}

}  // namespace timers::schedules
