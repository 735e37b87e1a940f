#pragma once

/// A function with a stack of its own. Each `enter` continues where the function left before.
///
///     Fiber fiber([](Fiber& self) { one(); self.leave(); other(); });
///     fiber.enter();    // one
///     fiber.enter();    // other; then it is over
///
/// Real threads that take turns could do the same. But to wake a thread takes some microseconds,
/// and to enter a fiber takes some hundred nanoseconds. A test with a hundred thousand runs needs
/// that. The sanitizers are told of each change of the stack.

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

// Functions of the sanitizers, if the program has them.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" [[gnu::weak]] void __sanitizer_start_switch_fiber(void** kept, const void* bottom,
                                                             std::size_t bytes);
extern "C" [[gnu::weak]] void __sanitizer_finish_switch_fiber(void* kept, const void** bottom,
                                                              std::size_t* bytes);
extern "C" [[gnu::weak]] void* __tsan_get_current_fiber();
extern "C" [[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
extern "C" [[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
extern "C" [[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
// NOLINTEND(readability-identifier-naming)

namespace timers {

class Fiber {
 public:
  /// `body` must not throw. If the fiber is destroyed in the middle of it, the rest never runs.
  explicit Fiber(std::function<void(Fiber&)> body) : body_(std::move(body)) {
    if (__tsan_create_fiber != nullptr) tsan_self_ = __tsan_create_fiber(0);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() {
    if (__tsan_destroy_fiber != nullptr) __tsan_destroy_fiber(tsan_self_);
  }

  /// Continues `body` until it leaves or ends. If it has ended, begins it anew.
  void enter() {
    if (!has_begun_) begin();
    if (__tsan_get_current_fiber != nullptr) tsan_outer_ = __tsan_get_current_fiber();
    void* kept = nullptr;
    if (__sanitizer_start_switch_fiber != nullptr) {
      __sanitizer_start_switch_fiber(&kept, stack_.get(), kBytes);
    }
    if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(tsan_self_, 0);
    swapcontext(&outer_, &self_);
    if (__sanitizer_finish_switch_fiber != nullptr) {
      __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
    }
  }

  /// For `body` only: goes back to the code that entered the fiber.
  void leave() {
    void* kept = nullptr;
    if (__sanitizer_start_switch_fiber != nullptr) {
      __sanitizer_start_switch_fiber(&kept, outer_bottom_, outer_bytes_);
    }
    if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(tsan_outer_, 0);
    swapcontext(&self_, &outer_);
    arrive(kept);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 18;

  void begin() {
    getcontext(&self_);
    self_.uc_stack.ss_sp = stack_.get();
    self_.uc_stack.ss_size = kBytes;
    self_.uc_link = nullptr;
    begins_ = this;
    makecontext(&self_, &run, 0);
    has_begun_ = true;
  }

  static void run() {
    Fiber& self = *begins_;
    self.arrive(nullptr);
    for (;;) {
      self.body_(self);
      self.leave();
    }
  }

  void arrive(void* kept) {
    if (__sanitizer_finish_switch_fiber != nullptr) {
      __sanitizer_finish_switch_fiber(kept, &outer_bottom_, &outer_bytes_);
    }
  }

  static inline thread_local Fiber* begins_ = nullptr;

  std::function<void(Fiber&)> body_;
  std::unique_ptr<std::byte[]> stack_ = std::make_unique_for_overwrite<std::byte[]>(kBytes);
  bool has_begun_ = false;
  ucontext_t self_{};
  ucontext_t outer_{};
  const void* outer_bottom_ = nullptr;
  std::size_t outer_bytes_ = 0;
  void* tsan_self_ = nullptr;
  void* tsan_outer_ = nullptr;
};

}  // namespace timers
