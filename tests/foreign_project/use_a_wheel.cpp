// Uses one of Timerbench's queues.

#include <iostream>
#include <string>
#include <timerbench/impls/queues/hierarchical_wheel.hpp>

int main() {
  timers::HierarchicalWheel<std::string> queue;
  const auto idle = queue.insert(60'000, "close the idle connection");
  queue.insert(2'000, "retry the request");
  queue.rearm(idle, 90'000);
  std::size_t ran = 0;
  for (const timers::Tick now :
       {timers::Tick{1'000}, timers::Tick{61'000}, timers::Tick{100'000}}) {
    ran += queue.expire(now, [now](timers::Tick deadline, const std::string& task) {
      std::cout << now << ": " << task << ", due at " << deadline << '\n';
    });
  }
  return ran == 2 && queue.size() == 0 ? 0 : 1;
}
