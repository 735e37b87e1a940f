#pragma once

/// Lets the kit define functions of the system anew, and still call the original ones.
///
/// ThreadSanitizer does the same with many of them. Under it they cannot be hidden once more.

#include <dlfcn.h>

#if defined(__SANITIZE_THREAD__)
#define TIMERBENCH_CALLS_CAN_BE_HIDDEN 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TIMERBENCH_CALLS_CAN_BE_HIDDEN 0
#else
#define TIMERBENCH_CALLS_CAN_BE_HIDDEN 1
#endif
#else
#define TIMERBENCH_CALLS_CAN_BE_HIDDEN 1
#endif

namespace timers::real_time {

/// The function of the system that a function of the kit with the same name hides.
template <class Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace timers::real_time
