#pragma once

/// What a timer service runs: any callable that takes nothing, moved and never copied.
///
/// std::function would ask for a copy, and std::move_only_function comes with C++23. A callable of
/// up to 24 bytes that does not throw when moved is kept in place; a larger one is allocated.

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace timers {

class TimerTask {
 public:
  /// An empty task: it converts to false, and every service refuses it.
  TimerTask() noexcept = default;
  TimerTask(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as std::function

  /// Takes a callable. A null pointer to a function and an empty std::function make an empty task.
  /// Throws what the callable throws when it is copied or moved. If a large callable finds no
  /// memory, throws std::bad_alloc.
  template <class Callable>
  requires(!std::same_as<std::decay_t<Callable>, TimerTask> &&
           std::invocable<std::decay_t<Callable>&>)
      // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload)
      TimerTask(Callable&& callable) {
    using Stored = std::decay_t<Callable>;
    if constexpr (!std::is_function_v<std::remove_reference_t<Callable>> &&
                  requires { callable == nullptr; }) {
      if (callable == nullptr) return;
    }
    if constexpr (fits<Stored>()) {
      emplace(std::forward<Callable>(callable));
    } else {
      emplace([boxed = std::make_unique<Stored>(std::forward<Callable>(callable))] {
        std::invoke(*boxed);
      });
    }
  }

  TimerTask(TimerTask&& other) noexcept : verbs_(std::exchange(other.verbs_, nullptr)) {
    if (verbs_ == nullptr) return;
    if (verbs_->relocate == nullptr) {
      std::memcpy(storage_, other.storage_, kRoom);
    } else {
      verbs_->relocate(other.storage_, storage_);
    }
  }
  TimerTask& operator=(TimerTask&& other) noexcept {
    if (this != &other) {
      std::destroy_at(this);
      std::construct_at(this, std::move(other));
    }
    return *this;
  }
  ~TimerTask() {
    if (verbs_ != nullptr && verbs_->destroy != nullptr) verbs_->destroy(storage_);
  }

  /// Whether there is a task.
  explicit operator bool() const noexcept { return verbs_ != nullptr; }
  friend bool operator==(const TimerTask& task, std::nullptr_t) noexcept { return !task; }

  /// Runs the task. It may run any number of times.
  void operator()() { verbs_->run(storage_); }

  /// Only for an empty task: its room keeps an address, until the next task overwrites it.
  void keep(std::uintptr_t address) noexcept {
    assert(verbs_ == nullptr);
    std::memcpy(storage_, &address, sizeof(address));
  }
  std::uintptr_t kept() const noexcept {
    assert(verbs_ == nullptr);
    std::uintptr_t address = 0;
    std::memcpy(&address, storage_, sizeof(address));
    return address;
  }

 private:
  static constexpr std::size_t kRoom = 24;

  struct Verbs {
    void (*run)(std::byte* callable);
    void (*relocate)(std::byte* from, std::byte* to) noexcept;  // nullptr: a copy of its bytes does
    void (*destroy)(std::byte* callable) noexcept;              // nullptr: nothing to destroy
  };

  template <class Stored>
  static constexpr bool fits() {
    return sizeof(Stored) <= kRoom && std::alignment_of_v<Stored> <= alignof(void*) &&
           std::is_nothrow_move_constructible_v<Stored>;
  }

  template <class Stored>
  static Stored& stored(std::byte* storage) {
    return *std::launder(reinterpret_cast<Stored*>(storage));
  }

  template <class Stored>
  static void relocate(std::byte* from, std::byte* to) noexcept {
    ::new (to) Stored(std::move(stored<Stored>(from)));
    std::destroy_at(&stored<Stored>(from));
  }
  template <class Stored>
  static void destroy(std::byte* callable) noexcept {
    std::destroy_at(&stored<Stored>(callable));
  }

  template <class Stored>
  static constexpr Verbs kVerbs{
      .run = [](std::byte* callable) { std::invoke(stored<Stored>(callable)); },
      .relocate = std::is_trivially_copyable_v<Stored> ? nullptr : &relocate<Stored>,
      .destroy = std::is_trivially_destructible_v<Stored> ? nullptr : &destroy<Stored>};

  template <class Callable>
  void emplace(Callable&& callable) {
    using Stored = std::decay_t<Callable>;
    static_assert(fits<Stored>());
    if constexpr (sizeof(Stored) < kRoom) std::fill_n(storage_, kRoom, std::byte{});
    ::new (storage_) Stored(std::forward<Callable>(callable));
    verbs_ = &kVerbs<Stored>;
  }

  alignas(void*) std::byte storage_[kRoom];
  const Verbs* verbs_ = nullptr;
};

}  // namespace timers
