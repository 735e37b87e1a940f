#pragma once

/// A histogram of spans of time, with the same relative precision for microseconds and seconds. It
/// can be stored, and gives any quantile later.

#include <fmt/format.h>

#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/indexed.hpp>
#include <boost/histogram/make_histogram.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "impls/clocks/instant.hpp"

namespace timers::benches {

/// All non-empty bins in ascending order, as JSON: [[lower edge in ns, number of spans], …]. A bin
/// is 4.9 % wide, so no span is more than 2.5 % away from the middle of its bin. The first bin has
/// all spans below 1 µs, and the last bin all from 100 s on. No span may be negative.
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
