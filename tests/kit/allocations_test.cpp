/// The meter of allocations counts what it should, and a ration refuses when it is used up.

#include "tests/conformance/allocations.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <vector>

namespace timers::conformance {
namespace {

// These tests call operator new by its name, as a compiler may leave out a new expression.

TEST(AllocationMeter, CountsBytesThatLiveAndTheirPeak) {
  const AllocationMeter meter;
  void* kept = ::operator new(1000);
  ::operator delete[](::operator new[](10'000));
  EXPECT_EQ(meter.allocations(), 2u);
  EXPECT_GE(meter.live_bytes(), 1000);
  EXPECT_LT(meter.live_bytes(), 2000);
  EXPECT_GE(meter.peak_bytes(), 11'000);
  EXPECT_LT(meter.peak_bytes(), 12'000);
  ::operator delete(kept);
  EXPECT_EQ(meter.live_bytes(), 0);
}

TEST(AllocationMeter, KnowsStricterAlignments) {
  const AllocationMeter meter;
  void* wide = ::operator new (100, std::align_val_t{256});
  EXPECT_GE(meter.live_bytes(), 100);
  ::operator delete (wide, std::align_val_t{256});
  EXPECT_EQ(meter.live_bytes(), 0);
}

TEST(Ration, RefusesOneAllocationWhenItIsUsedUp) {
  Ration ration{2};
  std::vector<void*> kept(4);
  {
    const Rationing rationing(&ration);
    kept[0] = ::operator new(1);
    kept[1] = ::operator new(1);
    EXPECT_THROW(kept[2] = ::operator new(1), std::bad_alloc);
    kept[3] = ::operator new(1);
  }
  EXPECT_TRUE(ration.refused);
  EXPECT_EQ(kept[2], nullptr);
  for (void* memory : kept) ::operator delete(memory);
}

TEST(Ration, AlsoRefusesThoseWhoDoNotThrow) {
  Ration ration{0};
  const Rationing rationing(&ration);
  EXPECT_EQ(::operator new(1, std::nothrow), nullptr);
  EXPECT_TRUE(ration.refused);
}

TEST(Ration, IsNotTouchedWhereItIsSuspended) {
  Ration ration{0};
  const Rationing rationing(&ration);
  {
    const Rationing none(nullptr);
    ::operator delete(::operator new(1));
  }
  EXPECT_FALSE(ration.refused);
}

}  // namespace
}  // namespace timers::conformance
