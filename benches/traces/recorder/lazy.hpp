#pragma once

#include <atomic>
#include <memory>

namespace timers::recorder {

/// A value that is made when it is first needed, and then stays for ever. For any number of
/// threads.
///
/// Nobody waits for who makes it, as for a static of a function: a child that is forked while
/// another thread makes it would wait for ever. So several may make it, and one is kept.
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
