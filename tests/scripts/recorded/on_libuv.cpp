// A program on libuv, for record_preload_test.py. Its argument says what it does. It needs the
// library, but not its headers: libuv reports the sizes of its types.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

extern "C" {
struct uv_loop_t;
struct uv_handle_t;
struct uv_timer_t;
int uv_loop_init(uv_loop_t*);
int uv_loop_close(uv_loop_t*);
size_t uv_loop_size();
size_t uv_handle_size(int);
int uv_run(uv_loop_t*, int);
int uv_timer_init(uv_loop_t*, uv_timer_t*);
int uv_timer_start(uv_timer_t*, void (*)(uv_timer_t*), std::uint64_t, std::uint64_t);
int uv_timer_stop(uv_timer_t*);
int uv_timer_again(uv_timer_t*);
void uv_close(uv_handle_t*, void (*)(uv_handle_t*));
void uv_handle_set_data(uv_handle_t*, void*);
void* uv_handle_get_data(const uv_handle_t*);
}

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

struct Loop {
  uv_loop_t* const address = static_cast<uv_loop_t*>(std::malloc(uv_loop_size()));

  Loop() { uv_loop_init(address); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    check(uv_loop_close(address) == 0, "the loop is busy");
    std::free(address);
  }
  void run() const { uv_run(address, 0); }
};

/// A timer whose callback is a function. It is closed before its loop.
struct Timer {
  static constexpr int kTimer = 13;
  uv_timer_t* const address = static_cast<uv_timer_t*>(std::malloc(uv_handle_size(kTimer)));
  std::function<void()> callback;

  Timer(const Loop& loop, std::function<void()> to_call) : callback(std::move(to_call)) {
    uv_timer_init(loop.address, address);
    uv_handle_set_data(handle(), this);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() = default;

  uv_handle_t* handle() const { return reinterpret_cast<uv_handle_t*>(address); }
  int start(std::uint64_t delay, std::uint64_t repeat = 0) const {
    return uv_timer_start(
        address,
        [](uv_timer_t* timer) {
          static_cast<Timer*>(uv_handle_get_data(reinterpret_cast<uv_handle_t*>(timer)))
              ->callback();
        },
        delay, repeat);
  }
  void stop() const { uv_timer_stop(address); }
  void close() const {
    uv_close(handle(), [](uv_handle_t* closed) { std::free(closed); });
  }
};

void timers() {
  const Loop loop;
  const Timer limit(loop, [] { check(false, "a limit of 60 s expired"); });
  const Timer brief(loop, [&] {
    limit.start(60'000);  // put off
    limit.stop();
    limit.stop();  // in vain
    limit.start(60'000);
    limit.close();
    brief.close();
    check(limit.start(1) != 0, "a closing timer was started");
  });
  limit.start(60'000);
  brief.start(1);
  loop.run();
}

void repeating() {
  const Loop loop;
  int runs = 0;
  const Timer periodic(loop, [&] {
    if (++runs == 2) uv_timer_again(periodic.address);
    if (runs == 3) periodic.close();
  });
  periodic.start(1, 2);
  loop.run();
}

/// Two timers are due at once. If one comes first, it stops the other.
void together() {
  const Loop loop;
  const Timer other(loop, [] {});
  const Timer one(loop, [&] {
    other.stop();
    one.close();
    other.close();
  });
  one.start(0);
  other.start(0);
  loop.run();
}

void set_and_cancel(int times) {
  const Loop loop;
  const Timer limit(loop, [] {});
  for (int i = 0; i < times; ++i) {
    limit.start(60'000);
    limit.stop();
  }
  limit.close();
  loop.run();
}

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, void (*)()> deeds = {
      {"timers", timers}, {"repeating", repeating}, {"together", together}};
  if (const auto deed = deeds.find(arguments[1]); deed != deeds.end()) {
    deed->second();
  } else {
    set_and_cancel(std::stoi(arguments[1]));
  }
}
