#include "benches/harness/queues/queue_contestant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "benches/harness/queues/backed_pages.hpp"

namespace timers::benches {

RiderContestant::RiderContestant(const Input& input, const RiderKind& kind)
    : input_(input), kind_(kind), audits_(input.schedules.size()) {
  std::size_t segments = 0;
  for (const Schedule& schedule : input.schedules) {
    first_segment_.push_back(segments);
    segments += (schedule.measured_end - schedule.measured_begin) / kStepsOfASegment + 1;
  }
}

void RiderContestant::take_turn(std::size_t pass, std::size_t turn) {
  if (turn == 0) begin_pass(pass);
  if (turn >= turns_.size()) return;
  back_new_pages(turns_[turn]);
  for (const Stretch& stretch : turns_[turn]) take(stretch);
  if (turn + 1 == turns_.size() && times_segments(input_, pass)) end_timed_pass();
}

void RiderContestant::report(benchmark::State& state) const {
  const double seconds = times_.seconds();
  const std::size_t operations = times_.operations() * kind_.operations_a_call;
  const bool is_bound = operations == 0 || (share_ < 1 && !kind_.window_is_like_the_whole);
  const double ns = seconds * 1e9;
  state.SetIterationTime(seconds);
  state.counters = counters_;
  state.counters["window_share"] = share_;
  state.counters["seconds"] = seconds;
  state.counters["passes"] = static_cast<double>(passes_);
  state.counters["interrupted_segments"] = static_cast<double>(times_.interruptions());
  state.counters["segments"] = static_cast<double>(times_.size());
  state.counters["operations"] = static_cast<double>(operations);
  if (is_bound) state.counters["slower_than"] = 1;
  state.counters["ns_per_operation"] =
      is_bound ? std::max(least_ns(), ns / static_cast<double>(all_operations()))
               : ns / static_cast<double>(operations);
  report_calls(state);
  if (kind_.may_be_late) report_late_runs(state);
  if (!kind_.can_rearm && input_.schedules.front().rearms()) {
    state.SetLabel("re-arm = cancel + insert");
  }
}

void RiderContestant::take(const Stretch& stretch) {
  if (stretch.begin == 0 && measured_ < kBudget) begin(stretch.schedule);
  if (!rider_) return;  // its time was up in an earlier stretch
  const Schedule& schedule = input_.schedules[schedule_];
  if (stretch.end <= schedule.measured_begin) {
    const Seconds left = set_up_budget_of(schedule) - set_up_;
    set_up_ += Seconds(rider_->set_up(stretch.end, left));
  } else if (stretch.timed == Timed::segments) {
    time_segments(stretch.end);
  } else if (stretch.timed == Timed::nothing) {
    rider_->ride(stretch.end, kBudget);  // it takes nothing from the budget of what is timed
  } else {
    const auto which =
        stretch.timed == Timed::calls ? CallTimes::Which::all : CallTimes::Which::long_ones;
    calls_.start_over({schedule_, stretch.begin}, which, rider_->prover());
    ride(stretch.end, calls_);
  }
  if (rider_->position() != stretch.end) {
    bound_operation(stretch.timed == Timed::calls ? least_timed_ns_ : least_ns_);
    end();
  } else if (rider_->is_at_the_end()) {
    rider_->count(counters_);
    end();
  }
}

/// Backs the pages that the timers of a turn may newly need, if the queue gets fresh memory.
void RiderContestant::back_new_pages(const Turn& turn) const {
  constexpr std::size_t kBytesOfTimer = 256;  // libuv and libevent need so many
  const Schedule& schedule = input_.schedules[turn.front().schedule];
  if (schedule.steps.size() < kStepsWithFreshMemory) return;
  const std::size_t pending = rider_ ? rider_->pending() : 0;
  const std::size_t steps = turn.back().end - turn.front().begin;
  const std::size_t timers = std::min<std::size_t>(steps, schedule.slots - pending);
  if (timers > 0) back_next_pages(timers * kBytesOfTimer);
}

void RiderContestant::begin_pass(std::size_t pass) {
  turns_ = turns_of(input_, pass);
  measured_ = Seconds(0);
  taken_ = 0;
}

void RiderContestant::end_timed_pass() {
  ++passes_;
  std::size_t all = 0;
  for (const Schedule& schedule : input_.schedules) {
    all += schedule.measured_end - schedule.measured_begin;
  }
  share_ = std::min(share_, static_cast<double>(std::min(taken_, all)) / static_cast<double>(all));
}

void RiderContestant::begin(std::size_t schedule) {
  schedule_ = schedule;
  set_up_ = Seconds(0);
  measured_before_ = measured_;
  rider_.reset();  // before the next one needs memory
  rider_ = kind_.make(input_.schedules[schedule]);
}

/// Checks all that the queue showed, up to the step that it reached.
void RiderContestant::end() {
  rider_->finish([this](std::size_t step) { return right_proof_at(step); });
  rider_.reset();
}

Proof RiderContestant::right_proof_at(std::size_t step) {
  const Schedule& schedule = input_.schedules[schedule_];
  if (!kind_.may_be_late) return predicted_proof(schedule, step, input_.expected[schedule_]);
  std::optional<Audit>& known = audits_[schedule_];
  if (!known || known->end != step) known = kind_.audited(schedule, step);
  return known->proof;
}

/// Rides with only the prover as witness, or with a witness that passes on what it sees to the
/// prover.
template <class... Witness>
Timing RiderContestant::ride(std::size_t end, Witness&... witness) {
  const std::size_t begin = rider_->position();
  const Timing timing = rider_->ride(end, kBudget - measured_, witness...);
  measured_ += Seconds(timing.seconds);
  taken_ += rider_->position() - begin;
  return timing;
}

void RiderContestant::time_segments(std::size_t end) {
  const Schedule& schedule = input_.schedules[schedule_];
  const Proof& proof = rider_->prover().proof();
  while (rider_->position() != end && measured_ < kBudget) {
    const std::size_t begin = rider_->position();
    const std::size_t segment = (begin - schedule.measured_begin) / kStepsOfASegment;
    const std::size_t segment_end =
        std::min(schedule.measured_begin + (segment + 1) * kStepsOfASegment, end);
    const std::uint64_t expiries = proof.expiries;
    const Timing timing = ride(segment_end);
    const std::size_t operations =
        schedule.operations_between(begin, rider_->position(), proof.expiries - expiries);
    const bool is_whole = rider_->position() == segment_end;
    // If the queue reaches only a part of the first segment, that is better than nothing.
    if (is_whole || (times_.size() == 0 && operations > 0)) {
      times_.add(first_segment_[schedule_] + segment, timing, operations);
    }
  }
}

/// Sets a lower bound for the time of an operation, when the queue has run out of time: an
/// operation takes longer than if the queue had done all of them in the time that it spent. In the
/// set-up each step counts as an operation.
void RiderContestant::bound_operation(double& least_ns) {
  const std::size_t begin = input_.schedules[schedule_].measured_begin;
  const bool is_set_up = rider_->position() >= begin;
  const Seconds spent = is_set_up ? measured_ - measured_before_ : set_up_;
  const std::size_t operations =
      is_set_up ? operations_of(schedule_) : input_.schedules[schedule_].measured_end;
  least_ns = std::max(least_ns, spent.count() * 1e9 / static_cast<double>(operations));
}

/// The timing of calls takes time of its own. That does not matter if not even one segment was
/// timed: most of the operations were still to come, and would have taken far longer.
double RiderContestant::least_ns() const {
  return times_.size() == 0 ? std::max(least_ns_, least_timed_ns_) : least_ns_;
}

/// The number of measured operations of a schedule.
std::size_t RiderContestant::operations_of(std::size_t number) const {
  const Schedule& schedule = input_.schedules[number];
  return schedule.operations_between(schedule.measured_begin, schedule.measured_end,
                                     input_.expected[number].expiries) *
         kind_.operations_a_call;
}

std::size_t RiderContestant::all_operations() const {
  std::size_t sum = 0;
  for (std::size_t number = 0; number < input_.schedules.size(); ++number) {
    sum += operations_of(number);
  }
  return sum;
}

void RiderContestant::report_calls(benchmark::State& state) const {
  constexpr std::array kVerbs = {
      std::pair(Step::Verb::insert, "insert"), std::pair(Step::Verb::rearm, "rearm"),
      std::pair(Step::Verb::cancel, "cancel"), std::pair(Step::Verb::expire, "expire")};
  constexpr std::array kQuantiles = {std::pair(0.5, "p50"), std::pair(0.99, "p99"),
                                     std::pair(0.999, "p999")};
  for (const auto& [verb, verb_name] : kVerbs) {
    const std::vector<double> sorted = calls_.sorted(verb);
    if (sorted.empty()) continue;
    state.counters[fmt::format("{}_calls", verb_name)] = static_cast<double>(sorted.size());
    for (const auto& [share, quantile_name] : kQuantiles) {
      const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
      state.counters[fmt::format("{}_{}_ns", quantile_name, verb_name)] =
          sorted[std::min(rank, sorted.size() - 1)];
    }
    state.counters[fmt::format("worst_{}_ns", verb_name)] =
        std::max(sorted.back(), calls_.longest(verb));
  }
  state.counters["most_expiries_per_call"] = static_cast<double>(calls_.most_expiries());
  state.counters["interrupted_calls"] = static_cast<double>(calls_.interruptions());
}

void RiderContestant::report_late_runs(benchmark::State& state) const {
  LateRuns late_runs;
  for (const std::optional<Audit>& known : audits_) {
    if (known) late_runs.add(known->late_runs);
  }
  state.counters["late_mean_percent"] = 100 * late_runs.mean();
  state.counters["late_most_percent"] = 100 * late_runs.most();
}

}  // namespace timers::benches
