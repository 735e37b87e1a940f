#pragma once

/// Plain lines of what this process does with its timers, for scripts/record.py.
///
///     record_set(timer, delay_in_ns);  // "TIME set ID DEADLINE"
///
/// The file is reserved as a whole and mapped into memory before the first line. So a line costs no
/// system call, a process that is killed loses nothing, a full disk does no harm, and it does not
/// matter which descriptors the program closes. Any thread may record. A forked child has a file of
/// its own.

#include <cstdint>

namespace timers::recorder {

/// The timer waits, from now on for this long.
void record_set(const void* timer, std::int64_t delay_ns);
/// It waits no longer.
void record_cancel(const void* timer);
/// Its deadline came, and its callback is about to run.
void record_expiry(const void* timer);

/// Makes the file now, and not with the first line. Then the program may still change its user and
/// its root.
void prepare_lines();

}  // namespace timers::recorder
