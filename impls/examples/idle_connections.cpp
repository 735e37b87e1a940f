// An event loop with a timer queue: an echo server that closes connections which are idle.
//
// Each connection has one timer, which stays as long as the connection. A message puts it off: then
// the wheel writes only to that timer.

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "impls/queues/lazy_wheel.hpp"

namespace {

using timers::Tick;

constexpr Tick kIdleLimit = 200;  // a tick is a millisecond

struct Connection {
  int socket;
  bool is_open = true;
};

class EchoServer {
 public:
  /// Takes a socket, and closes it.
  void serve(int socket) {
    connections_.push_back(queue_.make({.socket = socket}));
    put_off(connections_.back());
  }

  /// Waits until the last connection is closed. Returns how many were closed because they were
  /// idle.
  std::size_t run() {
    std::size_t idle = 0;
    while (!connections_.empty()) {
      answer();
      idle += queue_.expire(now(), [](Tick, Connection& connection) { close(connection); });
      std::erase_if(connections_, [this](Timer& timer) { return !queue_.task(timer).is_open; });
    }
    return idle;
  }

 private:
  using Queue = timers::LazyWheel<Connection>;
  using Timer = Queue::Timer;
  using Clock = std::chrono::steady_clock;

  static void close(Connection& connection) {
    ::close(connection.socket);
    connection.is_open = false;
  }

  /// Full ticks since the start.
  Tick now() const {
    using std::chrono::duration_cast, std::chrono::milliseconds;
    return static_cast<Tick>(duration_cast<milliseconds>(Clock::now() - start_).count());
  }

  /// The present tick has begun already. One more makes the limit long enough.
  void put_off(Timer& timer) { queue_.arm(timer, now() + kIdleLimit + 1); }

  /// Waits for messages, at most until the next timer is due, and sends them back.
  void answer() {
    sockets_.clear();
    for (Timer& timer : connections_) {
      sockets_.push_back({.fd = queue_.task(timer).socket, .events = POLLIN, .revents = 0});
    }
    const Tick next = queue_.next_expiry().value();  // each connection has a timer that is pending
    const Tick wait = next - std::min(next, now());
    if (poll(sockets_.data(), sockets_.size(), static_cast<int>(wait)) < 0) {
      if (errno == EINTR) return;
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      if (sockets_[i].revents != 0) answer(connections_[i]);
    }
  }

  void answer(Timer& timer) {
    Connection& connection = queue_.task(timer);
    std::array<char, 1024> message;
    const ssize_t size = read(connection.socket, message.data(), message.size());
    // Messages are short here. A server would keep what the socket does not take at once.
    if (size > 0 && send(connection.socket, message.data(), static_cast<std::size_t>(size),
                         MSG_NOSIGNAL | MSG_DONTWAIT) == size) {
      put_off(timer);
    } else {
      queue_.disarm(timer);
      close(connection);
    }
  }

  Clock::time_point start_ = Clock::now();
  Queue queue_;
  std::vector<Timer> connections_;  // the owners; the queue outlives them
  std::vector<pollfd> sockets_;     // of the connections, in their order
};

/// Makes a connection. Returns two sockets: the first is for the server, the second for a client.
std::pair<int, int> connect() {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {ends[0], ends[1]};
}

/// Says something a few times, waits for each answer, and hangs up.
void talk(int socket) {
  constexpr std::string_view kMessage = "hello";
  std::array<char, kMessage.size()> answer;
  for (int i = 0; i < 5; ++i) {
    if (send(socket, kMessage.data(), kMessage.size(), MSG_NOSIGNAL) <= 0) break;
    if (read(socket, answer.data(), answer.size()) <= 0) break;
  }
  close(socket);
}

}  // namespace

int main() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  EchoServer server;
  const auto [busy, talker] = connect();
  const auto [idle, silent] = connect();
  server.serve(busy);
  server.serve(idle);
  std::thread client(talk, talker);
  const std::size_t closed = server.run();
  client.join();
  close(silent);
  const std::chrono::duration<double, std::milli> took = Clock::now() - start;
  std::printf("closed for being idle: %zu, after %.0f ms\n", closed, took.count());
  return took.count() >= kIdleLimit ? 0 : 1;
}
