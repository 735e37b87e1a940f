#pragma once

/// The services with the options that people use: a line each.
///
///     SteadyClock clock;
///     typename Setting::Service service(clock, Setting::options());

#include <chrono>

#include "impls/catalog.hpp"
#include "impls/clocks/clock.hpp"
#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// A service as it is when one asks for nothing.
template <class ServiceType>
struct WithDefaults {
  using Service = ServiceType;
  static constexpr const auto& name = Service::name;
  static typename Service::Options options() { return {}; }
};

struct DelayQueueTimerOf2Threads {
  using Service = DelayQueueTimer<SteadyClock>;
  static constexpr const char* name = "delay_queue_timer_2_threads";
  static Service::Options options() { return {.threads = 2}; }
};

struct ScheduledThreadPoolOf2Threads {
  using Service = ScheduledThreadPool<SteadyClock>;
  static constexpr const char* name = "scheduled_thread_pool_2_threads";
  static Service::Options options() { return {.threads = 2}; }
};

struct HashedWheelTimerOf1ms {
  using Service = HashedWheelTimer<SteadyClock>;
  static constexpr const char* name = "hashed_wheel_timer_1ms";
  static Service::Options options() { return {.tick_duration = std::chrono::milliseconds(1)}; }
};

struct HashedWheelTimerOf10ms {
  using Service = HashedWheelTimer<SteadyClock>;
  static constexpr const char* name = "hashed_wheel_timer_10ms";
  static Service::Options options() { return {.tick_duration = std::chrono::milliseconds(10)}; }
};

struct HashedWheelTimerOf100ms {
  using Service = HashedWheelTimer<SteadyClock>;
  static constexpr const char* name = "hashed_wheel_timer_100ms";
  static Service::Options options() { return {.tick_duration = std::chrono::milliseconds(100)}; }
};

struct HashedWheelTimerAsInNetty {
  using Service = HashedWheelTimer<SteadyClock>;
  static constexpr const char* name = "hashed_wheel_timer_as_in_netty";
  static Service::Options options() { return Service::as_in_netty(); }
};

struct HierarchicalWheelTimerAsInKafka {
  using Service = HierarchicalWheelTimer<SteadyClock>;
  static constexpr const char* name = "hierarchical_wheel_timer_as_in_kafka";
  static constexpr Duration kMayBeEarly = std::chrono::milliseconds(1);  // rounds down to a tick
  static Service::Options options() { return Service::as_in_kafka(); }
};

using Settings = TypeList<                                                //
    WithDefaults<HeapTimer<SteadyClock>>,                                 //
    WithDefaults<DelayQueueTimer<SteadyClock>>,                           //
    DelayQueueTimerOf2Threads,                                            //
    WithDefaults<ScheduledThreadPool<SteadyClock>>,                       //
    ScheduledThreadPoolOf2Threads,                                        //
    HashedWheelTimerOf1ms,                                                //
    HashedWheelTimerOf10ms,                                               //
    HashedWheelTimerOf100ms,                                              //
    HashedWheelTimerAsInNetty,                                            //
    WithDefaults<HierarchicalWheelTimer<SteadyClock>>,                    //
    HierarchicalWheelTimerAsInKafka,                                      //
    WithDefaults<SimpleWheelTimer<SteadyClock>>,                          //
    WithDefaults<QueueTimer<HierarchicalWheel<TimerTask>, SteadyClock>>,  //
    WithDefaults<QueueTimer<MinHeap<TimerTask>, SteadyClock>>,            //
    WithDefaults<QueueTimer<LazyWheel<TimerTask>, SteadyClock>>>;

}  // namespace timers::benches
