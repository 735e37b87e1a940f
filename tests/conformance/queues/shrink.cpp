#include "tests/conformance/queues/shrink.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <sstream>
#include <utility>

namespace timers::conformance {
namespace {

class Shrinker {
 public:
  Shrinker(History history, const std::function<bool(const History&)>& fails)
      : history_(std::move(history)), fails_(fails) {}

  History shrink() {
    remove_runs();
    do {
      improved_ = false;
      remove_from(history_);
      each(history_, [this](Operation& operation) {
        remove_from(operation.on_expiry);
        remove_from(operation.on_destruction);
      });
      make_relative();
      merge_steps();
      each(history_, [this](Operation& operation) { simplify(operation); });
    } while (improved_);
    renumber();
    return history_;
  }

 private:
  /// Removes halves, quarters and so on of the history.
  void remove_runs() {
    for (std::size_t run = history_.size() / 2; run > 1; run /= 2) {
      for (std::size_t end = history_.size(); end > 0;) {
        const std::size_t begin = end - std::min(end, run);
        History shorter(history_.begin(), nth(begin));
        shorter.insert(shorter.end(), nth(end), history_.end());
        if (fails_(shorter)) history_ = std::move(shorter);
        end = begin;
      }
    }
  }

  History::iterator nth(std::size_t index) {
    return history_.begin() + static_cast<std::ptrdiff_t>(index);
  }

  /// Removes single operations from a list, from its end on. The list is the history or a part of
  /// it.
  void remove_from(std::vector<Operation>& list) {
    for (std::size_t i = list.size(); i-- > 0;) {
      const auto position = list.begin() + static_cast<std::ptrdiff_t>(i);
      Operation removed = std::move(*position);
      list.erase(position);
      if (fails_(history_)) {
        improved_ = true;
      } else {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), std::move(removed));
      }
    }
  }

  /// Makes ticks relative to now, and so makes operations independent of each other.
  void make_relative() {
    Tick now = 0;
    for (Operation& operation : history_) {
      When& when = operation.when;
      if (!when.relative && when.ticks >= now) try_value(when, after(when.ticks - now));
      if (operation.verb != Operation::Verb::expire) continue;
      if (!when.relative) {
        now = std::max(now, when.ticks);
      } else {
        now += std::min(when.ticks, kEndOfTime - now);
      }
    }
  }

  /// Merges a step into the next one. Deadlines in between stay where they were.
  void merge_steps() {
    for (std::size_t i = 0; i < history_.size();) {
      if (history_[i].verb == Operation::Verb::expire && history_[i].when.relative) {
        History shorter = without_step(i);
        if (fails_(shorter)) {
          history_ = std::move(shorter);
          improved_ = true;
          continue;
        }
      }
      ++i;
    }
  }

  History without_step(std::size_t index) const {
    History shorter = history_;
    const Tick ticks = history_[index].when.ticks;
    for (std::size_t i = index + 1; i < shorter.size(); ++i) {
      When& when = shorter[i].when;
      if (when.relative) when.ticks += std::min(ticks, kEndOfTime - when.ticks);
      if (shorter[i].verb == Operation::Verb::expire) break;
    }
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(index));
    return shorter;
  }

  void simplify(Operation& operation) {
    using Verb = Operation::Verb;
    const Verb verb = operation.verb;
    if (verb == Verb::expire && operation.limit != kNoLimit) {
      if (!try_value(operation.limit, kNoLimit)) reduce(operation.limit);
    }
    if (verb == Verb::insert || verb == Verb::rearm || verb == Verb::expire) {
      if (!operation.when.relative) try_value(operation.when, after(1));
      reduce(operation.when.ticks);
    }
  }

  /// Finds a smaller number with which the history still fails. Tries large reductions first.
  template <class Number>
  void reduce(Number& number) {
    if (number == 0 || try_value(number, Number{0}) || try_value(number, Number{1})) return;
    try_value(number, std::bit_floor(number));
    while (try_value(number, number / 2)) {
    }
    for (Number step = std::bit_floor(number); step > 0; step /= 2) {
      while (number > step && try_value(number, number - step)) {
      }
    }
  }

  /// Sets `place` to `value`, if the history still fails with that.
  template <class Value>
  bool try_value(Value& place, Value value) {
    if (place == value) return false;
    const Value old = std::exchange(place, value);
    if (fails_(history_)) return improved_ = true;
    place = old;
    return false;
  }

  /// Gives labels the numbers from 0 in the order in which they occur. This does not change what
  /// the history does.
  void renumber() {
    std::map<Label, Label> new_labels;
    each(history_, [&](Operation& operation) {
      using Verb = Operation::Verb;
      const Verb verb = operation.verb;
      if (verb == Verb::insert || verb == Verb::cancel || verb == Verb::rearm) {
        const auto next = static_cast<Label>(new_labels.size());
        operation.label = new_labels.try_emplace(operation.label, next).first->second;
      }
    });
  }

  /// Visits each operation, and after it those of its callback and its destructor.
  template <class Visit>
  static void each(std::vector<Operation>& list, const Visit& visit) {
    for (Operation& operation : list) {
      visit(operation);
      each(operation.on_expiry, visit);
      each(operation.on_destruction, visit);
    }
  }

  History history_;
  const std::function<bool(const History&)>& fails_;
  bool improved_ = false;
};

}  // namespace

History shrink(History history, const std::function<bool(const History&)>& fails) {
  return Shrinker(std::move(history), fails).shrink();
}

std::string report(const History& history, const QueueKind& kind) {
  History shortest = history;
  if (const auto divergence = run(history, kind); divergence) {
    shortest.resize(std::min(shortest.size(), divergence->operation + 1));
  }
  shortest =
      shrink(shortest, [&kind](const History& shorter) { return run(shorter, kind).has_value(); });
  const auto divergence = run(shortest, kind);
  if (!divergence) return kind.name + " does not break the contract in every run\n";
  std::ostringstream text;
  text << kind.name << " breaks the contract ";
  if (divergence->operation < shortest.size()) {
    text << "at " << shortest[divergence->operation] << ", operation " << divergence->operation;
  } else {
    text << "at the end, when the queue is destroyed";
  }
  text << ".\n"
       << divergence->message << "\n\nThe shortest history found that shows it:\n\n"
       << to_cpp(shortest);
  return text.str();
}

}  // namespace timers::conformance
