#pragma once

/// Functions of the system that the kit defines anew, to pass on to them.
///
/// ThreadSanitizer does the same with many of them. There they cannot be hidden once more.

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

/// The function of the system that is hidden by one of the same name here.
template <class Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace timers::real_time
