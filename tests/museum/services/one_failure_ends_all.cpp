// A task that throws ends the thread, and no other task ever runs.
//
// java.util.Timer does so, and each of these projects ran into it: one task failed, and from then
// on no other task in the process ran.
//
// Seen in: https://github.com/xtclang/xvm/pull/570
// Seen in: https://github.com/apache/activemq/pull/423
// Seen in: https://github.com/vipshop/Saturn/issues/273
// Seen in: https://github.com/jpos/jPOS/issues/311
// Caught by: LosesNoOtherTaskWhenOneThrows

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

const ServiceExhibit<ServiceWith<Mistake::dies_of_an_exception>> one_failure_ends_all;

}  // namespace
}  // namespace timers::museum
