#include "benches/traces/recorder/plain_lines.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <mutex>
#include <string_view>

namespace timers::recorder {

namespace {

/// A line has the time in 19 bytes, the verb in 6, the timer in 16, the deadline in 19, blanks
/// between them, and the end. All lines have the same length, because many threads write them at
/// once.
constexpr std::size_t kLine = 64;
using Line = std::array<char, kLine>;

constexpr std::string_view kFull = "# the file is full: what came later is not recorded (--most)";

/// It has no destructor, because the program may have timers until its very end.
struct File {
  std::mutex making;
  std::atomic<char*> lines = nullptr;
  std::atomic<bool> cannot_be_made = false;
  std::atomic<std::size_t> next = 0;
  std::size_t most = 0;
};
constinit File file;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Whether the limit on file sizes allows this. To exceed it would kill the program.
bool may_be_so_large(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

/// Makes a file for this process, which may have run another program before.
int open_new_file(const char* folder) {
  std::array<char, 4096> path{};
  const auto process = static_cast<int>(getpid());
  std::snprintf(path.data(), path.size(), "%s/%d.lines", folder, process);
  for (int program = 2;; ++program) {
    const int descriptor = open(path.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor != -1 || errno != EEXIST) return descriptor;
    std::snprintf(path.data(), path.size(), "%s/%d-%d.lines", folder, process, program);
  }
}

/// Reserves the whole file. Its descriptor is closed at once, but the file stays mapped.
char* map_file(const char* folder, std::size_t bytes) {
  const int descriptor = open_new_file(folder);
  if (descriptor == -1) return nullptr;
  const int error =
      may_be_so_large(bytes) ? posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) : EFBIG;
  void* const memory = error == 0
                           ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                           : MAP_FAILED;
  close(descriptor);
  if (error != 0) errno = error;
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

char* make_file() {
  const std::scoped_lock lock(file.making);
  if (file.lines != nullptr || file.cannot_be_made) return file.lines;
  const char* const folder = std::getenv("TIMERBENCH_RECORD_FOLDER");
  const char* const most = std::getenv("TIMERBENCH_RECORD_MOST");
  if (folder != nullptr && most != nullptr) {
    file.most = std::strtoull(most, nullptr, 10);
    file.lines = map_file(folder, file.most * kLine);
    if (file.lines == nullptr) {
      std::fprintf(stderr, "record.py: process %d is not recorded: %s\n",
                   static_cast<int>(getpid()), std::strerror(errno));
    }
  }
  file.cannot_be_made = file.lines == nullptr;
  return file.lines;
}

char* lines_of_this_process() {
  char* const lines = file.lines.load(std::memory_order_acquire);
  if (lines != nullptr || file.cannot_be_made.load(std::memory_order_relaxed)) return lines;
  return make_file();
}

/// Writes the number right-aligned into the bytes before `end`.
template <class Integer>
void put_number(char* end, Integer value, int base = 10) {
  std::array<char, 24> digits{};
  const char* const last =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  std::copy_backward(static_cast<const char*>(digits.data()), last, end);
}

void put_word(char* begin, std::string_view word) { std::copy(word.begin(), word.end(), begin); }

/// Writes the end of the line first. So if a line is not complete, a reader sees that, and where it
/// ends.
void write_line(const Line& line) {
  char* const lines = lines_of_this_process();
  if (lines == nullptr) return;
  const std::size_t place = file.next.fetch_add(1, std::memory_order_relaxed);
  if (place >= file.most) return;
  char* const target = lines + place * kLine;
  *static_cast<volatile char*>(target + kLine - 1) = '\n';
  if (place + 1 == file.most) {
    std::fill_n(target, kLine - 1, ' ');
    put_word(target, kFull);
  } else {
    std::copy_n(line.begin(), kLine - 1, target);
  }
}

/// A line whose deadline is still missing.
Line line_of(std::int64_t time, std::string_view verb, const void* timer) {
  Line line;
  line.fill(' ');
  put_number(line.data() + 19, time);
  put_word(line.data() + 20, verb);
  put_number(line.data() + 43, reinterpret_cast<std::uintptr_t>(timer), 16);
  return line;
}

void begin_anew_in_child() {
  file.lines = nullptr;
  file.next = 0;
  file.cannot_be_made = false;
  file.making.unlock();
}

/// A child maps its own file when it has something to record. Most children only run another
/// program.
///
/// A thread that holds the lock of Watched may wait for our lock. So a fork must take our lock
/// last. A fork takes the locks in the reverse order of their registration, so ours is registered
/// first: constructors with a number run before those without.
[[gnu::constructor(101)]] void prepare_for_forks() {
  pthread_atfork([] { file.making.lock(); }, [] { file.making.unlock(); }, begin_anew_in_child);
}

}  // namespace

void record_set(const void* timer, std::int64_t delay_ns) {
  const std::int64_t time = now();
  Line line = line_of(time, "set", timer);
  const std::int64_t longest = std::numeric_limits<std::int64_t>::max() - time;
  put_number(line.data() + 63, time + std::min(delay_ns, longest));
  write_line(line);
}

void record_cancel(const void* timer) { write_line(line_of(now(), "cancel", timer)); }

void record_expiry(const void* timer) { write_line(line_of(now(), "expire", timer)); }

void prepare_lines() { lines_of_this_process(); }

}  // namespace timers::recorder
