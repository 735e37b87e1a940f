// One of two threads waits for the first deadline. This need not be the thread that knows the
// deadline.
//
// A thread of gRPC looked up the next deadline. Before it slept, a timer with an earlier deadline
// came. The other thread was woken for it, and found the new deadline. But the first thread already
// waited, for the old one.
//
// Seen in: https://github.com/grpc/grpc/issues/11667
// Seen in: https://github.com/grpc/grpc/pull/11684
// Caught by: IsWokenForTheEarlierOfTwo

#include "tests/museum/real_time_exhibit.hpp"

namespace timers::museum {
namespace {

class WrongThreadWaits : public RightTimer {
 public:
  static constexpr int kThreads = 2;

  void work() override {
    Lock lock(mutex_);
    while (!stopped_) {
      while (first_deadline() <= Clock::now()) run_first(lock);
      const Clock::time_point first = first_deadline();
      lock.unlock();  // gRPC has one lock for the timers, and another lock for the threads.
      lock.lock();
      wait(lock, first);
    }
  }

 private:
  void came(const Key& key) override {
    if (key != tasks_.begin()->first) return;
    someone_waits_for_the_first_ = false;
    ++kicks_;
    changed_.notify_one();
  }

  void wait(Lock& lock, Clock::time_point first) {
    if (someone_waits_for_the_first_) return wait_until(lock, kNever);
    someone_waits_for_the_first_ = true;
    const int kicks = kicks_;
    wait_until(lock, first);
    if (kicks == kicks_) someone_waits_for_the_first_ = false;
  }

  bool someone_waits_for_the_first_ = false;
  int kicks_ = 0;
};

const RealTimeExhibit<WrongThreadWaits> wrong_thread_waits;

}  // namespace
}  // namespace timers::museum
