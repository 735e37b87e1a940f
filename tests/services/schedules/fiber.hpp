#pragma once

/// A thread of a program whose threads take turns: it goes on when another one hands over to it.
///
/// All fibers live on one thread of the system. Each has a stack, thread-local variables and
/// exceptions in flight of its own, so the code that runs on it does not see the difference. To
/// hand over costs some ten nanoseconds. Threads of the system would take microseconds.

#include <array>
#include <csetjmp>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace timers {

class Fiber {
 public:
  /// The thread of the system, as the one that hands over first.
  Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Begins a thread: it runs `body` when somebody hands over to it the first time. When the body
  /// has returned, the thread-local variables are destroyed, and then `last` is called. That hands
  /// over for the last time. A fiber may begin again when that is done.
  void begin(std::function<void()> body, std::function<void()> last);

  /// Hands over to `next`. Returns when somebody hands over to this one.
  void hand_over_to(Fiber& next);

  /// For one that had handed over, and is here again by a jump.
  void come_back() { restore(); }

  /// The destructor of a thread-local variable, to be called at the end of the fiber.
  void at_end(void (*destroy)(void*), void* object);

 private:
  struct Stack;
  struct AtEnd {
    void (*destroy)(void*);
    void* object;
  };
  /// As the C++ ABI has them for each thread: those caught, and the number of the others.
  using Exceptions = std::array<std::byte, sizeof(void*) + sizeof(unsigned)>;

  static void enter();
  void save();
  void restore();

  std::unique_ptr<Stack> stack_;  // none for the thread of the system
  std::function<void()> body_;
  std::function<void()> last_;
  bool begun_ = false;
  std::jmp_buf place_{};
  std::vector<std::byte> thread_locals_;
  Exceptions exceptions_{};
  std::vector<AtEnd> at_end_;
};

}  // namespace timers
