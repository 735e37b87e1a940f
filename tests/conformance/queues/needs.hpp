#pragma once

/// What a sentence may need of a queue. Each function skips the sentence if the queue lacks it.

#include "impls/timer_queue.hpp"
#include "tests/conformance/basic_sentence.hpp"
#include "tests/conformance/queues/any_queue.hpp"

namespace timers::conformance {

inline void need(bool is_there, const char* reason_to_skip) {
  if (!is_there) throw Skip{reason_to_skip};
}

inline void need_rearm(const QueueKind& kind) { need(kind.can_rearm, "it cannot re-arm"); }

inline void need_next_expiry(const QueueKind& kind) {
  need(kind.has_next_expiry, "it cannot tell its next expiry");
}

inline void need_limit(const QueueKind& kind) { need(kind.can_limit, "it cannot limit an expire"); }

inline void need_staying_timers(const QueueKind& kind) {
  need(kind.has_staying_timers, "it has no timers that stay");
}

inline void need_order(const QueueKind& kind) {
  need(kind.promises.expires_in_order, "it does not expire in order");
}

inline void need_fifo(const QueueKind& kind) {
  need_order(kind);
  need(kind.promises.fifo, "it does not keep the order of equal deadlines");
}

/// For a sentence that states at which tick a timer of this delay runs.
inline void need_punctuality(const QueueKind& kind, Tick delay) {
  need(kind.promises.max_lateness(delay) == 0, "it may run timers late");
}

/// For a sentence that sets this deadline.
inline void need_deadline(const QueueKind& kind, Tick deadline) {
  need(deadline <= kind.promises.last_tick, "its last tick is too early");
}

/// For a sentence that moves time to `now`.
inline void need_time(const QueueKind& kind, Tick now) {
  const Tick last = kind.promises.last_tick;
  need(now < last || last == kEndOfTime, "its last tick is too early");
}

inline void need_bad_alloc(const QueueKind& kind) {
  need(kind.promises.bears_bad_alloc, "it does not survive running out of memory");
}

}  // namespace timers::conformance
