// A cancel reports that the task is over while the task runs.
//
// In SerenityOS, and in libevent across threads, a cancel returned while the callback ran. The
// caller freed what the callback used.
//
// Seen in: https://github.com/SerenityOS/serenity/pull/4298
// Seen in: https://github.com/libevent/libevent/pull/529
// Caught by: SaysOfATimerThatRunsThatItIsRunning

#include "tests/museum/service_exhibit.hpp"

namespace timers::museum {
namespace {

const ServiceExhibit<ServiceWith<Mistake::says_gone_while_running>> over_while_it_runs;

}  // namespace
}  // namespace timers::museum
