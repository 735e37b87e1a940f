// A program on libev, for record_preload_test.py. Its argument says what it does. It needs the
// library, but not its headers.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

extern "C" {
struct ev_loop;

/// An ev_timer; or an ev_periodic, which has a few more members.
struct ev_watcher {
  int active;
  int pending;
  int priority;
  void* data;
  void (*callback)(ev_loop*, ev_watcher*, int);
  double at;
  union {
    double repeat;
    struct {
      double offset;
      double interval;
      double (*reschedule)(ev_watcher*, double);
    } periodic;
  };
};
ev_loop* ev_loop_new(unsigned);
void ev_loop_destroy(ev_loop*);
int ev_run(ev_loop*, int);
double ev_now(ev_loop*);
void ev_timer_start(ev_loop*, ev_watcher*);
void ev_timer_stop(ev_loop*, ev_watcher*);
void ev_timer_again(ev_loop*, ev_watcher*);
void ev_periodic_start(ev_loop*, ev_watcher*);
void ev_periodic_stop(ev_loop*, ev_watcher*);
void ev_feed_event(ev_loop*, void*, int);
}

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

/// A watcher whose callback is a function.
struct Watcher : ev_watcher {
  std::function<void(int)> function;

  explicit Watcher(std::function<void(int)> to_call) : ev_watcher{}, function(std::move(to_call)) {
    callback = &call;
  }
  static void call(ev_loop*, ev_watcher* self, int what) {
    static_cast<Watcher*>(self)->function(what);
  }
};

struct Timer : Watcher {
  Timer(double after, double repeats, std::function<void(int)> to_call)
      : Watcher(std::move(to_call)) {
    at = after;
    repeat = repeats;
  }
};

void timers() {
  ev_loop* const loop = ev_loop_new(0);
  Timer limit(60, 60, [](int) { check(false, "a limit of 60 s expired"); });
  Timer brief(0.001, 0, [&](int) {
    ev_timer_again(loop, &limit);  // put off
    ev_timer_stop(loop, &limit);
    ev_timer_stop(loop, &limit);  // in vain
  });
  ev_timer_start(loop, &limit);
  ev_timer_start(loop, &limit);  // it is started already
  ev_timer_start(loop, &brief);
  ev_run(loop, 0);
  check(limit.callback == &Watcher::call && brief.callback == &Watcher::call, "not its own");

  ev_timer_again(loop, &limit);  // starts it
  limit.repeat = 0;
  ev_timer_again(loop, &limit);  // stops it
  limit.repeat = 60;
  ev_timer_again(loop, &limit);
  ev_loop_destroy(loop);
}

void repeating() {
  ev_loop* const loop = ev_loop_new(0);
  int runs = 0;
  Timer periodic(0.001, 0.002, [&](int) {
    if (++runs == 3) ev_timer_stop(loop, &periodic);
  });
  ev_timer_start(loop, &periodic);
  ev_run(loop, 0);
  ev_loop_destroy(loop);
}

void wall_clock() {
  ev_loop* const loop = ev_loop_new(0);
  int runs = 0;
  Watcher periodic([&](int) {
    if (++runs == 2) ev_periodic_stop(loop, &periodic);
  });
  periodic.periodic = {0, 0.01, nullptr};
  ev_periodic_start(loop, &periodic);
  ev_run(loop, 0);
  Watcher at_a_time([](int) {});
  at_a_time.periodic = {ev_now(loop) + 3600, 0, nullptr};
  ev_periodic_start(loop, &at_a_time);
  ev_loop_destroy(loop);
}

/// A callback that is called before the deadline; and a watcher that changes its loop.
void odd() {
  ev_loop* loop = ev_loop_new(0);
  int runs = 0;
  Timer limit(60, 0, [&](int what) {
    ++runs;
    if (what != 0x100) ev_timer_stop(loop, &limit);
  });
  ev_timer_start(loop, &limit);
  ev_feed_event(loop, &limit, 0x01000000);
  ev_run(loop, 0);
  limit.at = 60;
  ev_timer_start(loop, &limit);
  ev_loop_destroy(loop);
  loop = ev_loop_new(0);
  limit.active = 0;
  limit.at = 0.001;
  ev_timer_start(loop, &limit);
  ev_run(loop, 0);
  ev_loop_destroy(loop);
  check(runs == 2, "not called twice");
}

void set_and_cancel(int times) {
  ev_loop* const loop = ev_loop_new(0);
  Timer limit(60, 0, [](int) {});
  for (int i = 0; i < times; ++i) {
    limit.at = 60;
    ev_timer_start(loop, &limit);
    ev_timer_stop(loop, &limit);
  }
  ev_loop_destroy(loop);
}

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, void (*)()> deeds = {
      {"timers", timers}, {"repeating", repeating}, {"wall_clock", wall_clock}, {"odd", odd}};
  if (const auto deed = deeds.find(arguments[1]); deed != deeds.end()) {
    deed->second();
  } else {
    set_and_cancel(std::stoi(arguments[1]));
  }
}
