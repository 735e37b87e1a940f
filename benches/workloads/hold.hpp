#pragma once

/// The models by which the literature of discrete-event simulation measures event lists.
///
/// **Hold** (Vaucher and Duval, 1975): n timers are pending; the first one is taken, time moves to
/// its deadline, and a new timer is set for a random increment later. An operation is such a hold:
/// an expiry and an insert. The distribution of the increment says how timers lie in time, and
/// event lists differ in which ones they bear. 2 n holds, and at least 20'000, are measured, after
/// as many that bring the timers into the order which the increments lead to. Increments are 2^20
/// ticks in the mean, so that few timers have one deadline.
///
/// **Markov hold** (Rönngren and Ayani, 1997): inserts and takes come in runs, and the number of
/// timers wanders about n. **Up and down**: n timers are inserted, then all are taken.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Exponential increments: at any time the timers lie as at first. Above 100'000 timers nothing is
/// done before the measurement, for that reason. `hold_short` has increments of 2^10 ticks.
Schedule hold_exponential(std::size_t timers, std::uint64_t seed = 1);
Schedule hold_short(std::size_t timers, std::uint64_t seed = 1);

/// Between 0 and 2 means; between 0.9 and 1.1.
Schedule hold_uniform(std::size_t timers, std::uint64_t seed = 1);
Schedule hold_biased(std::size_t timers, std::uint64_t seed = 1);

/// Up to a mean, and for one timer in ten 9.5 means more.
Schedule hold_bimodal(std::size_t timers, std::uint64_t seed = 1);

/// Up to 1.5 means, the longer the more likely.
Schedule hold_triangular(std::size_t timers, std::uint64_t seed = 1);

/// 1/u - 1 means for a uniform u: half of the increments are shorter than 1, and there is no mean.
Schedule hold_pareto(std::size_t timers, std::uint64_t seed = 1);

/// 98% in two humps that have 2% of the span between 0 and 2 means (Tang, Goh and Thng, 2005).
Schedule hold_two_humps(std::size_t timers, std::uint64_t seed = 1);

/// Uniform at first, and exponential from the middle of the measurement on.
Schedule hold_changing(std::size_t timers, std::uint64_t seed = 1);

/// After an insert another one follows with probability 0.5, 0.9 or 0.99, and so after a take.
/// Exponential increments. An operation is an insert, with the expiry that comes with it.
Schedule markov_50(std::size_t timers, std::uint64_t seed = 1);
Schedule markov_90(std::size_t timers, std::uint64_t seed = 1);
Schedule markov_99(std::size_t timers, std::uint64_t seed = 1);

/// n inserts and n expiries, one tick that has any after the other. Exponential increments.
Schedule up_down(std::size_t timers, std::uint64_t seed = 1);

}  // namespace timers::benches
