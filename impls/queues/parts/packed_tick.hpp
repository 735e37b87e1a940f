#pragma once

/// A tick that may stand at any multiple of four bytes.
///
/// A cell of a slab has a generation of 32 bits behind the queue's data. Say the data are a tick
/// and three numbers of 32 bits. Then a plain tick would cost the cell eight more bytes: the size
/// of the data would be a multiple of eight, and so would the offset of what follows.

#include <cstdint>
#include <cstring>

#include "impls/timer_queue.hpp"

namespace timers {

class PackedTick {
 public:
  void set(Tick tick) { std::memcpy(halves_, &tick, sizeof tick); }
  Tick get() const {
    Tick tick;
    std::memcpy(&tick, halves_, sizeof tick);
    return tick;
  }

 private:
  std::uint32_t halves_[2];
};

}  // namespace timers
