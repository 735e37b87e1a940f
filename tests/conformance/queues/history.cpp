#include "tests/conformance/queues/history.hpp"

#include <ostream>
#include <utility>

#include "tests/conformance/queues/laws.hpp"
#include "tests/conformance/queues/oracle.hpp"

namespace timers::conformance {
namespace {

/// Carries out a history on a queue and on its model.
class Player final : public Oracle {
 public:
  Player(const History& history, const QueueKind& kind) : Oracle(kind), history_(history) {}

  std::optional<Divergence> play() {
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (history_[i].verb == Operation::Verb::move_queue) {
        move_queue();
      } else {
        perform(history_[i]);
      }
      if (!content()) return Divergence{i, objection()};
    }
    destroy_queue();
    if (!content()) return Divergence{history_.size(), objection()};
    return std::nullopt;
  }

 private:
  void perform(const Operation& operation) {
    switch (operation.verb) {
      case Operation::Verb::insert: {
        const TimerId id = Oracle::insert(tick(operation.when));
        if (operation_of_.size() <= id) operation_of_.resize(id + 1);
        operation_of_[id] = &operation;
        if (timer_of_.size() <= operation.label) timer_of_.resize(operation.label + 1, kNoTimer);
        timer_of_[operation.label] = id;
        break;
      }
      case Operation::Verb::cancel:
        if (const TimerId id = timer(operation); id != kNoTimer) Oracle::cancel(id);
        break;
      case Operation::Verb::rearm:
        if (const TimerId id = timer(operation); id != kNoTimer) {
          Oracle::rearm(id, tick(operation.when));
        }
        break;
      case Operation::Verb::expire:
        Oracle::expire(tick(operation.when), operation.limit);
        break;
      case Operation::Verb::throws:
      case Operation::Verb::move_queue:
        break;
    }
  }

  void timer_expired(TimerId id) override {
    for (const Operation& operation : operation_of_[id]->on_expiry) {
      if (operation.verb == Operation::Verb::throws) throw CallbackFailure{};
      perform(operation);
    }
  }

  void task_destroyed(TimerId id) override {
    for (const Operation& operation : operation_of_[id]->on_destruction) perform(operation);
  }

  std::string name_of(TimerId id) const override {
    return "timer " + std::to_string(operation_of_[id]->label);
  }

  TimerId timer(const Operation& operation) const {
    return operation.label < timer_of_.size() ? timer_of_[operation.label] : kNoTimer;
  }

  Tick tick(When when) const {
    if (!when.relative) return when.ticks;
    return when.ticks > kEndOfTime - now() ? kEndOfTime : now() + when.ticks;
  }

  static constexpr TimerId kNoTimer = ~TimerId{0};

  const History& history_;
  std::vector<TimerId> timer_of_;               // by label
  std::vector<const Operation*> operation_of_;  // by timer: the one that inserted it
};

std::string number(std::uint64_t value) {
  if (const std::string words = tick_in_words(value); value < 65536 || words.front() == 'k')
    return words;
  std::string digits;
  for (; value != 0; value /= 16) digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  return "0x" + digits;
}

const char* name_of(Operation::Verb verb) {
  switch (verb) {
    case Operation::Verb::insert:
      return "insert";
    case Operation::Verb::cancel:
      return "cancel";
    case Operation::Verb::rearm:
      return "rearm";
    case Operation::Verb::expire:
      return "expire";
    case Operation::Verb::throws:
      return "throws";
    case Operation::Verb::move_queue:
      return "move_queue";
  }
  return "no verb";
}

std::string words_of(When when) {
  return (when.relative ? "after(" : "at(") + number(when.ticks) + ")";
}

std::string words_of(const Operation& operation);

std::string list_of(const std::vector<Operation>& operations) {
  std::string list;
  for (const Operation& operation : operations) {
    list += (list.empty() ? "" : ", ") + words_of(operation);
  }
  return "{" + list + "}";
}

std::string words_of(const Operation& operation) {
  const std::string label = std::to_string(operation.label);
  const std::string verb = name_of(operation.verb);
  switch (operation.verb) {
    case Operation::Verb::insert: {
      std::string words = verb + "(" + label + ", " + words_of(operation.when);
      const bool destruction = !operation.on_destruction.empty();
      if (destruction || !operation.on_expiry.empty()) words += ", " + list_of(operation.on_expiry);
      if (destruction) words += ", " + list_of(operation.on_destruction);
      return words + ")";
    }
    case Operation::Verb::cancel:
      return verb + "(" + label + ")";
    case Operation::Verb::rearm:
      return verb + "(" + label + ", " + words_of(operation.when) + ")";
    case Operation::Verb::expire:
      return verb + "(" + words_of(operation.when) +
             (operation.limit == kNoLimit ? "" : ", " + number(operation.limit)) + ")";
    case Operation::Verb::throws:
    case Operation::Verb::move_queue:
      return verb + "()";
  }
  return "";
}

}  // namespace

When after(Tick ticks) { return {true, ticks}; }
When at(Tick tick) { return {false, tick}; }

Operation insert(Label label, When deadline, std::vector<Operation> on_expiry,
                 std::vector<Operation> on_destruction) {
  return {Operation::Verb::insert,  label, deadline, kNoLimit, std::move(on_expiry),
          std::move(on_destruction)};
}
Operation cancel(Label label) { return {Operation::Verb::cancel, label, {}, kNoLimit, {}, {}}; }
Operation rearm(Label label, When deadline) {
  return {Operation::Verb::rearm, label, deadline, kNoLimit, {}, {}};
}
Operation expire(When now, std::size_t limit) {
  return {Operation::Verb::expire, 0, now, limit, {}, {}};
}
Operation throws() { return {Operation::Verb::throws, 0, {}, kNoLimit, {}, {}}; }
Operation move_queue() { return {Operation::Verb::move_queue, 0, {}, kNoLimit, {}, {}}; }

std::ostream& operator<<(std::ostream& out, Operation::Verb verb) { return out << name_of(verb); }

std::ostream& operator<<(std::ostream& out, const Operation& operation) {
  return out << words_of(operation);
}

std::ostream& operator<<(std::ostream& out, const Divergence& divergence) {
  return out << "operation " << divergence.operation << ":\n" << divergence.message;
}

std::optional<Divergence> run(const History& history, const QueueKind& kind,
                              std::uint64_t* operations) {
  Player player(history, kind);
  auto divergence = player.play();
  if (operations != nullptr) *operations += player.operations();
  return divergence;
}

std::string to_cpp(const History& history) {
  std::string text = "const History history{\n";
  for (const Operation& operation : history) text += "    " + words_of(operation) + ",\n";
  return text + "};\n";
}

}  // namespace timers::conformance
