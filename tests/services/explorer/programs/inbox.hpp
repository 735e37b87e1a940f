#pragma once

/// Programs for the explorer, in which two threads use an inbox. The nodes are letters: the first
/// thread puts in letters 0 to 2, the second one letters 3 to 5.

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "tests/services/explorer/explorer.hpp"

namespace timers::programs {

/// The content and the link of a letter are not atomic.
struct Letter {
  Checked<Letter*> next_in_inbox = nullptr;
  Checked<bool> is_written = false;
};

using Numbers = std::vector<std::size_t>;

inline Numbers joined(Numbers one, const Numbers& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

/// Six letters and an inbox.
template <template <class, template <class> class> class InboxType>
class Office {
 protected:
  void push(std::size_t number) {
    letters_[number].is_written = true;
    counts_[number] = inbox_.push(&letters_[number]);
  }
  bool accepted(std::size_t number) const { return counts_[number] > 0; }

  Numbers take_all() { return numbers(inbox_.take_all()); }
  Numbers close() { return numbers(inbox_.close()); }

  /// Whether these are the letters that were accepted, each once, and in order for each thread.
  bool are_all(Numbers taken) const {
    Numbers all;
    for (std::size_t number = 0; number < 6; ++number) {
      if (accepted(number)) all.push_back(number);
    }
    std::stable_partition(taken.begin(), taken.end(),
                          [](std::size_t number) { return number < 3; });
    return taken == all;
  }
  /// Whether the count of each accepted letter is right, if no letter was taken meanwhile.
  bool counted_on() const {
    auto counts = counts_;
    std::sort(counts.begin(), counts.end());
    std::array<std::size_t, 6> right{};
    std::iota(right.begin(), right.end(), 1);
    return counts == right;
  }

 private:
  /// The numbers of the letters in a list. If the list is a cycle, they are more than six. A letter
  /// that is not written has the number 6.
  Numbers numbers(const Letter* letter) {
    Numbers found;
    for (; letter != nullptr && found.size() <= 6; letter = letter->next_in_inbox) {
      const auto number = static_cast<std::size_t>(letter - letters_.data());
      found.push_back(letter->is_written ? number : letters_.size());
    }
    return found;
  }

  std::array<Letter, 6> letters_;
  std::array<std::size_t, 6> counts_{};
  InboxType<Letter, StepwiseAtomic> inbox_;
};

template <template <class, template <class> class> class InboxType>
struct TwoProducers : Office<InboxType> {
  void first() {
    for (const std::size_t number : Numbers{0, 1, 2}) this->push(number);
  }
  void second() {
    for (const std::size_t number : Numbers{3, 4, 5}) this->push(number);
  }
  std::string fault() {
    if (!this->are_all(this->take_all())) return "letters are lost, doubled or out of order";
    return this->counted_on() ? "" : "letters are miscounted";
  }
};

template <template <class, template <class> class> class InboxType>
struct ProducerAndReader : Office<InboxType> {
  Numbers taken;
  void first() {
    for (const std::size_t number : Numbers{0, 1, 2}) this->push(number);
  }
  void second() {
    for (int i = 0; i < 3; ++i) taken = joined(taken, this->take_all());
  }
  std::string fault() {
    if (!this->accepted(0) || !this->accepted(1) || !this->accepted(2))
      return "a letter is refused";
    return this->are_all(joined(taken, this->take_all())) ? "" : "letters are lost or doubled";
  }
};

template <template <class, template <class> class> class InboxType>
struct ProducerAndCloser : Office<InboxType> {
  Numbers taken;
  void first() {
    for (const std::size_t number : Numbers{0, 1, 2}) this->push(number);
  }
  void second() {
    taken = this->take_all();
    taken = joined(taken, this->take_all());
    taken = joined(taken, this->close());
  }
  std::string fault() {
    if (this->accepted(1) > this->accepted(0) || this->accepted(2) > this->accepted(1)) {
      return "a letter is accepted after the close";
    }
    if (!this->are_all(taken)) return "a letter is neither refused nor taken";
    return this->close().empty() ? "" : "a letter comes after the close";
  }
};

/// A producer that is refused sees all that was done before the inbox was closed.
template <template <class, template <class> class> class InboxType>
struct RefusedByCloser : Office<InboxType> {
  Checked<int> done_before = 0;
  bool is_known = true;
  void first() {
    for (const std::size_t number : Numbers{0, 1, 2}) {
      this->push(number);
      if (!this->accepted(number)) is_known = is_known && done_before == 1;
    }
  }
  void second() {
    done_before = 1;
    this->close();
  }
  std::string fault() const { return is_known ? "" : "a refused letter knows not of the close"; }
};

template <template <class, template <class> class> class InboxType>
struct TwoClosers : Office<InboxType> {
  Numbers taken_by_first;
  Numbers taken_by_second;
  void first() {
    for (const std::size_t number : Numbers{0, 1}) this->push(number);
    taken_by_first = this->close();
  }
  void second() {
    for (const std::size_t number : Numbers{3, 4}) this->push(number);
    taken_by_second = this->close();
  }
  std::string fault() {
    return this->are_all(joined(taken_by_first, taken_by_second))
               ? ""
               : "a letter is neither refused nor taken once";
  }
};

/// One thread takes all letters. The other one closes the inbox.
template <template <class, template <class> class> class InboxType>
struct ReaderAndCloser : Office<InboxType> {
  Numbers taken_by_first;
  Numbers taken_by_second;
  void first() {
    for (const std::size_t number : Numbers{0, 1}) this->push(number);
    taken_by_first = this->take_all();
  }
  void second() {
    this->push(3);
    taken_by_second = this->close();
  }
  std::string fault() {
    if (!this->are_all(joined(taken_by_first, taken_by_second))) {
      return "a letter is neither refused nor taken once";
    }
    this->push(5);
    return this->accepted(5) ? "an inbox that was closed is open again" : "";
  }
};

}  // namespace timers::programs
