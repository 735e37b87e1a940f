#pragma once

/// Finds the function of a library that our function of the same name hides.

#include <array>
#include <cstdint>

#include "benches/traces/recorder/lazy.hpp"

namespace timers::recorder {

/// The function that the program would find without us. nullptr if there is none.
void* find_next(const char* name);

/// The same, looked up once.
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

/// The library that contains a function.
class LibraryOf {
 public:
  constexpr explicit LibraryOf(const char* function) : function_(function) {}

  /// Whether the library made the call that returns to this address. If the call was its last step
  /// (a tail call), it returns to us, because the program called us.
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
