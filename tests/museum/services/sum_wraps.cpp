// The sum of now and a large delay overflows, and lies in the past.
//
// In Netty a timer of the longest delay ran at once.
//
// Seen in: https://github.com/netty/netty/pull/7765
// Seen in: https://github.com/apache/rocketmq/pull/10882
// Caught by: NeverStartsATaskWhoseDelayLeadsBeyondAllTime

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

const ServiceExhibit<ServiceWith<Mistake::adds_without_saturation>> sum_wraps;

}  // namespace
}  // namespace timers::museum
