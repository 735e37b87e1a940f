#include "benches/harness/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "benches/harness/queues/queue_benchmarks.hpp"
#include "benches/harness/services/service_benchmarks.hpp"
#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"

namespace timers::benches {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

std::map<std::string, std::set<std::string>> members_in(const Groups& groups) {
  std::map<std::string, std::set<std::string>> members;
  for (const auto& [name, line] : groups.context()) {
    std::istringstream words(line);
    for (std::string word; words >> word;) members[name].insert(word);
  }
  return members;
}

TEST(Groups, AreNamedAndHaveTheirMembersInTheOrderInWhichTheyCame) {
  Groups groups;
  groups.add(Family::heaps, "one");
  groups.add(Family::trees, "other");
  groups.add(Family::heaps, "another");
  groups.add(Family::heaps, "one");
  groups.add_if(false, "slow", "one");
  groups.add_if(true, "quick", "one");
  EXPECT_THAT(groups.context(),
              ElementsAre(Pair("families", StartsWith("trees heaps linked_heaps ")),
                          Pair("properties", "slow quick"), Pair("trees", "other"),
                          Pair("heaps", "one another"), Pair("quick", "one")));
}

TEST(Groups, AreNoneOfAProgramThatHasNone) { EXPECT_TRUE(Groups().context().empty()); }

TEST(Catalog, EachQueueIsInOneFamily) {
  const auto members =
      members_in(groups_of_queues<QueueCatalog<Task>, TypeList<>, TypeList<MinHeap<Task>>>());
  EXPECT_THAT(members.at("twins"), ElementsAre("min_heap_twin"));
  for_each_type(TimerQueues<Task>{}, [&]<class Queue>() {
    int families = 0;
    for (const std::string_view family : kFamilyNames) {
      const auto of_family = members.find(std::string(family));
      families += of_family != members.end() && of_family->second.contains(Queue::name);
    }
    EXPECT_EQ(families, 1) << Queue::name;
  });
}

TEST(Catalog, AQueueThatMayBeLateIsKnownAsSuch) {
  const auto members = members_in(groups_of_queues<QueueCatalog<Task>, TypeList<>, TypeList<>>());
  for_each_type(TimerQueues<Task>{}, [&]<class Queue>() {
    EXPECT_EQ(members.at("late").contains(Queue::name), kMayBeLate<Queue>) << Queue::name;
  });
}

TEST(Catalog, AServiceHasThePropertiesOfItsDefaultSetting) {
  const auto members = members_in(groups_of_services<ServiceCatalog<SteadyClock>>());
  for_each_type(TimerServices<SteadyClock>{}, [&]<class Service>() {
    EXPECT_THAT(members.at("defaults"), Contains(Service::name));
    EXPECT_THAT(members.at("serial"), Contains(Service::name));
    EXPECT_THAT(members.at("as_in_originals"), Not(Contains(Service::name)));
  });
}

TEST(Catalog, NoTwoSettingsHaveOneName) {
  std::set<std::string> names;
  for_each_type(ServiceSettings<SteadyClock>{}, [&]<class Setting>() {
    EXPECT_TRUE(names.insert(Setting::name()).second) << Setting::name();
  });
  EXPECT_GT(names.size(), 9u);
}

TEST(Catalog, ASettingThatIsNamedAfterATickHasIt) {
  const std::map<std::string, Duration> ticks{{"_1ms", 1ms}, {"_10ms", 10ms}, {"_100ms", 100ms}};
  int found = 0;
  for_each_type(ServiceSettings<SteadyClock>{}, [&]<class Setting>() {
    if constexpr (HasTicks<typename Setting::Listed::Service>) {
      for (const auto& [suffix, tick] : ticks) {
        if (!Setting::name().ends_with(suffix)) continue;
        EXPECT_EQ(Setting::options().tick_duration, tick) << Setting::name();
        ++found;
      }
    }
  });
  EXPECT_GE(found, 3);
}

}  // namespace
}  // namespace timers::benches
