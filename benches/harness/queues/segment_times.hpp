#pragma once

/// The times of the segments of a schedule, each from several passes.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "benches/harness/absence.hpp"

namespace timers::benches {

/// A number below which a quarter of the values lies. The values are in any order, and there is at
/// least one. Of n values it is the one of rank (n + 1) / 4, and at least the first. Between two
/// ranks it is interpolated, so that it means the same for few values and for many.
inline double lower_quartile_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double rank = std::max(static_cast<double>(values.size() + 1) / 4, 1.0);
  const auto below = static_cast<std::size_t>(rank);
  if (below >= values.size()) return values.back();
  return std::lerp(values[below - 1], values[below], rank - static_cast<double>(below));
}

/// A segment does the same in each pass, so its times differ only by disturbances, and these only
/// add time. The lower quartile counts: disturbances in half of the passes hardly change it. Of
/// three times it is the least; of many it does not depend on one lucky pass. Bursts of the queue
/// itself, for example cascades, remain: they are in every pass.
///
/// A time is *interrupted* if the thread was off the processor meanwhile. It counts only if a
/// segment has no other time, and then without the time off the processor. To drop such a segment
/// would drop bursts, because long segments are interrupted more often.
class SegmentTimes {
 public:
  /// Segments are numbered from 0. Each has the same operations in every pass. If a queue reached
  /// only a part of a segment before, and now more of it, the earlier times no longer count.
  void add(std::size_t segment, const Timing& timing, std::size_t operations) {
    const auto& [seconds, absence] = timing;
    if (segment >= segments_.size()) segments_.resize(segment + 1);
    if (operations > segments_[segment].operations) segments_[segment] = Segment(operations);
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

  /// The sum of the lower quartiles.
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
    explicit Segment(std::size_t of_operations = 0) : operations(of_operations) {}

    std::vector<double> seconds;  // one for each pass that timed it
    std::vector<double> interrupted;
    std::size_t operations;

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
