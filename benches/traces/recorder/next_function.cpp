#include "benches/traces/recorder/next_function.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace timers::recorder {

namespace {

int add_name(dl_phdr_info* info, std::size_t /*size*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

bool is_ours(const void* function) {
  Dl_info where{};
  Dl_info here{};
  return dladdr(function, &where) != 0 && dladdr(reinterpret_cast<void*>(&find_next), &here) != 0 &&
         where.dli_fbase == here.dli_fbase;
}

}  // namespace

void* find_next(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name); next != nullptr) return next;
  // A plug-in may have loaded the library only for itself.
  std::vector<std::string> names;
  dl_iterate_phdr(&add_name, &names);
  for (const std::string& library_name : names) {
    void* const library = dlopen(library_name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* const function = dlsym(library, name);
    dlclose(library);  // the library stays loaded, as before
    if (function != nullptr && !is_ours(function)) return function;
  }
  return nullptr;
}

/// Finds the library that has this address in one of its segments.
struct LibraryOf::Search {
  std::uintptr_t address;
  Range found;

  static int look_at(dl_phdr_info* info, std::size_t /*size*/, void* data) {
    auto& search = *static_cast<Search*>(data);
    bool is_it = false;
    Range all{UINTPTR_MAX, 0};
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t first = info->dlpi_addr + segment.p_vaddr;
      const std::uintptr_t last = first + segment.p_memsz;
      all = {std::min(all.begin, first), std::max(all.end, last)};
      is_it = is_it || (first <= search.address && search.address < last);
    }
    if (is_it) search.found = all;
    return is_it ? 1 : 0;
  }
};

LibraryOf::Range LibraryOf::around(const void* address) {
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(&Search::look_at, &search);
  return search.found;
}

bool LibraryOf::made(const void* return_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  const auto& ranges = its_and_ours_.get([this] {
    return std::array{around(find_next(function_)),
                      around(reinterpret_cast<const void*>(&find_next))};
  });
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return range.begin <= address && address < range.end;
  });
}

}  // namespace timers::recorder
