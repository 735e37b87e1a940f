#pragma once

/// Something that a test tries, to see what it throws.

#include <functional>

namespace timers {

/// All attempts have this one type. If each had the type of its lambda, GoogleMock would
/// instantiate matchers for each, and a file of tests would take twice as long to compile.
using Attempt = std::function<void()>;

}  // namespace timers
