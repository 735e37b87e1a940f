#pragma once

/// Calls what `take_due` was given, from callbacks of libraries that know its type no more.

namespace timers {

template <class Timer>
class Taker {
 public:
  Taker() = default;
  /// Calls `take`, which must live as long.
  template <class Take>
  explicit Taker(Take& take) : take_(&take), call_(&call<Take>) {}

  void operator()(Timer& timer) const { call_(take_, timer); }

 private:
  template <class Take>
  static void call(void* take, Timer& timer) {
    (*static_cast<Take*>(take))(timer);
  }

  void* take_ = nullptr;
  void (*call_)(void* take, Timer& timer) = nullptr;
};

}  // namespace timers
