#include "tests/conformance/queues/random_history.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tests/conformance/random.hpp"

namespace timers::conformance {
namespace {

/// Weights of the alternatives of a random choice.
template <std::size_t kCount>
class Choice {
 public:
  explicit Choice(const std::array<std::uint64_t, kCount>& weights) : weights_(weights) {
    for (const std::uint64_t weight : weights_) total_ += weight;
  }

  /// Draws weights, some of which are 0.
  explicit Choice(Random& random) {
    for (auto& weight : weights_) {
      weight = random.one_in(3) ? 0 : 1 + random.below(8);
      total_ += weight;
    }
    if (total_ == 0) {
      weights_.fill(1);
      total_ = kCount;
    }
  }

  std::size_t draw(Random& random) const {
    std::uint64_t rest = random.below(total_);
    std::size_t choice = 0;
    while (rest >= weights_[choice]) rest -= weights_[choice++];
    return choice;
  }

 private:
  std::array<std::uint64_t, kCount> weights_{};
  std::uint64_t total_ = 0;
};

/// How rare something is: one in so many cases, or never (0).
std::uint64_t rarity(Random& random) {
  static constexpr std::uint64_t kRarities[] = {0, 0, 256, 32, 8, 2};
  return kRarities[random.below(std::size(kRarities))];
}

class Author {
 public:
  Author(std::uint64_t seed, std::size_t max_length)
      : random_(seed), delays_(random_), steps_(random_) {
    length_ = random_.one_in(32) ? max_length
                                 : std::min<std::size_t>(max_length, 16u << random_.below(8));
    population_ = random_.one_in(32) ? max_length : 1 + random_.up_to_bits(8);
    span_ = 1 + random_.up_to_bits(12);
    delay_bits_ = 1 + static_cast<unsigned>(random_.below(random_.one_in(4) ? 64 : 40));
    step_bits_ = 1 + static_cast<unsigned>(random_.below(random_.one_in(8) ? 62 : 32));
    callbacks_ = rarity(random_);
    destructors_ = rarity(random_);
    throws_ = rarity(random_);
    limits_ = rarity(random_);
    stale_ = rarity(random_);
    has_spells_ = random_.one_in(2);
  }

  History write() {
    History history;
    history.reserve(length_ + 2);
    set_out(history);
    while (history.size() < length_) history.push_back(next_operation());
    if (random_.one_in(4)) history.push_back(expire(at(kEndOfTime)));
    return history;
  }

 private:
  struct Live {
    Label label;
    Tick deadline;  // as far as the author of the history knows
  };

  /// Many histories do not start at 0.
  void set_out(History& history) {
    if (random_.one_in(2)) return;
    now_ = random_.one_in(8) ? kEndOfTime - random_.up_to_bits(16) : random_.near_power(63);
    history.push_back(expire(at(now_)));
  }

  Operation next_operation() {
    if (std::exchange(interrupted_, random_.one_in(4) && interrupted_)) {
      return random_.one_in(2) ? expire(after(0)) : expire(after(0), random_.below(4));
    }
    if (random_.one_in(1024)) return move_queue();
    if (has_spells_ && spell_-- == 0) begin_spell();
    Verb verb = kVerbs[verbs_.draw(random_)];
    if (verb == Verb::insert && live_.size() > population_ && random_.one_in(2)) {
      verb = Verb::cancel;
    }
    if (verb == Verb::insert) return new_timer(0);
    if (verb == Verb::expire || live_.empty()) return step();
    if (happens(stale_)) {
      const Label label = any_label();
      return verb == Verb::cancel ? cancel(label) : rearm(label, deadline());
    }
    const Label label = take_live();
    if (verb == Verb::cancel) return cancel(label);
    const When when = deadline();
    note(label, when);
    return rearm(label, when);
  }

  /// For a while, some verbs are much more frequent than others. So queues see how a program
  /// cancels all its timers, or cancels none of them while time stands still.
  void begin_spell() {
    spell_ = random_.up_to_bits(10);
    verbs_ = Choice<kVerbs.size()>(random_);
  }

  /// `depth` counts the callbacks around the insertion.
  Operation new_timer(unsigned depth) {
    const Label label = next_label_++;
    const When when = deadline();
    note(label, when);
    Operation operation = insert(label, when);
    if (happens(callbacks_)) operation.on_expiry = deeds(label, depth, true);
    if (happens(destructors_)) operation.on_destruction = deeds(label, depth, false);
    return operation;
  }

  /// Draws what a callback or a destructor does.
  std::vector<Operation> deeds(Label self, unsigned depth, bool in_callback) {
    std::vector<Operation> list;
    for (auto count = 1 + random_.below(3); count > 0; --count) {
      switch (random_.below(8)) {
        case 0:
        case 1:
          if (depth < 2) list.push_back(new_timer(depth + 1));
          break;
        case 2:
        case 3:
          list.push_back(cancel(some_label()));
          break;
        case 4:
        case 5: {
          const Label label = some_label();
          list.push_back(rearm(label, deadline()));
          break;
        }
        case 6:
          list.push_back(random_.one_in(2) ? cancel(self) : rearm(self, deadline()));
          break;
        default:
          list.push_back(expire(after(random_.below(span_))));
          break;
      }
    }
    if (in_callback && happens(throws_)) list.push_back(throws());
    return list;
  }

  When deadline() {
    switch (delays_.draw(random_)) {
      case 0:
        return after(random_.below(4));
      case 1:
        return after(1 + random_.below(span_));
      case 2:
        return after(random_.near_power(delay_bits_));
      case 3: {
        // Around the next edge of a level.
        const Tick edge = now_ | ((Tick{1} << random_.below(delay_bits_)) - 1);
        return at(edge + random_.below(3));
      }
      case 4:
        return after(random_.up_to_bits(delay_bits_));
      case 5:
        return live_.empty() ? after(1) : at(some_live().deadline);
      case 6:
        return at(now_ - std::min(now_, random_.below(span_)));
      default:
        return random_.one_in(4) ? at(kEndOfTime - random_.below(4)) : after(1);
    }
  }

  Operation step() {
    When when = after(1);
    switch (steps_.draw(random_)) {
      case 0:
        when = after(1 + random_.below(span_));
        break;
      case 1:
        when = after(random_.up_to_bits(step_bits_));
        break;
      case 2:
        if (random_.one_in(8)) when = at(now_ - std::min(now_, random_.below(3)));
        break;
      case 3:
      case 4:
        if (!live_.empty()) {
          const Tick edge = some_live().deadline;
          when = at(edge + random_.below(3) - 1);
        }
        break;
      default:
        break;
    }
    // A deadline that is too far away would use up the rest of time.
    if (!when.relative && when.ticks > now_ && when.ticks - now_ > Tick{1} << step_bits_) {
      when = after(Tick{1} << random_.below(step_bits_));
    }
    now_ = std::max(now_, tick(when));
    if (!happens(limits_)) return expire(when);
    interrupted_ = random_.one_in(2);
    return expire(when, random_.one_in(4) ? random_.below(256) : random_.below(4));
  }

  /// A label of a timer that is pending, is gone or does not exist yet.
  Label any_label() { return static_cast<Label>(random_.below(std::uint64_t{next_label_} + 1)); }

  /// The label of a timer that is pending, as far as the author knows; sometimes of another one.
  Label some_label() { return happens(stale_) || live_.empty() ? any_label() : some_live().label; }

  Label take_live() {
    Live& live = some_live();
    const Label label = live.label;
    live = live_.back();
    live_.pop_back();
    return label;
  }

  void note(Label label, When deadline) {
    live_.push_back({label, std::max(tick(deadline), now_ + 1)});
  }

  /// One of the timers that are pending, as far as the author knows. Drops some that are not from
  /// the list.
  Live& some_live() {
    for (int tries = 0;; ++tries) {
      Live& live = live_[random_.below(live_.size())];
      if (live.deadline > now_ || tries == 4 || live_.size() == 1) return live;
      live = live_.back();
      live_.pop_back();
    }
  }

  bool happens(std::uint64_t once_in) { return once_in != 0 && random_.one_in(once_in); }

  Tick tick(When when) const {
    if (!when.relative) return when.ticks;
    return when.ticks > kEndOfTime - now_ ? kEndOfTime : now_ + when.ticks;
  }

  using Verb = Operation::Verb;
  static constexpr std::array kVerbs = {Verb::insert, Verb::cancel, Verb::rearm, Verb::expire};

  Random random_;
  Choice<8> delays_;
  Choice<6> steps_;
  std::size_t length_;
  std::size_t population_;
  std::uint64_t span_;
  unsigned delay_bits_;
  unsigned step_bits_;
  std::uint64_t callbacks_;
  std::uint64_t destructors_;
  std::uint64_t throws_;
  std::uint64_t limits_;
  std::uint64_t stale_;
  bool has_spells_;

  Choice<kVerbs.size()> verbs_{{28, 8, 10, 18}};
  std::uint64_t spell_ = 0;  // how many operations of the spell are left
  Tick now_ = 0;
  bool interrupted_ = false;  // by a limit; then the next operation goes on with the pass
  Label next_label_ = 0;
  std::vector<Live> live_;
};

}  // namespace

History random_history(std::uint64_t seed, std::size_t max_length) {
  return Author(seed, max_length).write();
}

}  // namespace timers::conformance
