#pragma once

/// The function of a library that ours stands before.

#include <cstdint>

namespace timers::recorder {

/// Where the program would find it if we were not there. Null if it would not.
void* find_next(const char* name);

template <class Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(find_next(name));
}

/// The library that a function is in.
class LibraryOf {
 public:
  explicit LibraryOf(const void* function);

  /// Whether it made the call that will return to there. If it did so as its last step, the call
  /// returns to us, whom the program called.
  bool made(const void* return_address) const;

 private:
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace timers::recorder
