#pragma once

/// What is measured as a queue: those of the catalog, and beside them those of libraries.

#include "benches/replay.hpp"
#include "impls/catalog.hpp"
#include "impls/peers/catalog.hpp"

namespace timers::benches {

template <class... Ours, class... Theirs>
TypeList<Ours..., Theirs...> joined(TypeList<Ours...>, TypeList<Theirs...>);

using MeasuredQueues = decltype(joined(TimerQueues<Task>{}, PeerQueues<Task>{}));

}  // namespace timers::benches
