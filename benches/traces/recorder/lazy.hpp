#pragma once

#include <atomic>
#include <memory>

namespace timers::recorder {

/// A value that is made when it is first needed, and then stays for ever. Any number of threads may
/// use it.
///
/// No thread waits until another one has made it. With a static variable of a function it would
/// wait: a child that was forked meanwhile does not have the other thread, and would wait for ever.
/// So several threads may make the value, and the first one is kept.
template <class Value>
class Lazy {
 public:
  template <class Make>
  const Value& get(const Make& make) {
    if (const Value* const made = made_.load(std::memory_order_acquire)) return *made;
    auto mine = std::make_unique<const Value>(make());
    const Value* first = nullptr;
    if (!made_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) return *first;
    return *mine.release();
  }

 private:
  std::atomic<const Value*> made_ = nullptr;
};

}  // namespace timers::recorder
