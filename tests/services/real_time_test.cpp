// Tests our services with the kit for services as they are: on the real clock.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/type_list.hpp"
#include "tests/services/on_its_clock.hpp"

int main(int argc, char** argv) {
  using namespace timers;
  testing::InitGoogleTest(&argc, argv);
  for_each_type(TimerServices<SteadyClock>{}, []<class Service>() {
    register_on_its_clock<Service>(std::string(std::string_view(Service::name)));
  });
  return RUN_ALL_TESTS();
}
