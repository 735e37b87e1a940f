#pragma once

/// A thread of a program whose threads take turns: it continues when another one hands over to it.
///
/// All fibers live on one thread of the system. Each has its own stack, thread-local variables and
/// exceptions in flight, so the code on it does not see the difference. A hand-over costs some ten
/// nanoseconds. Between threads of the system it would cost microseconds.

#include <array>
#include <csetjmp>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace timers {

class Fiber {
 public:
  /// Represents the thread of the system, which hands over first.
  Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Begins a thread. It runs `body` when somebody hands over to it for the first time. When `body`
  /// has returned, the thread-local variables are destroyed. Then `last` is called, which hands
  /// over for the last time. After that the fiber may begin again.
  void begin(std::function<void()> body, std::function<void()> last);

  /// Hands over to `next`. Returns when somebody hands over to this one.
  void hand_over_to(Fiber& next);

  /// Call it in a fiber that had handed over, and to which a jump has returned.
  void come_back() { restore(); }

  /// Registers the destructor of a thread-local variable, which is called at the end of the fiber.
  void at_end(void (*destroy)(void*), void* object);

 private:
  struct Stack;
  struct AtEnd {
    void (*destroy)(void*);
    void* object;
  };
  /// The exceptions of a thread in the C++ ABI: the list of caught ones, and the number of uncaught
  /// ones.
  using Exceptions = std::array<std::byte, sizeof(void*) + sizeof(unsigned)>;

  static void enter();
  void save();
  void restore();

  std::unique_ptr<Stack> stack_;  // nullptr for the thread of the system
  std::function<void()> body_;
  std::function<void()> last_;
  bool begun_ = false;
  std::jmp_buf place_{};
  std::vector<std::byte> thread_locals_;
  Exceptions exceptions_{};
  std::vector<AtEnd> at_end_;
};

}  // namespace timers
