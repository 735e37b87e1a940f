// The functions that compilers and libraries call where a thread makes a step. If the thread
// belongs to a run, it waits there for its turn.
//
// A source that is compiled for ThreadSanitizer calls __tsan_... at each access to memory. Here
// these calls lead to the turns of the threads, and not to the sanitizer, which is not linked. So a
// service is explored with its real code. Accesses to plain memory are no steps.

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/services/schedules/turns.hpp"

using timers::schedules::Turns;

namespace {

void stand(const char* what, const volatile void* object, bool writes, const void* place) {
  if (Turns* const turns = Turns::here()) {
    turns->stand({.what = what,
                  .object = const_cast<const void*>(object),
                  .writes = writes,
                  .place = place});
  }
}

/// The function of this name in the next library, which would be called without ours.
template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses,performance-no-int-to-ptr,readability-identifier-naming)
#define PLACE __builtin_return_address(0)

#define ATOMICS(bits, Value)                                                                      \
  extern "C" Value __tsan_atomic##bits##_load(const volatile Value* at, int) {                    \
    stand("load", at, false, PLACE);                                                              \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                               \
  extern "C" void __tsan_atomic##bits##_store(volatile Value* at, Value value, int) {             \
    stand("store", at, true, PLACE);                                                              \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                \
  }                                                                                               \
  extern "C" Value __tsan_atomic##bits##_exchange(volatile Value* at, Value value, int) {         \
    stand("exchange", at, true, PLACE);                                                           \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                      \
  }                                                                                               \
  extern "C" Value __tsan_atomic##bits##_fetch_add(volatile Value* at, Value value, int) {        \
    stand("fetch_add", at, true, PLACE);                                                          \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  extern "C" Value __tsan_atomic##bits##_fetch_sub(volatile Value* at, Value value, int) {        \
    stand("fetch_sub", at, true, PLACE);                                                          \
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  extern "C" Value __tsan_atomic##bits##_fetch_and(volatile Value* at, Value value, int) {        \
    stand("fetch_and", at, true, PLACE);                                                          \
    return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  extern "C" Value __tsan_atomic##bits##_fetch_or(volatile Value* at, Value value, int) {         \
    stand("fetch_or", at, true, PLACE);                                                           \
    return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                               \
  extern "C" Value __tsan_atomic##bits##_fetch_xor(volatile Value* at, Value value, int) {        \
    stand("fetch_xor", at, true, PLACE);                                                          \
    return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                               \
  extern "C" int __tsan_atomic##bits##_compare_exchange_strong(                                   \
      volatile Value* at, Value* expected, Value value, int, int) {                               \
    stand("compare_exchange", at, true, PLACE);                                                   \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,              \
                                       __ATOMIC_SEQ_CST);                                         \
  }                                                                                               \
  extern "C" int __tsan_atomic##bits##_compare_exchange_weak(volatile Value* at, Value* expected, \
                                                             Value value, int, int) {             \
    stand("compare_exchange", at, true, PLACE);                                                   \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,              \
                                       __ATOMIC_SEQ_CST);                                         \
  }                                                                                               \
  extern "C" Value __tsan_atomic##bits##_compare_exchange_val(volatile Value* at, Value expected, \
                                                              Value value, int, int) {            \
    stand("compare_exchange", at, true, PLACE);                                                   \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                              \
  }

ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)

extern "C" void __tsan_atomic_thread_fence(int) {}
extern "C" void __tsan_atomic_signal_fence(int) {}
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void**, void*) {}
extern "C" void __tsan_vptr_read(void**) {}
extern "C" void __tsan_read_range(void*, std::size_t) {}
extern "C" void __tsan_write_range(void*, std::size_t) {}
extern "C" void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  return std::memcpy(to, from, size);
}
extern "C" void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  return std::memmove(to, from, size);
}
extern "C" void* __tsan_memset(void* to, int byte, std::size_t size) {
  return std::memset(to, byte, size);
}

#define PLAIN(bytes)                                           \
  extern "C" void __tsan_read##bytes(void*) {}                 \
  extern "C" void __tsan_write##bytes(void*) {}                \
  extern "C" void __tsan_read_write##bytes(void*) {}           \
  extern "C" void __tsan_unaligned_read##bytes(void*) {}       \
  extern "C" void __tsan_unaligned_write##bytes(void*) {}      \
  extern "C" void __tsan_unaligned_read_write##bytes(void*) {} \
  extern "C" void __tsan_volatile_read##bytes(void*) {}        \
  extern "C" void __tsan_volatile_write##bytes(void*) {}

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

// Mutexes, and all other functions that wait. Threads that belong to no run call the library's
// function.

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (Turns* const turns = Turns::here()) {
    turns->lock(mutex, PLACE);
    return 0;
  }
  static auto* const lock = next_of<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return lock(mutex);
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (Turns* const turns = Turns::here()) {
    turns->unlock(mutex);
    return 0;
  }
  static auto* const unlock = next_of<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  return unlock(mutex);
}

extern "C" int sched_yield() noexcept {
  if (Turns* const turns = Turns::here()) {
    turns->yield(PLACE);
    return 0;
  }
  static auto* const yield = next_of<int()>("sched_yield");
  return yield();
}

extern "C" pthread_t pthread_self() noexcept {
  if (const Turns* const turns = Turns::here()) {
    return reinterpret_cast<pthread_t>(turns->identity());
  }
  static auto* const self = next_of<pthread_t()>("pthread_self");
  return self();
}

/// A wait for a futex ends when the word has another value. The thread that changes the word need
/// not wake it.
extern "C" long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  Turns* const turns = Turns::here();
  if (turns != nullptr && number == SYS_futex) {
    const auto* const word = reinterpret_cast<const int*>(arguments[0]);
    const auto value = static_cast<int>(arguments[2]);
    const long verb = arguments[1] & FUTEX_CMD_MASK;
    if (verb == FUTEX_WAIT || verb == FUTEX_WAIT_BITSET) {
      turns->stand_until(
          {.what = "wait for a futex", .object = word, .place = PLACE},
          [word, value] { return __atomic_load_n(word, __ATOMIC_SEQ_CST) != value; });
    }
    return 0;
  }
  static auto* const call = next_of<long(long, ...)>("syscall");
  return call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
              arguments[5]);
}

extern "C" int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) noexcept {
  if (Turns* const turns = Turns::here()) {
    turns->at_end_of_thread(destroy, object);
    return 0;
  }
  static auto* const at_exit = next_of<int(void (*)(void*), void*, void*)>("__cxa_thread_atexit");
  return at_exit(destroy, object, library);
}
// NOLINTEND(bugprone-macro-parentheses,performance-no-int-to-ptr,readability-identifier-naming)
