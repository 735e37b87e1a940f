#pragma once

/// How to put a service into the museum whose bug needs threads and a real clock.
///
///     // It runs each task an hour early.
///     class IsEarly : public RightTimer {
///       void sleep_until(Lock&, Clock::time_point) override {}
///       …
///     };
///     const RealTimeExhibit<IsEarly> is_early;

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/conformance/real_time/real_time_conformance.hpp"
#include "tests/museum/exhibits.hpp"

namespace timers::museum {

/// The service that models change: a map behind a mutex, and a thread that sleeps until the first
/// deadline. Each model replaces one of these steps by a wrong one.
class RightTimer {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<Clock::time_point, std::uint64_t>;
  using Lock = std::unique_lock<std::mutex>;
  using Task = std::function<void()>;

  static constexpr int kThreads = 1;

  RightTimer() = default;
  RightTimer(const RightTimer&) = delete;
  RightTimer& operator=(const RightTimer&) = delete;
  virtual ~RightTimer() = default;

  Key schedule(std::chrono::nanoseconds delay, Task task) {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    const Key key{delay < kNever - now ? now + delay : kNever, ++last_number_};
    tasks_.emplace(key, std::move(task));
    came(key);
    return key;
  }

  virtual bool cancel(const Key& key) {
    Task dies_without_the_lock;
    const std::lock_guard lock(mutex_);
    const auto found = tasks_.find(key);
    if (found == tasks_.end()) return false;
    dies_without_the_lock = std::move(found->second);
    tasks_.erase(found);
    return true;
  }

  /// What each thread does until `end`.
  virtual void work() {
    Lock lock(mutex_);
    while (!stopped_) {
      const Clock::time_point first = first_deadline();
      if (first > Clock::now()) {
        sleep_until(lock, first);
      } else {
        run_first(lock);
      }
    }
  }

  void end() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 protected:
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  Clock::time_point first_deadline() const {
    return tasks_.empty() ? kNever : tasks_.begin()->first.first;
  }

  /// Called when a timer is in the map. The lock is held.
  virtual void came(const Key&) { changed_.notify_all(); }

  virtual void sleep_until(Lock& lock, Clock::time_point first) { wait_until(lock, first); }

  virtual void run_first(Lock& lock) {
    auto first = tasks_.extract(tasks_.begin());
    run(lock, std::move(first.mapped()));
  }

  /// Returns at once if the instant has passed.
  void wait_until(Lock& lock, Clock::time_point instant) {
    if (stopped_) return;
    const auto now = Clock::now();
    if (instant > now) {
      changed_.wait_until(lock, std::min(instant, now + kLong));
    } else {
      lock.unlock();
      lock.lock();
    }
  }

  static void run(Lock& lock, Task task) {
    lock.unlock();
    try {
      task();
    } catch (...) {
    }
    task = {};
    lock.lock();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, Task> tasks_;
  bool stopped_ = false;

 private:
  /// The standard library may add it to the time of another clock. This must not overflow.
  static constexpr auto kLong = std::chrono::hours(1);

  std::uint64_t last_number_ = 0;
};

/// The same, and timers can be re-armed. It is also the control of models with wrong re-arms.
class RearmingRightTimer : public RightTimer {
 public:
  bool cancel(const Key& key) override {
    const std::lock_guard lock(rearming_);
    return RightTimer::cancel(newest(key));
  }

  /// The handle stays valid: it leads to the latest timer that was set for it.
  bool rearm(const Key& key, std::chrono::nanoseconds delay) {
    const std::lock_guard lock(rearming_);
    Task task;
    {
      const std::lock_guard map(mutex_);
      const auto found = tasks_.find(newest(key));
      if (found == tasks_.end()) return false;
      task = std::move(found->second);
      tasks_.erase(found);
    }
    newest_[key] = schedule(delay, std::move(task));
    return true;
  }

 private:
  Key newest(const Key& key) const {
    const auto found = newest_.find(key);
    return found == newest_.end() ? key : found->second;
  }

  std::mutex rearming_;  // locked before the lock of the map
  std::map<Key, Key> newest_;
};

/// A model with its threads. They begin when it is complete, and end before it is destroyed.
template <class Model>
class WithThreads {
 public:
  WithThreads() {
    for (int i = 0; i < Model::kThreads; ++i) threads_.emplace_back([this] { model_.work(); });
  }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;
  ~WithThreads() {
    model_.end();
    threads_.clear();
  }

  auto schedule(std::chrono::nanoseconds delay, RightTimer::Task task) {
    return model_.schedule(delay, std::move(task));
  }
  bool cancel(const RightTimer::Key& key) { return model_.cancel(key); }
  bool rearm(const RightTimer::Key& key, std::chrono::nanoseconds delay) requires
      requires(Model model) {
    model.rearm(key, delay);
  }
  { return model_.rearm(key, delay); }

 private:
  Model model_;
  std::vector<std::jthread> threads_;
};

template <class Model>
void register_in_real_time(std::string_view name) {
  constexpr bool kIsSerial = Model::kThreads == 1;
  real_time::register_service(std::string(name),
                              [] { return std::make_unique<WithThreads<Model>>(); },
                              {.serial = kIsSerial});
}

/// Puts a service into the museum, under the name of its file.
template <class Model>
class RealTimeExhibit {
 public:
  explicit RealTimeExhibit(std::string_view file = __builtin_FILE()) {
    exhibits().emplace_back([name = stem_of(file)] { register_in_real_time<Model>(name); });
  }
};

}  // namespace timers::museum
