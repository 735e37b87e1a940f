#pragma once

/// Plain lines that record what this process does with its timers, for scripts/record.py.
///
///     record_set(timer, delay_in_ns);  // "TIME set ID DEADLINE"
///
/// Before the first line the file is reserved as a whole and mapped into memory. So a line costs no
/// system call. A process that is killed loses nothing, and a full disk does no harm. It does not
/// matter which descriptors the program closes. Any thread may record. A forked child has a file of
/// its own.

#include <cstdint>

namespace timers::recorder {

/// The timer waits for this delay from now on.
void record_set(const void* timer, std::int64_t delay_ns);
/// The timer waits no longer.
void record_cancel(const void* timer);
/// The deadline of the timer has come, and its callback is about to run.
void record_expiry(const void* timer);

/// Makes the file now, and not with the first line. After that the program may change its user and
/// its root.
void prepare_lines();

}  // namespace timers::recorder
