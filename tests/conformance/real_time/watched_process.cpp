#include "tests/conformance/real_time/watched_process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "tests/conformance/thread_states.hpp"

namespace timers::real_time {

using namespace std::chrono_literals;

/// Held only while some characters are copied.
class Report::Text::Lock {
 public:
  explicit Lock(Text& text) : text_(text) {
    while (text_.locked_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { text_.locked_.store(false, std::memory_order_release); }

 private:
  Text& text_;
};

void Report::Text::append(std::string_view line) {
  const Lock lock(*this);
  const std::size_t before = size();
  if (before + line.size() + 1 > characters_.size()) return;
  std::copy(line.begin(), line.end(), characters_.begin() + static_cast<std::ptrdiff_t>(before));
  characters_[before + line.size()] = '\n';
  size_.store(before + line.size() + 1, std::memory_order_release);
}

void Report::Text::replace(std::string_view line) {
  const Lock lock(*this);
  const std::size_t size = std::min(line.size(), characters_.size());
  std::copy_n(line.begin(), size, characters_.begin());
  size_.store(size, std::memory_order_release);
}

void Report::object(std::string_view fault) { faults_.append(fault); }
void Report::skip(std::string_view reason) { skipped_.replace(reason); }
void Report::waits_for(std::string_view what) { waits_for_.replace(what); }

namespace {

auto shared_report() {
  void* const memory =
      mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
  const auto unmap = [](Report* report) { munmap(report, sizeof(Report)); };
  return std::unique_ptr<Report, decltype(unmap)>(new (memory) Report());
}

}  // namespace

/// Watches a child until it has ended. A thread of the child may have died while it held a lock of
/// the report: after that the report is only read.
struct Watch {
  static constexpr auto kStep = 10ms;
  /// The watch counts steps, not seconds of a clock. On a machine that is suspended the watch
  /// stands still, too.
  static constexpr int kStepsWithoutProgress = 500;

  pid_t child;
  Report& report;

  /// Runs in the child. Does not return.
  [[noreturn]] static void live(const std::function<void(Report&)>& body, Report& report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Nobody else would end the child.
    try {
      body(report);
    } catch (const std::exception& error) {
      report.object(std::string("it threw: ") + error.what());
    }
    report.is_done_ = true;
    _exit(0);  // All other work at the end of a process is for the parent only.
  }

  Outcome outcome() {
    int status = 0;
    std::uint64_t seen = 0;
    for (int steps = 0; !has_ended(status); ++steps) {
      const std::uint64_t progress = report.progress_;
      if (progress != seen) steps = 0;
      seen = progress;
      if (steps == kStepsWithoutProgress) return hung();
      std::this_thread::sleep_for(steps == 0 ? 1ms : kStep);
    }
    const std::string faults = report.faults_.str();
    const bool ended_well = report.is_done_ && status == 0;  // a sanitizer that saw a fault says so
    return {ended_well ? faults : faults + how_it_ended(status), report.skipped_.str()};
  }

 private:
  bool has_ended(int& status) const {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == -1 && errno != EINTR) throw std::system_error(errno, std::system_category());
    return ended == child;
  }

  Outcome hung() {
    const std::string states = conformance::state_of_threads(child);
    kill(child, SIGKILL);
    int status = 0;
    while (!has_ended(status)) std::this_thread::sleep_for(kStep);
    const std::string waiting = report.waits_for_.str();
    const std::string what = waiting.empty() ? "a call to return" : waiting;
    return {report.faults_.str() + "it hangs, waiting for " + what + ":" + states, ""};
  }

  static std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) {
      return std::string("its process was ended by a signal: ") + strsignal(WTERMSIG(status));
    }
    return "its process ended with status " + std::to_string(WEXITSTATUS(status)) +
           ", early or because a sanitizer found a fault";
  }
};

Outcome run_watched(const std::function<void(Report&)>& body) {
  const auto report = shared_report();
  const pid_t child = fork();
  if (child == -1) throw std::system_error(errno, std::system_category(), "fork");
  if (child == 0) Watch::live(body, *report);
  return Watch{child, *report}.outcome();
}

}  // namespace timers::real_time
