#pragma once

/// Threads that call a service at the same time, again and again.
///
/// The threads stay the same while a service is measured, as in a real program: each finds the
/// memory again that it freed.

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "benches/harness/services/processor_time.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// A part of the calls.
struct Part {
  std::size_t first;
  std::size_t end;

  std::size_t size() const { return end - first; }

  /// The part of number `sharer`, if `sharers` threads share this part.
  Part share(std::size_t sharer, std::size_t sharers) const {
    return {first + size() * sharer / sharers, first + size() * (sharer + 1) / sharers};
  }
};

/// The time from the beginning to the end of a producer's calls, and its processor time.
struct Stint {
  Instant begin;
  Instant end;
  double processor_seconds;
};

template <class ClockType>
class Producers {
 public:
  Producers(ClockType& clock, std::size_t count) : clock_(clock), stints_(count) {
    for (std::size_t producer = 0; producer < count; ++producer) {
      threads_.emplace_back([this, producer] { serve(producer); });
    }
  }
  Producers(const Producers&) = delete;
  Producers& operator=(const Producers&) = delete;
  ~Producers() { hand_out(nullptr); }

  std::size_t count() const { return stints_.size(); }

  /// Lets each producer run `body(producer)`. None begins before all are ready. The bodies must not
  /// throw.
  template <class Body>
  const std::vector<Stint>& run(const Body& body) {
    const std::function<void(std::size_t)> work = std::cref(body);
    hand_out(&work);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return at_work_ == 0; });
    return stints_;
  }

  /// The processor time of all producers since they began. It is exact while they sleep.
  double processor_seconds() {
    double sum = 0;
    for (std::jthread& thread : threads_) {
      clockid_t clock{};
      const int error = pthread_getcpuclockid(thread.native_handle(), &clock);
      if (error != 0) throw std::system_error(error, std::system_category());
      sum += seconds_of(clock);
    }
    return sum;
  }

 private:
  using Work = std::function<void(std::size_t)>;

  /// nullptr ends the threads.
  void hand_out(const Work* work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = work;
      ++handed_out_;
      at_work_ = count();
      still_to_come_.store(count(), std::memory_order_relaxed);
    }
    changed_.notify_all();
  }

  const Work* next_work(std::size_t done) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return handed_out_ > done; });
    return work_;
  }

  void serve(std::size_t producer) {
    for (std::size_t done = 0; const Work* const work = next_work(done); ++done) {
      still_to_come_.fetch_sub(1);
      while (still_to_come_.load() > 0) std::this_thread::yield();
      const double before = thread_seconds();
      const Instant begin = clock_.now();
      (*work)(producer);
      const Instant end = clock_.now();
      stints_[producer] = {begin, end, thread_seconds() - before};
      leave();
    }
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    if (--at_work_ == 0) changed_.notify_all();
  }

  ClockType& clock_;
  std::vector<Stint> stints_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const Work* work_ = nullptr;
  std::size_t handed_out_ = 0;
  std::size_t at_work_ = 0;
  std::atomic<std::size_t> still_to_come_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace timers::benches
