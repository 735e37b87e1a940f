#pragma once

/// Wrong on purpose: a cancel always says that it cancelled its timer.

#include "list_timer.hpp"

namespace foreign {

template <timers::Clock ClockType>
class CarelessTimer : public ListTimer<ClockType> {
 public:
  static constexpr const char* name = "careless_timer";
  using ListTimer<ClockType>::ListTimer;

  timers::CancelResult cancel(typename ListTimer<ClockType>::Handle handle) {
    ListTimer<ClockType>::cancel(handle);
    return timers::CancelResult::cancelled;
  }
};

}  // namespace foreign
