#pragma once

/// The models with which the literature of discrete-event simulation measures event lists.
///
/// **Hold** (Vaucher and Duval, 1975): n timers are pending. The first one is taken, time moves to
/// its deadline, and a new timer is set a random increment later. An operation is one hold: an
/// expiry and an insert. The distribution of the increments determines how the timers are
/// distributed in time. Each event list handles some distributions well, and others badly. 2 n
/// holds are measured, at least 20'000 and at most 2'000'000. As many holds come before, which
/// bring the timers into the order to which the increments lead. The mean increment is 2^20 ticks,
/// so up to 100'000 timers hardly share a deadline.
///
/// **Markov hold** (Rönngren and Ayani, 1997): inserts and takes come in runs, and the number of
/// timers varies around n. **Up and down**: n timers are inserted, then all are taken.

#include <cstddef>
#include <cstdint>

#include "benches/workloads/schedule.hpp"

namespace timers::benches {

/// Exponential increments: the timers have the same distribution at all times. For this reason
/// nothing comes before the measurement with more than 100'000 timers. `hold_short` has increments
/// of 2^10 ticks.
Schedule hold_exponential(std::size_t timers, std::uint64_t seed = 1);
Schedule hold_short(std::size_t timers, std::uint64_t seed = 1);

/// Uniform between 0 and 2 means; uniform between 0.9 and 1.1 means.
Schedule hold_uniform(std::size_t timers, std::uint64_t seed = 1);
Schedule hold_biased(std::size_t timers, std::uint64_t seed = 1);

/// Up to one mean; for one timer in ten 9.5 means more.
Schedule hold_bimodal(std::size_t timers, std::uint64_t seed = 1);

/// Up to 1.5 means; longer increments are more likely.
Schedule hold_triangular(std::size_t timers, std::uint64_t seed = 1);

/// 1/u - 1 means for a uniform u: half of the increments are shorter than 1 mean, and the
/// distribution has no mean.
Schedule hold_pareto(std::size_t timers, std::uint64_t seed = 1);

/// 98% of them in two humps, which have 2% of the span between 0 and 2 means (Tang, Goh and Thng,
/// 2005).
Schedule hold_two_humps(std::size_t timers, std::uint64_t seed = 1);

/// Uniform at first; exponential from the middle of the measurement on.
Schedule hold_changing(std::size_t timers, std::uint64_t seed = 1);

/// After an insert, another one follows with probability 0.5, 0.9 or 0.99; the same holds for a
/// take. Increments are exponential. An operation is an insert and the expiry that belongs to it.
Schedule markov_50(std::size_t timers, std::uint64_t seed = 1);
Schedule markov_90(std::size_t timers, std::uint64_t seed = 1);
Schedule markov_99(std::size_t timers, std::uint64_t seed = 1);

/// n inserts, and then n expiries, at each tick that has any. Increments are exponential.
Schedule up_down(std::size_t timers, std::uint64_t seed = 1);

}  // namespace timers::benches
