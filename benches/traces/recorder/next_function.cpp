#include "benches/traces/recorder/next_function.hpp"

#include <dlfcn.h>
#include <link.h>

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

struct Range {
  std::uintptr_t within;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& range = *static_cast<Range*>(data);
  bool is_it = false;
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t first = info->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t last = first + segment.p_memsz;
    if (first < begin) begin = first;
    if (last > end) end = last;
    is_it = is_it || (first <= range.within && range.within < last);
  }
  if (!is_it) return 0;
  range.begin = begin;
  range.end = end;
  return 1;
}

}  // namespace

void* find_next(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name); next != nullptr) return next;
  // A plug-in may have brought the library for itself alone.
  std::vector<std::string> names;
  dl_iterate_phdr(&add_name, &names);
  for (const std::string& library_name : names) {
    void* const library = dlopen(library_name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* const function = dlsym(library, name);
    dlclose(library);  // it stays loaded, as it was before
    if (function != nullptr && !is_ours(function)) return function;
  }
  return nullptr;
}

bool LibraryOf::made(const void* return_address) const {
  static const LibraryOf ours(reinterpret_cast<const void*>(&find_next));
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  const auto is_in = [&](const LibraryOf& library) {
    return library.begin_ <= address && address < library.end_;
  };
  return is_in(*this) || is_in(ours);
}

LibraryOf::LibraryOf(const void* function) {
  Range range{reinterpret_cast<std::uintptr_t>(function)};
  dl_iterate_phdr(&look_at, &range);
  begin_ = range.begin;
  end_ = range.end;
}

}  // namespace timers::recorder
