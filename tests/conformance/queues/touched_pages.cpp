#include "tests/conformance/queues/touched_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace timers::conformance {
namespace {

/// The size of a range of addresses. The system gives memory only to the pages that are used.
constexpr std::size_t kMostBytes = std::size_t{1} << 28;

/// The object that counts touches now.
TouchedPages* watching = nullptr;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

void set_access(std::byte* begin, std::size_t bytes, int access) {
  if (bytes == 0 || mprotect(begin, whole_pages(bytes), access) == 0) return;
  throw std::system_error(errno, std::system_category(), "mprotect");
}

}  // namespace

bool TouchedPages::can_be_counted() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded == nullptr || std::strstr(preloaded, "vgpreload") == nullptr;
}

TouchedPages::TouchedPages() {
  void* const begin = mmap(nullptr, kMostBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
  supplied_ = {static_cast<std::byte*>(begin), 0};
  page_size();  // So the fault handler need not compute it.
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &former_);
}

TouchedPages::~TouchedPages() {
  sigaction(SIGSEGV, &former_, nullptr);
  munmap(supplied_.begin, kMostBytes);
}

std::size_t TouchedPages::bytes() const {
  std::size_t sum = supplied_.bytes;
  for (const Region& region : reserved_) sum += region.bytes;
  return sum;
}

/// No memory is used twice. So when a call frees memory, that touches no further pages.
void* TouchedPages::supply(std::size_t bytes, std::size_t alignment) {
  const std::size_t begin = (supplied_.bytes + alignment - 1) / alignment * alignment;
  if (bytes > kMostBytes - begin) return nullptr;
  supplied_.bytes = begin + std::max<std::size_t>(bytes, 1);
  return supplied_.begin + begin;
}

bool TouchedPages::has_supplied(const void* memory) const {
  const auto* const at = static_cast<const std::byte*>(memory);
  return at >= supplied_.begin && at < supplied_.begin + kMostBytes;
}

void TouchedPages::reserved_memory_changed(std::byte* begin, std::ptrdiff_t bytes) {
  const auto find = [this](auto is_it) {
    return std::find_if(reserved_.begin(), reserved_.end(), is_it);
  };
  auto region = find([&](const Region& one) { return one.bytes > 0 && one.begin == begin; });
  if (region == reserved_.end()) {
    if (bytes < 0 || !is_asked()) return;
    region = find([](const Region& one) { return one.bytes == 0; });
    if (region == reserved_.end()) return;
    region->begin = begin;
  }
  region->bytes += static_cast<std::size_t>(bytes);
}

void TouchedPages::forbid_all() {
  watching = this;
  set_access(supplied_.begin, supplied_.bytes, PROT_NONE);
  for (const Region& region : reserved_) set_access(region.begin, region.bytes, PROT_NONE);
}

void TouchedPages::allow_all() {
  set_access(supplied_.begin, supplied_.bytes, PROT_READ | PROT_WRITE);
  for (const Region& region : reserved_)
    set_access(region.begin, region.bytes, PROT_READ | PROT_WRITE);
  watching = nullptr;
}

bool TouchedPages::open_page_at(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto open_in = [&](const Region& region) {
    const std::uintptr_t offset = at - reinterpret_cast<std::uintptr_t>(region.begin);
    if (offset >= whole_pages(region.bytes)) return false;
    ++touched_;
    std::byte* const page = region.begin + offset / page_size() * page_size();
    return mprotect(page, page_size(), PROT_READ | PROT_WRITE) == 0;
  };
  return open_in(supplied_) || std::any_of(reserved_.begin(), reserved_.end(), open_in);
}

void TouchedPages::on_fault(int, siginfo_t* info, void*) {
  if (watching != nullptr && watching->open_page_at(info->si_addr)) return;
  // The fault is not ours: it happens again, now without this handler.
  signal(SIGSEGV, SIG_DFL);
}

}  // namespace timers::conformance
