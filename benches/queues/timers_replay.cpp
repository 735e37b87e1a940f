/// timers_replay: writes the expiries of a correct timer queue that replays a trace.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "benches/harness/queues/golden_vector.hpp"
#include "impls/catalog.hpp"

namespace timers::benches {
namespace {

using Expectation = std::string (*)(const Trace&, std::int64_t tick_ns);

struct NamedQueue {
  std::string name;
  Expectation expectation;
};

/// The queues that are never late: all of them show the same.
std::vector<NamedQueue> queues() {
  std::vector<NamedQueue> exact;
  for_each_type(TimerQueues<Task>{}, [&]<class Queue>() {
    if constexpr (!kMayBeLate<Queue>) {
      exact.push_back({std::string(Queue::name), &expectation<Queue>});
    }
  });
  return exact;
}

[[noreturn]] void fail(const std::filesystem::path& path, int error = errno) {
  throw std::runtime_error(
      fmt::format("{}: {}", path.string(), std::generic_category().message(error)));
}

struct Close {
  void operator()(std::FILE* stream) const { std::fclose(stream); }
};
using Stream = std::unique_ptr<std::FILE, Close>;

void write(std::FILE* stream, const std::string& text, const std::filesystem::path& path) {
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0) {
    fail(path);
  }
}

/// A device or a FIFO gets the text directly. To replace it would remove it for other users.
void write_through(const std::filesystem::path& path, const std::string& text) {
  const Stream stream(std::fopen(path.c_str(), "w"));
  if (!stream) fail(path);
  write(stream.get(), text, path);
}

/// The path to which the symbolic links at the end of `path` lead. Nothing need exist there.
std::filesystem::path target_of(std::filesystem::path path) {
  while (std::filesystem::is_symlink(path)) {
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path;
}

/// The file appears under its name only when it is complete.
void replace(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path target = target_of(path);
  std::string temporary = target.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor == -1) fail(path);
  const Stream stream(::fdopen(descriptor, "w"));
  try {
    if (!stream) fail(path);
    write(stream.get(), text, path);
    std::filesystem::permissions(temporary, std::filesystem::perms(0644));
    if (std::rename(temporary.c_str(), target.c_str()) != 0) fail(path);
  } catch (...) {
    std::filesystem::remove(temporary);
    throw;
  }
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::none) fail(path, error.value());
  if (type == std::filesystem::file_type::regular ||
      type == std::filesystem::file_type::not_found) {
    replace(path, text);
  } else {
    write_through(path, text);
  }
}

int run(int argc, char** argv) {
  CLI::App app{
      "Writes the expiries that a correct timer queue shows when it replays a trace\n"
      "(the form is described in benches/traces/GOLDEN.md)."};
  const std::vector<NamedQueue> known = queues();
  std::map<std::string, Expectation> by_name;
  for (const NamedQueue& queue : known) by_name.emplace(queue.name, queue.expectation);
  const std::map<std::string, std::int64_t> ticks = {{"1ms", 1'000'000}, {"1us", 1'000}};

  std::string trace;
  std::string tick = "1ms";
  std::string queue = known.front().name;
  std::string output;
  app.add_option("--expect", trace, "The trace: a .trace, .trace.gz or .trace.zst")->required();
  app.add_option("--tick", tick, "What a tick of the queue stands for")
      ->check(CLI::IsMember(ticks))
      ->capture_default_str();
  app.add_option("--queue", queue, "The queue that shows it; the first is the reference")
      ->check(CLI::IsMember(by_name))
      ->capture_default_str();
  app.add_option("--output", output, "A file to write instead of the standard output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  const std::string text = by_name.at(queue)(read_trace(trace), ticks.at(tick));
  if (output.empty()) {
    write(stdout, text, "standard output");
  } else {
    write_file(output, text);
  }
  return 0;
}

}  // namespace
}  // namespace timers::benches

int main(int argc, char** argv) {
  try {
    return timers::benches::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "timers_replay: %s\n", error.what());
    return 2;
  }
}
