#include "benches/queues/measured/parts.hpp"
#include "benches/queues/measured/queues.hpp"

namespace timers::benches {

Field our_queues() { return field_of<AllSteps>(TimerQueues<Task>{}); }

}  // namespace timers::benches
