#pragma once

/// Runs a small program of two to four threads in every execution that the memory model of C++
/// allows.
///
///     struct Program {                        // a new one for each run
///       StepwiseAtomic<bool> is_ready = false;
///       Checked<int> value = 0;               // plain: a race on it is a fault
///       int seen = 1;
///       void first() { value = 1; is_ready.store(true, std::memory_order_release); }
///       void second() { if (is_ready.load(std::memory_order_acquire)) seen = value; }
///       std::string fault() const;            // called at the end: what is wrong, or ""
///     };
///     explore<Program>()                      // {2 runs, no fault}
///
/// The program runs again and again, each time with other choices, until all are tried (depth-first
/// search). There are three kinds of choices: which of several stores a load reads, also old ones;
/// before which others a store comes in the modification order; and whether a
/// compare_exchange_weak fails spuriously, once in a run. `Execution` says what is allowed.
///
/// There is no choice of the thread that runs next: it is the first thread that can. If a load is
/// to read a store that another thread has not made yet, the load *waits* for this store. An
/// execution is what every load reads, and the modification orders. So each execution is run
/// exactly once: interleavings that have the same execution are not distinguished (as in optimal
/// partial order reduction; Abdulla and others, 2014). Some runs are cut short, because a load
/// waits for a store that never comes.
///
/// This proves that no execution of these threads leads to a fault that the program checks for, nor
/// to a race on a Checked value. It says nothing about other programs, and nothing about load
/// buffering (see Execution). A thread must not spin: each of its loops must end, whatever it
/// reads.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/services/explorer/execution.hpp"
#include "tests/services/explorer/fiber.hpp"

namespace timers {

/// The place in the code of an access.
struct CodeSite {
  const char* file = "";
  const char* function = "";

  /// Use it as a default argument of a function. Then it is the place of the call.
  static constexpr CodeSite here(const char* file = __builtin_FILE(),
                                 const char* function = __builtin_FUNCTION()) {
    return {file, function};
  }
};

/// A memory order in `impls`: the function that contains it, and the operation to which it belongs.
struct CodeOrder {
  std::string file;      // without its folders
  std::string function;  // without template arguments
  std::string operation;
  std::memory_order order{};

  auto key() const { return std::tie(file, function, operation, order); }
  bool operator<(const CodeOrder& other) const { return key() < other.key(); }
  bool operator==(const CodeOrder& other) const { return key() == other.key(); }
};

/// Replaces one order in the code by a weaker one.
struct Weakening {
  CodeOrder where;
  std::memory_order to{};
};

class Explorer {
 public:
  using Word = Execution::Word;
  using Order = std::memory_order;
  /// Names an access. `is_before` says which of two came first.
  using Moment = Execution::Id;

  enum class Operation : std::uint8_t {
    load,
    store,
    exchange,
    fetch_and,
    fetch_or,
    fetch_add,
    fetch_sub,
    compare_exchange_strong,
    compare_exchange_weak,
    await  // an exchange that waits until it reads what it expects
  };

  struct Request {
    Operation operation = Operation::load;
    Order order = std::memory_order_seq_cst;
    std::optional<Order> order_of_failure{};  // if not given, it follows from `order`
    Word operand = 0;
    Word expected = 0;
    Word mask = ~Word{0};  // the bits of the value
    CodeSite site;

    Order on_failure() const {
      if (order_of_failure) return *order_of_failure;
      if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
      return order == std::memory_order_release ? std::memory_order_relaxed : order;
    }
  };

  struct Result {
    Word seen = 0;
    bool has_changed = false;
  };

  explicit Explorer(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.push_back(std::make_unique<Thread>([this, i](Fiber&) { act(i); }));
    }
    outer_ = std::exchange(here_, this);
  }
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;
  ~Explorer() { here_ = outer_; }

  /// Each run has three steps. After `begin`, the caller makes the program. `run` runs its threads.
  /// Then the caller examines the program and destroys it.
  void begin() {
    execution_.clear();
    depth_ = 0;
    may_fail_ = true;
    is_over_ = false;
    fault_.clear();
    for (auto& thread : threads_) thread->state = State::ready;
  }

  /// Returns whether the run came to its end. It did not if a load waited for a store that never
  /// came, or if there is a fault.
  bool run(std::vector<std::function<void()>> deeds) {
    deeds_ = std::move(deeds);
    execution_.fork();
    while (!is_over_) {
      Thread* const next = first_ready();
      if (next == nullptr) break;
      enter(*next);
    }
    const bool is_cut_short = !is_over_ && some_wait();
    if (is_cut_short && none_could_go_on()) fault_ = "threads wait for each other for ever";
    is_over_ = true;
    for (auto& thread : threads_) {
      if (thread->state == State::waiting || thread->has_begun) enter(*thread);
    }
    execution_.join();
    return fault_.empty() && !is_cut_short;
  }

  /// The fault of the run, apart from the faults that the program itself checks for.
  const std::string& fault() const { return fault_; }

  /// Whether there is another sequence of choices.
  bool next() {
    while (!path_.empty() && path_.back().taken + 1u == path_.back().of) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  /// From now on one order in the code is replaced by a weaker one.
  void weaken(const Weakening& weakening) { weakening_ = &weakening; }
  /// From now on all orders in the code that are used are recorded.
  void note_orders(std::set<CodeOrder>& orders) { orders_ = &orders; }

  // For the values of a program.

  static void make(Execution::Location& location, Word value) {
    here_->execution_.store(here_->current_, location, 0, value, std::memory_order_relaxed);
  }
  static void unmake(Execution::Location& location) { here_->end_location(location); }
  static Result access(Execution::Location& location, Request request) {
    return here_->access_by_current(location, request);
  }
  static void touch(Execution::Plain& plain, bool writes) {
    here_->touch_by_current(plain, writes);
  }
  static void fence(Order order) { here_->execution_.fence(here_->current_, order); }

  // For a program.

  /// The last access of this thread.
  static Moment last_access() { return here_->last_accesses_[here_->current_]; }
  /// Whether an access came before another one. If both access the same location, its order
  /// decides; otherwise, whether the one happened before the other.
  static bool is_before(Moment one, Moment other) {
    return here_->execution_.is_before(one, other);
  }

 private:
  enum class State : std::uint8_t { ready, waiting, done };

  struct Thread {
    explicit Thread(std::function<void(Fiber&)> body) : fiber(std::move(body)) {}

    Fiber fiber;
    State state = State::ready;
    bool has_begun = false;
    // For a thread that waits:
    Execution::Location* location = nullptr;
    Request request;
    Result result;
  };

  /// Thrown to end a run early.
  struct Abandoned {};

  /// One way to do an access: the place of the store that it reads, or where its own store is put.
  struct Way {
    std::size_t place = 0;
    bool changes = false;
    bool fails = false;
  };

  struct Choice {
    std::size_t taken = 0;
    std::size_t of = 0;
  };

  static inline thread_local Explorer* here_ = nullptr;

  void act(std::size_t self) {
    threads_[self]->has_begun = true;
    try {
      deeds_[self]();
    } catch (const Abandoned&) {
    }
    threads_[self]->state = State::done;
    threads_[self]->has_begun = false;
  }

  void enter(Thread& thread) {
    for (current_ = 0; threads_[current_].get() != &thread;) ++current_;
    thread.fiber.enter();
    current_ = Execution::kMaker;
  }

  Thread* first_ready() {
    for (auto& thread : threads_) {
      if (thread->state == State::ready) return thread.get();
    }
    return nullptr;
  }
  bool some_wait() const {
    return std::any_of(threads_.begin(), threads_.end(),
                       [](const auto& thread) { return thread->state == State::waiting; });
  }
  /// If all threads wait: whether no thread has a store to read.
  bool none_could_go_on() const {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i]->state != State::waiting) continue;
      std::vector<Way> ways;
      add_ways(ways, i, *threads_[i]->location, threads_[i]->request);
      if (!ways.empty()) return false;
    }
    return true;
  }
  bool another_is_ready() const {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (i != current_ && threads_[i]->state == State::ready) return true;
    }
    return false;
  }

  void fail(const char* fault) {
    if (fault_.empty()) fault_ = fault;
    is_over_ = true;
    throw Abandoned();
  }

  /// Returns false if the run goes on. Otherwise throws, to end the thread. But where a throw is
  /// forbidden, it returns true: for a store, which may be in a destructor, and while another
  /// exception is in flight.
  bool is_over_for(Operation operation) const {
    if (!is_over_) return false;
    if (operation != Operation::store && std::uncaught_exceptions() == 0) throw Abandoned();
    return true;
  }

  Result access_by_current(Execution::Location& location, Request request) {
    if (current_ == Execution::kMaker)
      return perform(current_, location, request, last_way(location, request));
    if (is_over_for(request.operation)) return {request.expected, true};
    put_orders(request);
    if (execution_.is_too_long()) fail("a run does not end");
    if (!execution_.knows_making(current_, location))
      fail("an atomic value is used while it is made");

    std::vector<Way>& ways = ways_;
    ways.clear();
    add_ways(ways, current_, location, request);
    const bool may_wait = request.operation != Operation::store && another_is_ready();
    const std::size_t choice = choose(ways.size() + (may_wait ? 1 : 0));
    const std::size_t self = current_;
    if (choice == ways.size()) return wait(location, request);
    const Result result = perform(self, location, request, ways[choice]);
    if (first_ready() != threads_[self].get()) leave(self);
    return result;
  }

  void leave(std::size_t self) { threads_[self]->fiber.leave(); }

  Result wait(Execution::Location& location, const Request& request) {
    const std::size_t number = current_;
    Thread& self = *threads_[number];
    self.state = State::waiting;
    self.location = &location;
    self.request = request;
    leave(number);
    if (self.state == State::waiting) throw Abandoned();
    return self.result;
  }

  /// Makes an access. Threads that wait for it may then read what it stored.
  Result perform(std::size_t thread, Execution::Location& location, const Request& request,
                 const Way& way) {
    if (request.operation == Operation::store) {
      last_accesses_[thread] =
          execution_.store(thread, location, way.place, request.operand, request.order);
      offer(location, way.place);
      return {};
    }
    const Word seen = execution_.value(location.stores[way.place]);
    if (!way.changes) {
      if (way.fails && seen == request.expected) may_fail_ = false;
      last_accesses_[thread] = execution_.load(thread, location, way.place,
                                               way.fails ? request.on_failure() : request.order);
      return {seen, false};
    }
    last_accesses_[thread] =
        execution_.change(thread, location, way.place, changed(request, seen), request.order);
    offer(location, way.place + 1);
    return {seen, true};
  }

  static Word changed(const Request& request, Word seen) {
    switch (request.operation) {
      case Operation::fetch_and:
        return seen & request.operand;
      case Operation::fetch_or:
        return seen | request.operand;
      case Operation::fetch_add:
        return (seen + request.operand) & request.mask;
      case Operation::fetch_sub:
        return (seen - request.operand) & request.mask;
      default:
        return request.operand;
    }
  }

  /// The store in `place` is new: each thread that waits for this location may read it.
  void offer(Execution::Location& location, std::size_t place) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = *threads_[i];
      if (thread.state != State::waiting || thread.location != &location) continue;
      std::vector<Way> ways;
      if (place >= execution_.oldest_to_read(i, location)) {
        add_ways_to_read(ways, i, location, thread.request, place);
      }
      const std::size_t choice = choose(ways.size() + 1);  // the last one is to go on waiting
      if (choice == ways.size()) continue;
      thread.state = State::ready;
      thread.result = perform(i, location, thread.request, ways[choice]);
    }
  }

  void add_ways(std::vector<Way>& ways, std::size_t thread, const Execution::Location& location,
                const Request& request) const {
    const std::size_t oldest = execution_.oldest_to_read(thread, location);
    if (request.operation != Operation::store) {
      for (std::size_t place = location.stores.size(); place-- > oldest;) {
        add_ways_to_read(ways, thread, location, request, place);
      }
      return;
    }
    for (std::size_t place = location.stores.size(); place > oldest; --place) {
      if (execution_.is_followed_at_once(location, place - 1)) continue;
      if (execution_.may_store(thread, location, place, request.order))
        ways.push_back({.place = place});
    }
  }

  /// The ways to read the store in `place`, with or without changing the value.
  void add_ways_to_read(std::vector<Way>& ways, std::size_t thread,
                        const Execution::Location& location, const Request& request,
                        std::size_t place) const {
    const bool is_load = request.operation == Operation::load;
    const bool compares = request.operation >= Operation::compare_exchange_strong;
    const bool is_expected =
        !compares || execution_.value(location.stores[place]) == request.expected;
    if (!is_load && is_expected && !execution_.is_followed_at_once(location, place) &&
        execution_.may_change(thread, location, place, request.order)) {
      ways.push_back({.place = place, .changes = true});
    }
    const bool may_fail =
        compares && request.operation != Operation::await &&
        (!is_expected || (request.operation == Operation::compare_exchange_weak && may_fail_));
    const Order order = is_load ? request.order : request.on_failure();
    if ((is_load || may_fail) && execution_.may_load(thread, location, place, order)) {
      ways.push_back({.place = place, .fails = may_fail});
    }
  }

  /// The only way if there is only one thread.
  Way last_way(const Execution::Location& location, const Request& request) const {
    const std::size_t last = location.stores.size() - 1;
    if (request.operation == Operation::store) return {.place = last + 1};
    const bool compares = request.operation >= Operation::compare_exchange_strong;
    const bool fails = compares && execution_.value(location.stores[last]) != request.expected;
    return {
        .place = last, .changes = !fails && request.operation != Operation::load, .fails = fails};
  }

  void put_orders(Request& request) {
    if (orders_ == nullptr && weakening_ == nullptr) return;
    static constexpr std::array kNames = {"load",
                                          "store",
                                          "exchange",
                                          "fetch_and",
                                          "fetch_or",
                                          "fetch_add",
                                          "fetch_sub",
                                          "compare_exchange_strong",
                                          "compare_exchange_weak",
                                          "await"};
    const char* const name = kNames[static_cast<std::size_t>(request.operation)];
    put_order(request.order, request.site, name, "");
    if (request.order_of_failure) {
      put_order(*request.order_of_failure, request.site, name, " that fails");
    }
  }

  void put_order(Order& order, const CodeSite& site, const char* name, const char* suffix) {
    const std::string_view file(site.file);
    if (file.find("impls/") == file.npos) return;
    const std::string_view function(site.function);
    const CodeOrder where{std::string(file.substr(file.rfind('/') + 1)),
                          std::string(function.substr(0, function.find('<'))),
                          std::string(name) + suffix, order};
    if (orders_ != nullptr) orders_->insert(where);
    if (weakening_ != nullptr && weakening_->where == where) order = weakening_->to;
  }

  void end_location(Execution::Location& location) {
    if (current_ != Execution::kMaker && !is_over_ && !execution_.knows_all(current_, location)) {
      fault_ = "an atomic value is destroyed while it is used";
      is_over_ = true;
    }
    execution_.forget(location);
  }

  void touch_by_current(Execution::Plain& plain, bool writes) {
    if (current_ != Execution::kMaker) {
      if (is_over_for(writes ? Operation::store : Operation::load)) return;
      if (execution_.races(current_, plain, writes)) fail("there is a race for plain memory");
    }
    execution_.touch(current_, plain, writes);
  }

  /// Takes the next choice of the path. At the end of the path, adds a choice with the first
  /// alternative.
  std::size_t choose(std::size_t of) {
    if (of < 2) return 0;
    if (depth_ == path_.size()) path_.push_back({0, of});
    assert(path_[depth_].of == of);
    return path_[depth_++].taken;
  }

  Execution execution_;
  std::size_t current_ = Execution::kMaker;
  std::array<Moment, Execution::kMostThreads + 1> last_accesses_{};
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::function<void()>> deeds_;
  std::vector<Way> ways_;
  std::vector<Choice> path_;  // the choices of this run
  std::size_t depth_ = 0;
  bool may_fail_ = true;
  bool is_over_ = false;
  std::string fault_;
  const Weakening* weakening_ = nullptr;
  std::set<CodeOrder>* orders_ = nullptr;
  Explorer* outer_ = nullptr;
};

template <class Value>
concept Word = std::is_trivially_copyable_v<Value> && sizeof(Value) <= sizeof(Explorer::Word);

/// Like std::atomic, but the explorer chooses what it reads.
template <Word Value>
class StepwiseAtomic {
  using Operation = Explorer::Operation;
  using Order = std::memory_order;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): the value may well be a pointer
  static constexpr std::size_t kBytes = sizeof(Value);

 public:
  StepwiseAtomic(Value value) {  // NOLINT(google-explicit-constructor): as std's
    Explorer::make(location_, word_of(value));
  }
  StepwiseAtomic(const StepwiseAtomic&) = delete;
  StepwiseAtomic& operator=(const StepwiseAtomic&) = delete;
  ~StepwiseAtomic() { Explorer::unmake(location_); }

  Value load(Order order = std::memory_order_seq_cst, CodeSite site = CodeSite::here()) const {
    return value_of(access({.operation = Operation::load, .order = order, .site = site}).seen);
  }
  void store(Value value, Order order = std::memory_order_seq_cst,
             CodeSite site = CodeSite::here()) {
    change(Operation::store, word_of(value), order, site);
  }
  Value exchange(Value value, Order order = std::memory_order_seq_cst,
                 CodeSite site = CodeSite::here()) {
    return change(Operation::exchange, word_of(value), order, site);
  }
  Value fetch_and(Value mask, Order order = std::memory_order_seq_cst,
                  CodeSite site = CodeSite::here()) {
    return change(Operation::fetch_and, word_of(mask), order, site);
  }
  Value fetch_or(Value mask, Order order = std::memory_order_seq_cst,
                 CodeSite site = CodeSite::here()) {
    return change(Operation::fetch_or, word_of(mask), order, site);
  }
  Value fetch_add(Value more, Order order = std::memory_order_seq_cst,
                  CodeSite site = CodeSite::here()) {
    return change(Operation::fetch_add, word_of(more), order, site);
  }
  Value fetch_sub(Value less, Order order = std::memory_order_seq_cst,
                  CodeSite site = CodeSite::here()) {
    return change(Operation::fetch_sub, word_of(less), order, site);
  }
  bool compare_exchange_strong(Value& expected, Value desired,
                               Order order = std::memory_order_seq_cst,
                               CodeSite site = CodeSite::here()) {
    return compare(Operation::compare_exchange_strong, expected, desired, order, {}, site);
  }
  bool compare_exchange_strong(Value& expected, Value desired, Order order, Order on_failure,
                               CodeSite site = CodeSite::here()) {
    return compare(Operation::compare_exchange_strong, expected, desired, order, on_failure, site);
  }
  bool compare_exchange_weak(Value& expected, Value desired,
                             Order order = std::memory_order_seq_cst,
                             CodeSite site = CodeSite::here()) {
    return compare(Operation::compare_exchange_weak, expected, desired, order, {}, site);
  }
  bool compare_exchange_weak(Value& expected, Value desired, Order order, Order on_failure,
                             CodeSite site = CodeSite::here()) {
    return compare(Operation::compare_exchange_weak, expected, desired, order, on_failure, site);
  }

  /// std::atomic does not have this. Waits until the value is `expected`, and then exchanges it.
  void await(Value expected, Value desired, Order order) {
    access({.operation = Operation::await,
            .order = order,
            .operand = word_of(desired),
            .expected = word_of(expected),
            .site = {}});
  }

  operator Value() const { return load(); }  // NOLINT(google-explicit-constructor): as std's
  Value operator=(Value value) {  // NOLINT(misc-unconventional-assign-operator): as std's
    store(value);
    return value;
  }

 private:
  static Explorer::Word word_of(Value value) {
    Explorer::Word word = 0;
    std::memcpy(&word, &value, kBytes);
    return word;
  }
  static Value value_of(Explorer::Word word) {
    Value value;
    std::memcpy(static_cast<void*>(&value), &word, kBytes);
    return value;
  }

  Explorer::Result access(const Explorer::Request& request) const {
    return Explorer::access(location_, request);
  }
  Value change(Operation operation, Explorer::Word operand, Order order, CodeSite site) {
    return value_of(access({.operation = operation,
                            .order = order,
                            .operand = operand,
                            .mask = ~Explorer::Word{0} >> (64 - 8 * kBytes),
                            .site = site})
                        .seen);
  }
  bool compare(Operation operation, Value& expected, Value desired, Order order,
               std::optional<Order> on_failure, CodeSite site) {
    const Explorer::Result result = access({.operation = operation,
                                            .order = order,
                                            .order_of_failure = on_failure,
                                            .operand = word_of(desired),
                                            .expected = word_of(expected),
                                            .site = site});
    expected = value_of(result.seen);
    return result.has_changed;
  }

  mutable Execution::Location location_;
};

/// A plain value. It is a fault if two threads access it, one of them writes, and neither access
/// happens before the other.
template <class Value>
class Checked {
 public:
  Checked() { Explorer::touch(accesses_, true); }
  Checked(Value value) : Checked() {  // NOLINT(google-explicit-constructor): as a plain value
    value_ = value;
  }
  Checked(const Checked&) = delete;
  Checked& operator=(const Checked&) = delete;
  ~Checked() = default;

  operator Value() const {  // NOLINT(google-explicit-constructor): as a plain value
    Explorer::touch(accesses_, false);
    return value_;
  }
  Value operator=(Value value) {  // NOLINT(misc-unconventional-assign-operator): as a plain value
    Explorer::touch(accesses_, true);
    return value_ = value;
  }

 private:
  Value value_{};
  mutable Execution::Plain accesses_;
};

/// Like std::mutex.
class StepwiseMutex {
 public:
  void lock() { is_locked_.await(false, true, std::memory_order_acquire); }
  void unlock() { is_locked_.store(false, std::memory_order_release); }

 private:
  StepwiseAtomic<bool> is_locked_ = false;
};

struct Explored {
  std::uint64_t runs = 0;
  std::uint64_t cut_short = 0;  ///< Runs in which a load waited for a store that never came.
  std::string fault;            ///< The fault of the last run. The search ends there.
};

/// The functions of a program; each is for one thread.
template <class Program>
std::vector<std::function<void()>> threads_of(Program& program) {
  std::vector<std::function<void()>> threads{[&] { program.first(); }, [&] { program.second(); }};
  if constexpr (requires { program.third(); }) threads.push_back([&] { program.third(); });
  if constexpr (requires { program.fourth(); }) threads.push_back([&] { program.fourth(); });
  return threads;
}

template <class Program>
constexpr std::size_t kThreadsOf = 2 + (requires(Program & p) { p.third(); } ? 1 : 0) +
                                   (requires(Program & p) { p.fourth(); } ? 1 : 0);

constexpr std::uint64_t kAllRuns = ~std::uint64_t{0};

template <class Program>
Explored explore(Explorer& explorer, std::uint64_t most_runs = kAllRuns) {
  Explored explored;
  do {
    explorer.begin();
    Program program;
    if (explorer.run(threads_of(program))) {
      ++explored.runs;
      explored.fault = program.fault();
    } else {
      explored.fault = explorer.fault();
      explored.fault.empty() ? ++explored.cut_short : ++explored.runs;
    }
  } while (explored.fault.empty() && explored.runs < most_runs && explorer.next());
  return explored;
}

template <class Program>
Explored explore(std::uint64_t most_runs = kAllRuns) {
  Explorer explorer(kThreadsOf<Program>);
  return explore<Program>(explorer, most_runs);
}

/// The same, with one order that is weaker than in the code.
template <class Program>
Explored explore_weakened(const Weakening& weakening) {
  Explorer explorer(kThreadsOf<Program>);
  explorer.weaken(weakening);
  return explore<Program>(explorer);
}

/// All orders in the code that some execution of the program uses.
template <class Program>
std::set<CodeOrder> orders_of() {
  std::set<CodeOrder> orders;
  Explorer explorer(kThreadsOf<Program>);
  explorer.note_orders(orders);
  explore<Program>(explorer);
  return orders;
}

}  // namespace timers
