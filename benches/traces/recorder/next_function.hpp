#pragma once

/// The function of a library that ours stands before.

namespace timers::recorder {

/// Where the program would find it if we were not there. Null if it would not.
void* find_next(const char* name);

template <class Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(find_next(name));
}

/// The addresses of a shared library.
class LibraryOf {
 public:
  explicit LibraryOf(const void* function);

  /// Whether the library itself made the call that will return to there.
  bool calls_from(const void* return_address) const {
    return begin_ <= return_address && return_address < end_;
  }

 private:
  const void* begin_ = nullptr;
  const void* end_ = nullptr;
};

}  // namespace timers::recorder
