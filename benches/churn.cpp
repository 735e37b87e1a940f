/// The steady state: how fast timers come and go when n of them are pending on average.
///
///     churn/hashed_wheel/rpc/1000000
///
/// An operation is one timer of the workload: its insert and what ends it, be it a cancel or its
/// expiry, and its share of the expire calls, one a tick.

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "benches/harness.hpp"
#include "benches/workload.hpp"

namespace timers::benches {
namespace {

constexpr std::array<std::size_t, 4> kPending = {1'000, 10'000, 100'000, 1'000'000};

void add_all() {
  for (const Workload& workload : kWorkloads) {
    for (const std::size_t n : kPending) {
      add_benchmarks("churn", fmt::format("{}/{}", workload.name, n),
                     [=] { return workload.make(n); });
    }
  }
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  timers::benches::add_all();
  return timers::benches::run_benchmarks(argc, argv);
}
