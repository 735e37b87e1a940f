#include <timerbench/impls/queues/lazy_wheel.hpp>

int main() {
  timers::LazyWheel<int> queue;
  queue.insert(10, 1);
  return queue.expire(10, [](timers::Tick, int) {}) == 1 ? 0 : 1;
}
