#pragma once

/// Calls the `take` of `take_due` from callbacks of libraries, which do not know its type.

namespace timers {

template <class Timer>
class Taker {
 public:
  Taker() = default;
  /// Calls `take`, which must outlive this object.
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
