#include "benches/harness/queues/proof.hpp"

#include <fmt/format.h>

namespace timers::benches {

std::string difference(const Proof& seen, const Proof& expected, const Promises& promises) {
  if (seen.expiries != expected.expiries) {
    return fmt::format("{} timers expired, not {}", seen.expiries, expected.expiries);
  }
  if (seen.returned != seen.expiries) {
    return fmt::format("expire says that {} timers ran, but {} did", seen.returned, seen.expiries);
  }
  if (seen.digest != expected.digest) {
    return fmt::format("wrong timers, times or answers: digest {:016x}, not {:016x}", seen.digest,
                       expected.digest);
  }
  if (promises.expires_in_order && !seen.ascending) return "deadlines decrease within a call";
  if (promises.expires_in_order && promises.fifo && seen.order != expected.order) {
    return fmt::format("equal deadlines are not in their order: {:016x}, not {:016x}", seen.order,
                       expected.order);
  }
  return {};
}

}  // namespace timers::benches
