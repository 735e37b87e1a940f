#include "benches/queues/measured/parts.hpp"
#include "benches/queues/measured/queues.hpp"

namespace timers::benches {

Field queues_of_libraries() { return field_of<AllSteps>(PeerQueues<Task>{}); }

}  // namespace timers::benches
