#pragma once

/// What the segments of a schedule took, each in several passes.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "benches/harness/absence.hpp"

namespace timers::benches {

/// A quarter of the values lies below it. There is at least one, in any order. Between two values
/// it is interpolated, so that it means the same for few values and for many: of n it is the one of
/// rank (n + 1) / 4, and at least the first.
inline double lower_quartile_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double rank = std::max(static_cast<double>(values.size() + 1) / 4, 1.0);
  const auto below = static_cast<std::size_t>(rank);
  if (below >= values.size()) return values.back();
  return std::lerp(values[below - 1], values[below], rank - static_cast<double>(below));
}

/// A segment does the same in each pass, so its times differ only by what disturbed it, and that
/// only adds. Its lower quartile counts: what disturbs half of the passes moves it little. With
/// three times it is the least, and with many it does not hang on one lucky pass. Bursts that the
/// queue itself has, as of cascades, stay: they are there in every pass.
///
/// A time is *interrupted* if the thread was off the processor meanwhile. It counts only where a
/// segment has no other, less the time off the processor. To leave such a segment out would leave
/// out bursts, as it is the long segments that are interrupted.
class SegmentTimes {
 public:
  /// Segments are numbered from 0. Each has the same operations in every pass.
  void add(std::size_t segment, const Timing& timing, std::size_t operations) {
    const auto& [seconds, absence] = timing;
    if (segment >= segments_.size()) segments_.resize(segment + 1);
    segments_[segment].operations = operations;
    if (absence.switches == 0) {
      segments_[segment].seconds.push_back(seconds);
    } else {
      ++interruptions_;
      segments_[segment].interrupted.push_back(std::max(seconds - absence.seconds, 0.0));
    }
  }

  /// How many segments have a time.
  std::size_t size() const {
    return static_cast<std::size_t>(
        std::count_if(segments_.begin(), segments_.end(),
                      [](const Segment& segment) { return segment.is_timed(); }));
  }

  /// The lower quartiles together.
  double seconds() const {
    double sum = 0;
    for (const Segment& segment : segments_) sum += segment.quartile();
    return sum;
  }

  /// The operations of all segments that have a time.
  std::size_t operations() const {
    std::size_t sum = 0;
    for (const Segment& segment : segments_) sum += segment.operations;
    return sum;
  }

  /// How many times were interrupted.
  std::size_t interruptions() const { return interruptions_; }

 private:
  struct Segment {
    std::vector<double> seconds;  // of each pass that timed it
    std::vector<double> interrupted;
    std::size_t operations = 0;

    bool is_timed() const { return !seconds.empty() || !interrupted.empty(); }

    double quartile() const {
      if (!is_timed()) return 0;
      return lower_quartile_of(seconds.empty() ? interrupted : seconds);
    }
  };

  std::vector<Segment> segments_;
  std::size_t interruptions_ = 0;
};

}  // namespace timers::benches
