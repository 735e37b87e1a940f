// A timer that has left keeps its place. When its owner moves, it takes the place of another timer.
//
// In Asio a cancelled timer kept its place in the heap. When its object was moved, it overwrote the
// timer that had this place by then.
//
// Seen in: https://github.com/boostorg/asio/pull/144
// Caught by: LetsTheOwnerOfADisarmedTimerMove

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tests/museum/queue_exhibit.hpp"

namespace timers::museum {
namespace {

/// Each pending timer that stays has a place, which tells where its owner is. The places are in no
/// order. A timer that leaves gives its place to the last one.
template <bool kKeepsItsPlace>
class OwnersInPlaces {
 public:
  using Task = museum::Task;
  using Handle = RightQueue::Handle;
  static constexpr const char* name = "owners_in_places";
  static constexpr bool expires_in_order = false;
  static constexpr bool fifo = false;
  static constexpr Growth growth = Growth::linear;

  class Timer {
   public:
    Timer() = default;
    Timer(Timer&& other) noexcept { take_from(other); }
    Timer& operator=(Timer&& other) noexcept {
      leave();
      take_from(other);
      return *this;
    }
    ~Timer() { leave(); }

   private:
    friend OwnersInPlaces;
    using Places = std::vector<Timer*>;
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    Timer(std::shared_ptr<Places> places, Task&& task)
        : places_(std::move(places)), task_(std::make_unique<Task>(std::move(task))) {}

    void take_from(Timer& other) {
      places_ = std::move(other.places_);
      task_ = std::move(other.task_);
      deadline_ = other.deadline_;
      is_pending_ = std::exchange(other.is_pending_, false);
      place_ = std::exchange(other.place_, kNone);
      if (has_place()) (*places_)[place_] = this;
    }

    bool has_place() const { return places_ && place_ < places_->size(); }

    void arm(Tick deadline) {
      deadline_ = deadline;
      is_pending_ = true;
      place_ = places_->size();
      places_->push_back(this);
    }

    bool leave() {
      if (!std::exchange(is_pending_, false)) return false;
      if (!has_place()) return true;
      places_->back()->place_ = place_;
      (*places_)[place_] = places_->back();
      places_->pop_back();
      if (!kKeepsItsPlace) place_ = kNone;
      return true;
    }

    std::shared_ptr<Places> places_;
    std::unique_ptr<Task> task_;
    Tick deadline_ = 0;
    bool is_pending_ = false;
    std::size_t place_ = kNone;
  };

  Timer make(Task task) { return {places_, std::move(task)}; }
  bool arm(Timer& timer, Tick deadline) {
    const bool was_pending = timer.leave();
    timer.arm(time_.deadline_for(deadline));
    return was_pending;
  }
  bool disarm(Timer& timer) { return timer.leave(); }
  Task& task(Timer& timer) { return *timer.task_; }

  Handle insert(Tick deadline, Task task) { return set_once_.insert(deadline, std::move(task)); }
  bool cancel(Handle handle) { return set_once_.cancel(handle); }

  template <class OnExpiry>
  std::size_t expire(Tick now, OnExpiry&& on_expiry) {
    if (!time_.move_to(now)) return 0;
    const std::size_t ran = time_.run(kNoLimit, [&] {
      const auto due = std::find_if(places_->begin(), places_->end(),
                                    [now](const Timer* timer) { return timer->deadline_ <= now; });
      if (due == places_->end()) return false;
      Timer& timer = **due;
      timer.is_pending_ = true;  // as it has a place
      timer.leave();
      on_expiry(timer.deadline_, *timer.task_);
      return true;
    });
    return ran + set_once_.expire(now, on_expiry);
  }

  std::size_t size() const { return places_->size() + set_once_.size(); }

 private:
  VirtualTime time_;
  std::shared_ptr<typename Timer::Places> places_ = std::make_shared<typename Timer::Places>();
  RightQueue set_once_;
};

const QueueExhibit<OwnersInPlaces<true>> moved_after_it_left;
const QueueExhibit<OwnersInPlaces<false>> without_the_mistake("owners_in_places_control");

}  // namespace
}  // namespace timers::museum
