#pragma once

/// What a test did last, for its failure message: "insert 1 at 5, expire to 5, 1 runs".
///
/// A note costs next to nothing. The text is made only when somebody asks for it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace timers::conformance {

class Journal {
 public:
  /// `words` formats the time of a deed, which is a tick or a span.
  explicit Journal(std::string (*words)(std::uint64_t)) : words_of_time_(words) {}

  /// "stop"
  void note(const char* verb) { add({verb, false, 0, "", 0}); }
  /// "cancel 1"
  void note(const char* verb, std::uint64_t timer) { add({verb, true, timer, "", 0}); }
  /// "expire to 5"
  void note_time(const char* verb, std::uint64_t time) { add({verb, false, 0, " ", time}); }
  /// "insert 1 at 5"
  void note(const char* verb, std::uint64_t timer, const char* preposition, std::uint64_t time) {
    add({verb, true, timer, preposition, time});
  }

  /// The last deeds, in lines of at most 100 characters that begin with "history:".
  std::string text() const {
    constexpr std::size_t kWidth = 100;
    std::string history = "history:  ";
    std::size_t column = history.size();
    const std::size_t first = count_ - std::min(count_, kKept);
    if (first > 0) append(history, column, kWidth, "... (" + std::to_string(first) + " before), ");
    for (std::size_t i = first; i < count_; ++i) {
      append(history, column, kWidth, words_of(deeds_[i % kKept]) + (i + 1 < count_ ? ", " : ""));
    }
    if (count_ == 0) history += "nothing was done";
    return history;
  }

 private:
  static constexpr std::size_t kKept = 24;

  struct Deed {
    const char* verb;
    bool has_timer;
    std::uint64_t timer;
    const char* preposition;  // "" if the deed has no time
    std::uint64_t time;
  };

  void add(const Deed& deed) { deeds_[count_++ % kKept] = deed; }

  std::string words_of(const Deed& deed) const {
    std::string words = deed.verb;
    if (deed.has_timer) words += " " + std::to_string(deed.timer);
    if (*deed.preposition == '\0') return words;
    return words + deed.preposition + words_of_time_(deed.time);
  }

  /// Begins a new line where the old one is full.
  static void append(std::string& text, std::size_t& column, std::size_t width,
                     const std::string& words) {
    constexpr std::size_t kIndent = 10;
    if (column > kIndent && column + words.size() > width + 1) {
      text.pop_back();
      text += '\n' + std::string(kIndent, ' ');
      column = kIndent;
    }
    text += words;
    column += words.size();
  }

  std::string (*words_of_time_)(std::uint64_t);
  std::array<Deed, kKept> deeds_{};
  std::size_t count_ = 0;
};

}  // namespace timers::conformance
