#pragma once

/// What a test tries, to see what it throws.

#include <functional>

namespace timers {

/// One type for all that is tried. With the type of each lambda GoogleMock makes matchers of its
/// own for it, and a file of tests takes twice as long to compile.
using Attempt = std::function<void()>;

}  // namespace timers
