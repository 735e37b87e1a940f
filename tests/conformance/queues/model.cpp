#include "tests/conformance/queues/model.hpp"

#include <algorithm>
#include <utility>

namespace timers::conformance {

TimerId Model::add() {
  timers_.emplace_back();
  return static_cast<TimerId>(timers_.size() - 1);
}

void Model::set(TimerId id, Tick deadline) {
  if (is_pending(id)) remove(id);
  Timer& timer = timers_[id];
  if (deadline <= now_) deadline = has_ended() ? kEndOfTime : now_ + 1;
  timer.deadline = deadline;
  timer.sequence = ++sequence_;
  ++size_;
  if (has_ended()) {
    timer.position = kNever;
    return;
  }
  const Tick lateness = max_lateness_(deadline - now_);
  const Tick due = lateness > kEndOfTime - deadline ? kEndOfTime : deadline + lateness;
  heap_.emplace_back();
  sift(heap_.size() - 1, {due, timer.sequence, id});
}

void Model::remove(TimerId id) {
  const std::uint32_t position = std::exchange(timers_[id].position, kNotPending);
  --size_;
  if (position == kNever) return;
  const First last = heap_.back();
  heap_.pop_back();
  if (position < heap_.size()) sift(position, last);
}

void Model::clear() {
  now_ = 0;
  size_ = 0;
  timers_.clear();
  heap_.clear();
}

void Model::put(std::size_t position, const First& entry) {
  heap_[position] = entry;
  timers_[entry.id].position = static_cast<std::uint32_t>(position);
}

/// Moves an entry to its place, starting at `hole`, which is free.
void Model::sift(std::size_t hole, const First& entry) {
  while (hole > 0 && before(entry, heap_[(hole - 1) / kArity])) {
    put(hole, heap_[(hole - 1) / kArity]);
    hole = (hole - 1) / kArity;
  }
  for (;;) {
    const std::size_t children = kArity * hole + 1;
    const std::size_t end = std::min(children + kArity, heap_.size());
    if (children >= end) break;
    std::size_t least = children;
    for (std::size_t child = children + 1; child < end; ++child) {
      if (before(heap_[child], heap_[least])) least = child;
    }
    if (!before(heap_[least], entry)) break;
    put(hole, heap_[least]);
    hole = least;
  }
  put(hole, entry);
}

bool TieJudge::in_order(Tick deadline, std::uint64_t sequence) {
  if (4 * used_ > 3 * slots_.size()) grow();
  Slot& last = slot(deadline);
  if (last.round != round_) {
    ++used_;
  } else if (sequence < last.sequence) {
    return false;
  }
  last = {deadline, sequence, round_};
  return true;
}

TieJudge::Slot& TieJudge::slot(Tick deadline) {
  std::size_t index = static_cast<std::size_t>(deadline * 0x9E3779B97F4A7C15u >> 32);
  for (;; ++index) {
    Slot& found = slots_[index & (slots_.size() - 1)];
    if (found.round != round_ || found.deadline == deadline) return found;
  }
}

void TieJudge::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& moved : old) {
    if (moved.round == round_) slot(moved.deadline) = moved;
  }
}

}  // namespace timers::conformance
