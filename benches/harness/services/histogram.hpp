#pragma once

/// A histogram of spans of time, as fine for microseconds as for seconds, that can be kept:
/// whatever quantile one asks for later, it is known.

#include <fmt/format.h>

#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/indexed.hpp>
#include <boost/histogram/make_histogram.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// Each bin in which there is something, in ascending order, as JSON: [[its lower edge in ns, how
/// many are in it], …]. A bin is 4.9 % wide, so that no span is further than 2.5 % from the middle
/// of its own. The first one takes all below 1 µs, and the last one all from 100 s. No span may
/// be negative.
inline std::string histogram_of(const std::vector<Duration>& spans) {
  namespace histogram = boost::histogram;
  using Logarithmic = histogram::axis::regular<double, histogram::axis::transform::log>;
  constexpr unsigned kDecades = 8;
  constexpr unsigned kBinsADecade = 48;
  auto counts = histogram::make_histogram(Logarithmic(kDecades * kBinsADecade, 1e3, 1e11));
  for (const Duration span : spans) counts(static_cast<double>(span.count()));
  std::string json;
  for (const auto& bin : histogram::indexed(counts, histogram::coverage::all)) {
    const auto count = static_cast<double>(*bin);
    if (count == 0) continue;
    const double lower_edge = bin.index() < 0 ? 0 : bin.bin().lower();
    fmt::format_to(std::back_inserter(json), "{}[{:.0f},{:.0f}]", json.empty() ? "" : ",",
                   lower_edge, count);
  }
  return '[' + json + ']';
}

}  // namespace timers::benches
