#pragma once

/// The function of a library that ours stands before.

#include <array>
#include <cstdint>

#include "benches/traces/recorder/lazy.hpp"

namespace timers::recorder {

/// Where the program would find it if we were not there. Null if it would not.
void* find_next(const char* name);

/// The same, found once.
///
///     static constinit NextFunction<int(event*)> next("event_del");
///     return next(address);
template <class Function>
class NextFunction {
 public:
  constexpr explicit NextFunction(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }

  Function* get() {
    return found_.get([this] { return reinterpret_cast<Function*>(find_next(name_)); });
  }

 private:
  const char* name_;
  Lazy<Function*> found_;
};

/// The library that has a function.
class LibraryOf {
 public:
  constexpr explicit LibraryOf(const char* function) : function_(function) {}

  /// Whether it made the call that will return to there. If it did so as its last step, the call
  /// returns to us, whom the program called.
  bool made(const void* return_address);

 private:
  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  struct Search;

  static Range around(const void* address);

  const char* function_;
  Lazy<std::array<Range, 2>> its_and_ours_;
};

}  // namespace timers::recorder
