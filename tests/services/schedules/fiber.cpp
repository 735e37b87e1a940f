#include "tests/services/schedules/fiber.hpp"

#include <cxxabi.h>
#include <link.h>
#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace timers {

namespace {

constexpr std::size_t kBytesOfStack = std::size_t{1} << 18;

/// The thread-local variables of this program: their current values and their initial ones. Those
/// of shared libraries are left alone.
struct ThreadLocals {
  std::byte* now = nullptr;
  std::size_t size = 0;
  std::vector<std::byte> initial;

  static const ThreadLocals& of_program() {
    static const ThreadLocals found = find();
    return found;
  }

 private:
  static ThreadLocals find() {
    ThreadLocals found;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* result) {
          auto& into = *static_cast<ThreadLocals*>(result);
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto& segment = object->dlpi_phdr[i];
            if (segment.p_type != PT_TLS) continue;
            into.now = static_cast<std::byte*>(object->dlpi_tls_data);
            into.size = segment.p_memsz;
            into.initial.resize(segment.p_memsz);
            const std::uintptr_t image = object->dlpi_addr + segment.p_vaddr;
            // NOLINTNEXTLINE(performance-no-int-to-ptr): so the system says where things are
            const auto* const bytes = reinterpret_cast<const std::byte*>(image);
            std::copy_n(bytes, segment.p_filesz, into.initial.begin());
          }
          return 1;  // The first object is the program. No other object is visited.
        },
        &found);
    return found;
  }
};

Fiber* entering = nullptr;  // the fiber that begins now

}  // namespace

struct Fiber::Stack {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> bytes{new std::byte[kBytesOfStack]};
};

Fiber::Fiber() = default;
Fiber::~Fiber() = default;

void Fiber::begin(std::function<void()> body, std::function<void()> last) {
  if (stack_ == nullptr) stack_ = std::make_unique<Stack>();
  body_ = std::move(body);
  last_ = std::move(last);
  begun_ = false;
  at_end_.clear();
  exceptions_ = {};
  thread_locals_ = ThreadLocals::of_program().initial;
  getcontext(&stack_->context);
  stack_->context.uc_stack.ss_sp = stack_->bytes.get();
  stack_->context.uc_stack.ss_size = kBytesOfStack;
  stack_->context.uc_link = nullptr;
  makecontext(&stack_->context, &Fiber::enter, 0);
}

void Fiber::enter() {
  Fiber& self = *entering;
  self.body_();
  while (!self.at_end_.empty()) {  // A destructor may make another variable.
    const AtEnd latest = self.at_end_.back();
    self.at_end_.pop_back();
    latest.destroy(latest.object);
  }
  self.last_();
}

void Fiber::hand_over_to(Fiber& next) {
  save();
  next.restore();
  // To switch to a context of the system takes a system call. A jump does the same without one.
  if (_setjmp(place_) != 0) return;
  if (next.begun_ || next.stack_ == nullptr) {
    _longjmp(next.place_, 1);
  } else {
    next.begun_ = true;
    entering = &next;
    setcontext(&next.stack_->context);
  }
}

void Fiber::at_end(void (*destroy)(void*), void* object) { at_end_.push_back({destroy, object}); }

void Fiber::save() {
  const ThreadLocals& all = ThreadLocals::of_program();
  thread_locals_.resize(all.size);
  std::memcpy(thread_locals_.data(), all.now, all.size);
  std::memcpy(exceptions_.data(), abi::__cxa_get_globals(), exceptions_.size());
}

void Fiber::restore() {
  const ThreadLocals& all = ThreadLocals::of_program();
  std::memcpy(all.now, thread_locals_.data(), all.size);
  std::memcpy(abi::__cxa_get_globals(), exceptions_.data(), exceptions_.size());
}

}  // namespace timers
