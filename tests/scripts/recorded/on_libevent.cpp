// A program on libevent, for record_preload_test.py. Its argument says what it does. It needs the
// library, but not its headers.
//
// It assumes only an order of events: that a timer of 1 ms expires, however late.

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

extern "C" {
struct event;
struct event_base;
using event_callback_fn = void (*)(int, short, void*);
event_base* event_base_new();
void event_base_free(event_base*);
int event_base_dispatch(event_base*);
int event_base_loop(event_base*, int);
event_base* event_init();
void event_set(event*, int, short, event_callback_fn, void*);
int event_dispatch();
int event_loop(int);
int event_base_once(event_base*, int, short, event_callback_fn, void*, const timeval*);
event* event_new(event_base*, int, short, event_callback_fn, void*);
int event_assign(event*, event_base*, int, short, event_callback_fn, void*);
size_t event_get_struct_event_size();
int event_add(event*, const timeval*);
int event_del(event*);
int event_remove_timer(event*);
void event_free(event*);
int event_finalize(unsigned, event*, void (*)(event*, void*));
void* event_self_cbarg();
void* event_get_callback_arg(const event*);
event_callback_fn event_get_callback(const event*);
void event_get_assignment(const event*, event_base**, int*, short*, event_callback_fn*, void**);
}

namespace {

constexpr short kTimeout = 1;
constexpr short kRead = 2;
constexpr short kPersist = 16;
constexpr timeval kShort{0, 1'000};
constexpr timeval kLong{60, 0};

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

/// An event whose callback is a function.
struct Event {
  event* address;
  std::function<void(short)> callback;

  Event(event_base* base, int descriptor, short what, std::function<void(short)> to_call)
      : address(event_new(base, descriptor, what, &call, this)), callback(std::move(to_call)) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { event_free(address); }
  static void call(int, short what, void* self) { static_cast<Event*>(self)->callback(what); }
};

void ignore(int, short, void*) {}

void timers() {
  event_base* const base = event_base_new();
  {
    Event limit(base, -1, 0, [](short) { check(false, "a limit of 60 s expired"); });
    Event brief(base, -1, 0, [&](short what) {
      check(what == kTimeout, "not a timeout");
      event_add(limit.address, &kLong);  // put off
      event_del(limit.address);
      event_del(limit.address);  // in vain
    });
    event_add(limit.address, &kLong);
    event_add(brief.address, &kShort);
    event_base_dispatch(base);
    event_add(limit.address, &kLong);
  }  // freed while it waits
  event_base_free(base);
}

void persistent() {
  event_base* const base = event_base_new();
  int runs = 0;
  Event periodic(base, -1, kPersist, [&](short) {
    if (++runs == 3) event_del(periodic.address);
  });
  event_add(periodic.address, &kShort);
  event_base_loop(base, 0);
}

/// A byte comes before the deadline. It puts off the deadline of a persistent event, and ends the
/// timer of another one.
void input() {
  event_base* const base = event_base_new();
  int ends[2];
  check(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3, "no pipe");
  char byte;
  Event stays(base, ends[0], kRead | kPersist, [&](short what) {
    check(what == kRead && read(ends[0], &byte, 1) == 1, "nothing to read");
    if (byte == 'b') event_remove_timer(stays.address);
    if (byte == 'c') event_del(stays.address);
  });
  event_add(stays.address, &kLong);
  event_base_dispatch(base);

  check(write(ends[1], "d", 1) == 1, "no write");
  Event ends_then(base, ends[0], kRead, [&](short) { check(read(ends[0], &byte, 1) == 1, ""); });
  event_add(ends_then.address, &kLong);
  event_base_dispatch(base);
  Event another(base, -1, 0, [](short) {});
  event_add(another.address, &kLong);
}

void once() {
  event_base* const base = event_base_new();
  event_base_once(base, -1, kTimeout, ignore, nullptr, &kShort);
  event_base_dispatch(base);
}

void base_freed() {
  event_base* const base = event_base_new();
  for (int i = 0; i < 3; ++i) event_add(event_new(base, -1, 0, ignore, nullptr), &kLong);
  event_base_free(base);
}

/// The program asks for the data of an event, and gets its own data. The callback gets its own
/// argument.
void asked() {
  event_base* const base = event_base_new();
  auto* const mine = static_cast<event*>(std::malloc(event_get_struct_event_size()));
  int number = 0;
  event_assign(mine, base, -1, kRead, ignore, &number);
  check(event_get_callback(mine) == &ignore, "another callback");
  check(event_get_callback_arg(mine) == &number, "another argument");
  event_callback_fn callback = nullptr;
  void* argument = nullptr;
  event_get_assignment(mine, nullptr, nullptr, nullptr, &callback, &argument);
  check(callback == &ignore && argument == &number, "another assignment");
  static event* seen = nullptr;
  event_callback_fn remember = [](int, short, void* self) { seen = static_cast<event*>(self); };
  event_assign(mine, base, -1, 0, remember, event_self_cbarg());
  event_add(mine, &kShort);
  event_base_dispatch(base);
  check(seen == mine, "an event did not get itself");

  event_assign(mine, base, -1, 0, ignore, &number);
  event_add(mine, &kLong);
  event_finalize(0, mine, [](event*, void* argument) { *static_cast<int*>(argument) = 42; });
  event_base_dispatch(base);
  check(number == 42, "another finalizer");
  std::free(mine);
}

/// In the way of programs for libevent 1: there is only one base.
void of_old() {
  event_init();
  auto* const mine = static_cast<event*>(std::malloc(event_get_struct_event_size()));
  event_set(mine, -1, 0, ignore, nullptr);
  event_add(mine, &kShort);
  event_dispatch();
  event_add(mine, &kShort);
  event_loop(0);
  std::free(mine);
}

/// Sets and ends timers `times` times.
void set_and_cancel(int times) {
  event_base* const base = event_base_new();
  event* const limit = event_new(base, -1, 0, ignore, nullptr);
  for (int i = 0; i < times; ++i) {
    event_add(limit, &kLong);
    event_del(limit);
  }
  event_free(limit);
  event_base_free(base);
}

void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back(set_and_cancel, 1'000);
  for (std::thread& thread : all) thread.join();
}

/// Children are forked while threads record.
void forks() {
  std::vector<std::thread> all;
  for (int i = 0; i < 2; ++i) all.emplace_back(set_and_cancel, 2'000);
  for (int i = 0; i < 5; ++i) {
    if (const pid_t child = fork(); child == 0) {
      set_and_cancel(10);
      _exit(0);
    } else {
      int status = 1;
      check(waitpid(child, &status, 0) == child && status == 0, "a child failed");
    }
  }
  for (std::thread& thread : all) thread.join();
}

/// The process goes on with another program, here itself.
void executes() {
  set_and_cancel(3);
  execl("/proc/self/exe", "on_libevent", "2", nullptr);
  check(false, "the program cannot be executed");
}

/// The program closes all descriptors, as daemons do, and is killed.
void killed() {
  for (int descriptor = 3; descriptor < 100; ++descriptor) close(descriptor);
  set_and_cancel(100);
  std::raise(SIGKILL);
}

/// Destructors of static objects end timers after main.
void at_exit() {
  static event* limit = event_new(event_base_new(), -1, 0, ignore, nullptr);
  static struct Late {
    ~Late() { event_free(limit); }
  } late;
  event_add(limit, &kLong);
}

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, void (*)()> deeds = {
      {"timers", timers}, {"persistent", persistent}, {"input", input},
      {"once", once},     {"base_freed", base_freed}, {"asked", asked},
      {"of_old", of_old}, {"threads", threads},       {"forks", forks},
      {"killed", killed}, {"at_exit", at_exit},       {"executes", executes}};
  if (const auto deed = deeds.find(arguments[1]); deed != deeds.end()) {
    deed->second();
  } else {
    set_and_cancel(std::stoi(arguments[1]));
  }
}
