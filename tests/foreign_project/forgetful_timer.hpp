#pragma once

/// A timer service with a frequent mistake: its thread looks up the first deadline, releases the
/// lock, and sleeps. A producer that schedules in between wakes nobody.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace foreign {

class ForgetfulTimer {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<Clock::time_point, std::uint64_t>;

  ForgetfulTimer() : thread_([this] { work(); }) {}
  ~ForgetfulTimer() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  Key schedule(std::chrono::nanoseconds delay, std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    const Key key{Clock::now() + delay, ++last_number_};
    tasks_.emplace(key, std::move(task));
    changed_.notify_one();
    return key;
  }

  bool cancel(Key key) {
    const std::lock_guard lock(mutex_);
    return tasks_.erase(key) > 0;
  }

 private:
  void work() {
    while (!stopped_) {
      const Clock::time_point first = first_deadline();
      if (first > Clock::now()) {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, first);
      } else {
        run_first();
      }
    }
  }

  Clock::time_point first_deadline() {
    const std::lock_guard lock(mutex_);
    return tasks_.empty() ? Clock::now() + std::chrono::hours(1) : tasks_.begin()->first.first;
  }

  void run_first() {
    std::unique_lock lock(mutex_);
    if (tasks_.empty() || tasks_.begin()->first.first > Clock::now()) return;
    const auto first = tasks_.extract(tasks_.begin());
    lock.unlock();
    first.mapped()();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::function<void()>> tasks_;
  std::uint64_t last_number_ = 0;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace foreign
