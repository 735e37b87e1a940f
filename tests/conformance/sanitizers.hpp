#pragma once

/// Whether this program runs under a sanitizer, and which share of a long test then runs.

namespace timers::conformance {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif
#else
inline constexpr bool kThreadSanitized = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif

/// How many cases of `all` a long test goes through. A sanitizer slows a test down ten to twenty
/// times, so it gets a small share. Memory errors and races show in a small share, too. The build
/// without a sanitizer runs all cases, and finds the errors that only a few cases show.
template <class Number>
constexpr Number share_of(Number all) {
  return kSanitized ? all / 20 : all;
}

}  // namespace timers::conformance
