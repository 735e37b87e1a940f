#include "tests/services/schedules/story.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace timers::schedules {

namespace {

/// The standard output of a shell command, as lines.
std::vector<std::string> lines_of(const std::string& command) {
  std::string output;
  if (FILE* const pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> buffer{};
    for (std::size_t size = 0; (size = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      output.append(buffer.data(), size);
    }
    pclose(pipe);
  }
  std::vector<std::string> lines;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The address of the program in memory.
std::uintptr_t start_of_program() {
  std::uintptr_t start = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* result) {
        *static_cast<std::uintptr_t*>(result) = object->dlpi_addr;
        return 1;
      },
      &start);
  return start;
}

std::string in_hex(std::uintptr_t address) {
  std::ostringstream out;
  out << "0x" << std::hex << address;
  return out.str();
}

/// The source lines of some places. Library code that is inlined has the line of our code that
/// contains it.
std::map<const void*, std::string> lines_of_source(const std::vector<Done>& done) {
  std::map<const void*, std::string> lines;
  std::string addresses;
  for (const Done& one : done) {
    if (one.step.place == nullptr || !lines.try_emplace(one.step.place).second) continue;
  }
  std::map<std::string, const void*> places;
  for (const auto& [place, line] : lines) {
    // The recorded place is the return address, which is after the call.
    const auto address = reinterpret_cast<std::uintptr_t>(place) - start_of_program() - 1;
    places.emplace(in_hex(address), place);
    addresses += ' ' + in_hex(address);
  }
  std::array<char, 4096> program{};
  if (readlink("/proc/self/exe", program.data(), program.size() - 1) <= 0) return lines;
  const std::string command =
      "addr2line -a -i -e '" + std::string(program.data()) + "'" + addresses + " 2>/dev/null";
  const void* place = nullptr;
  for (const std::string& line : lines_of(command)) {
    if (line.starts_with("0x")) {
      const std::size_t digits = line.find_first_not_of('0', 2);
      const auto found = places.find("0x" + line.substr(digits));
      place = found == places.end() ? nullptr : found->second;
    } else if (place != nullptr && lines[place].empty()) {
      const std::size_t ours = line.rfind("/impls/");
      if (ours != std::string::npos) lines[place] = line.substr(ours + 1);
    }
  }
  return lines;
}

}  // namespace

std::string story_of(const Turns& turns) {
  const std::map<const void*, std::string> lines = lines_of_source(turns.done());
  std::ostringstream out;
  std::size_t thread = static_cast<std::size_t>(-1);
  for (const Done& done : turns.done()) {
    if (done.thread != thread) {
      if (done.preempts) out << "    and is pre-empted\n";
      out << "  " << done.thread << " (" << turns.name_of(done.thread) << "):\n";
      thread = done.thread;
    }
    out << "    " << done.step.what;
    if (const auto line = lines.find(done.step.place); line != lines.end()) {
      out << "  " << line->second;
    }
    out << '\n';
  }
  return out.str();
}

}  // namespace timers::schedules
