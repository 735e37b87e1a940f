#pragma once

/// A timer service of a project that does not know Timerbench: on std::thread and the real clock.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace foreign {

class StdTimer {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<Clock::time_point, std::uint64_t>;

  StdTimer() : thread_([this] { work(); }) {}
  ~StdTimer() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  Key schedule(std::chrono::nanoseconds delay, std::function<void()> task) {
    const auto now = Clock::now();
    const auto longest = Clock::time_point::max() - now;
    const std::lock_guard lock(mutex_);
    const Key key{now + std::min(delay, longest), ++last_number_};
    tasks_.emplace(key, std::move(task));
    changed_.notify_one();
    return key;
  }

  bool cancel(Key key) {
    std::function<void()> dies_without_the_lock;
    const std::lock_guard lock(mutex_);
    const auto found = tasks_.find(key);
    if (found == tasks_.end()) return false;
    dies_without_the_lock = std::move(found->second);
    tasks_.erase(found);
    return true;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      if (tasks_.empty()) {
        changed_.wait(lock);
      } else if (const auto first = tasks_.begin()->first.first; first > Clock::now()) {
        // The standard library of gcc adds the span to the time of another clock. This must not
        // overflow.
        changed_.wait_until(lock, std::min(first, Clock::now() + std::chrono::hours(1)));
      } else {
        run_first(lock);
      }
    }
  }

  void run_first(std::unique_lock<std::mutex>& lock) {
    auto first = tasks_.extract(tasks_.begin());
    lock.unlock();
    try {
      first.mapped()();
    } catch (...) {
    }
    first = {};
    lock.lock();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::function<void()>> tasks_;
  std::uint64_t last_number_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace foreign
