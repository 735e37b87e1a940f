#pragma once

/// Storage for timers, and the handles that stay safe when a timer is gone.
///
/// Cells are numbered, stand side by side in memory that grows in place (reserved_memory.hpp), and
/// are used again, last freed first. They never move, and the number alone tells where a cell is.
/// Besides the task a cell holds the *queue's data*: what the queue needs to find the timer in its
/// structure. A handle is a cell's number and its *generation*. The generation is odd while the
/// timer in the cell is pending, and even otherwise. Each new timer of a cell gets a new
/// generation: so a stale handle is detected for the next 2^30 - 1 lives of its cell.
///
/// A timer that *stays* keeps its cell while it is not pending: it *rests*. A bit of the generation
/// marks such a cell, so that no handle ever names it.
///
/// The free cells are a stack of numbers. A list through the cells would need no memory, but then
/// each `acquire` would have to wait for the cell before, to learn which cell is next. The stack
/// tells ahead which cells to fetch.
///
///     acquire, release, find, if_alive    O(1); memory grows by a 16th at least, and is kept
///     make, arm, disarm, drop             O(1); only `reserve_one` and `home` need memory

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "impls/queues/parts/reserved_memory.hpp"

namespace timers {

/// Names one timer of one queue. The default-constructed handle names none.
struct TimerHandle {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t generation = 0;
  friend bool operator==(const TimerHandle&, const TimerHandle&) = default;
};

/// Where the owners of timers that stay find their queue. The slab and the owners share it. The
/// last one to leave destroys it.
class TimerHome {
 public:
  explicit TimerHome(void* its_queue) : queue(its_queue) {}

  void enter() { ++users_; }
  void leave() {
    if (--users_ == 0) delete this;
  }

  void* queue;  // nullptr when the queue is gone

 private:
  std::size_t users_ = 1;  // at first only the slab
};

template <class Task, class QueueData>
class TimerSlab {
 public:
  using Index = std::uint32_t;

  /// All cells have numbers below `kMaxCells`. A structure may use that one, and those above, as
  /// marks.
  static constexpr Index kMaxCells = Index{1} << 28;
  static constexpr Index kNone = std::numeric_limits<Index>::max();

  TimerSlab() = default;
  TimerSlab(TimerSlab&& other) noexcept
      : cells_(std::move(other.cells_)),
        used_(other.used_),
        free_(std::move(other.free_)),
        free_room_(other.free_room_),
        free_count_(other.free_count_),
        resting_(other.resting_),
        home_(std::exchange(other.home_, nullptr)) {}
  TimerSlab& operator=(TimerSlab&& other) noexcept {
    destroy();
    home_ = std::exchange(other.home_, nullptr);
    cells_ = std::move(other.cells_);
    free_ = std::move(other.free_);
    used_ = other.used_;
    free_room_ = other.free_room_;
    free_count_ = other.free_count_;
    resting_ = other.resting_;
    return *this;
  }
  ~TimerSlab() { destroy(); }

  /// Makes sure that the next `acquire` does not throw. Throws std::bad_alloc, or std::length_error
  /// when kMaxCells cells are in use. If it throws, nothing has changed.
  void reserve_one() {
    if (free_count_ == 0) [[unlikely]]
      add_cells();
  }

  /// The cell that the next `acquire` takes. Only after `reserve_one`.
  Index next() const { return free_[kAhead + free_count_ - 1]; }

  /// Stores a timer. Only after `reserve_one`.
  Index acquire(Task&& task, QueueData data) noexcept {
    const Index index = take();
    cell(index).queue_data = data;
    std::construct_at(&cell(index).task, std::move(task));
    return index;
  }

  /// The same, but keeps the queue's data of the cell's last timer; at first `QueueData()`.
  Index acquire(Task&& task) noexcept {
    const Index index = take();
    std::construct_at(&cell(index).task, std::move(task));
    return index;
  }

  /// Ends a timer and returns its task. All handles to it are stale from now on.
  Task release(Index index) noexcept {
    Cell& spent = cell(index);
    Task task = std::move(spent.task);
    std::destroy_at(&spent.task);
    spent.generation = (spent.generation + 1) & ~kStays;
    give_back(index);
    return task;
  }

  /// Stores a timer that stays, at rest. Only after `reserve_one`.
  Index make(Task&& task) noexcept {
    const Index index = acquire(std::move(task));
    cell(index).generation = (cell(index).generation - 1) | kStays;
    ++resting_;
    return index;
  }

  /// Marks a timer that stays as pending.
  void arm(Index index) {
    cell(index).generation |= 1;
    --resting_;
  }

  /// Marks it as resting.
  void disarm(Index index) {
    cell(index).generation &= ~std::uint32_t{1};
    ++resting_;
  }

  /// Counts a timer that stays as pending, or as resting, for a queue that keeps elsewhere which of
  /// the two it is.
  void count_armed() { --resting_; }
  void count_resting() { ++resting_; }

  /// Whether there may be timers that stay.
  bool has_staying() const { return home_ != nullptr; }

  /// Ends a timer that stays and rests. Its task dies in place. The cell is free only after that,
  /// because the destructor of the task may call the queue.
  void drop(Index index) noexcept {
    cell(index).generation &= ~kStays;
    std::destroy_at(&cell(index).task);
    --resting_;
    give_back(index);
  }

  /// The home of timers that stay. May have to make it, and then may throw std::bad_alloc.
  TimerHome& home(void* queue) {
    if (home_ == nullptr) home_ = new TimerHome(queue);
    return *home_;
  }

  /// Tells owners that the queue will be at `queue`.
  void moves_to(void* queue) {
    if (home_ != nullptr) home_->queue = queue;
  }

  /// Ends all timers, of a queue that is destroyed or assigned to. Owners own nothing from now on,
  /// so a task that owns another timer may die here. The queue's data stay.
  void end_all() noexcept {
    if (home_ != nullptr) home_->queue = nullptr;
    if (std::is_trivially_destructible_v<Task> || free_ == nullptr) return;
    for (Index index = 0; index < used_; ++index) {
      if (!is_pending(index) && !stays(index)) continue;
      std::destroy_at(&cell(index).task);
      cell(index).generation = 0;
    }
  }

  TimerHandle handle(Index index) const { return {index, cell(index).generation}; }

  /// The cell that `handle` names, or kNone if its timer is gone.
  Index find(TimerHandle handle) const {
    const bool alive = handle.index < used_ && cell(handle.index).generation == handle.generation;
    return alive ? handle.index : kNone;
  }

  /// Calls `act(index)` for the timer that `handle` names, and returns true; or returns false if
  /// the timer is gone. What `act` returns is destroyed after `act`: so a task that it takes out
  /// may call the queue in its destructor.
  template <class Act>
  bool if_alive(TimerHandle handle, Act act) {
    const Index index = find(handle);
    if (index == kNone) return false;
    act(index);
    return true;
  }

  /// Whether the timer in the cell is pending. In a free cell there is none.
  bool is_pending(Index index) const { return is_odd(cell(index).generation); }

  /// Whether the timer in the cell stays.
  bool stays(Index index) const { return (cell(index).generation & kStays) != 0; }

  Task& task(Index index) { return cell(index).task; }

  QueueData& queue_data(Index index) { return cell(index).queue_data; }
  const QueueData& queue_data(Index index) const { return cell(index).queue_data; }

  /// The cell that has this queue's data.
  Index index_of(const QueueData& data) const {
    return static_cast<Index>(reinterpret_cast<const Cell*>(&data) - &cell(0));
  }

  /// The number of pending timers.
  std::size_t size() const { return used_ - free_count_ - resting_; }

  /// The number of cells that were made.
  std::size_t cells() const { return used_; }

  /// Fetches a cell that is about to be asked for.
  void prefetch(Index index) const {
    __builtin_prefetch(&cell(index), 1);
    asm volatile("");  // GCC drops calls of a function that does nothing but fetch
  }

 private:
  static constexpr std::uint32_t kStays = std::uint32_t{1} << 31;

  static bool is_odd(std::uint32_t generation) { return generation % 2 != 0; }

  struct Cell {
    Cell() {}   // The queue's data are made when the cell is added, and a task with each timer.
    ~Cell() {}  // NOLINT(modernize-use-equals-default): a union member makes the default deleted.
    union {
      QueueData queue_data;
    };
    std::uint32_t generation;
    union {
      Task task;
    };
  };

  static constexpr Index kAddedAtOnce = 32;
  static constexpr std::size_t kAhead = 4;  // a free cell is fetched this many turns in advance

  /// Takes the next cell, for a new timer.
  Index take() {
    const Index index = free_[kAhead + --free_count_];
    cell(index).generation += 1;
    prefetch(free_[free_count_]);
    return index;
  }

  /// Gives back a cell. It is the next one to be taken.
  void give_back(Index index) {
    free_[kAhead + free_count_] = index;
    ++free_count_;
  }

  Cell& cell(Index index) { return reinterpret_cast<Cell*>(cells_.data())[index]; }
  const Cell& cell(Index index) const {
    return reinterpret_cast<const Cell*>(cells_.data())[index];
  }

  /// Makes some cells that are next to each other, when none is free.
  [[gnu::noinline]] void add_cells() {
    if (used_ == kMaxCells) throw std::length_error("a timer queue holds at most 2^28 timers");
    const std::size_t cells = used_ + std::size_t{kAddedAtOnce};
    if (cells > free_room_) make_room(cells);
    cells_.grow_to(cells * sizeof(Cell));
    for (Index i = 0; i < kAddedAtOnce; ++i) {
      const Index index = used_ + kAddedAtOnce - 1 - i;
      std::construct_at(&cell(index).queue_data);
      cell(index).generation = 0;
      free_[kAhead + i] = index;
    }
    used_ += kAddedAtOnce;
    free_count_ = kAddedAtOnce;
  }

  /// Makes room for all cells in the stack of free cells, so that `release` need not allocate. The
  /// stack must be empty.
  void make_room(std::size_t cells) {
    const std::size_t room = cells + cells / 8 + kAddedAtOnce;
    free_ = std::make_unique_for_overwrite<Index[]>(kAhead + room);
    std::fill_n(free_.get(), kAhead, Index{0});
    free_room_ = room;
  }

  void destroy() noexcept {
    end_all();
    if (!std::is_trivially_destructible_v<QueueData> && free_ != nullptr) {
      for (Index index = 0; index < used_; ++index) std::destroy_at(&cell(index).queue_data);
    }
    if (home_ != nullptr) home_->leave();
  }

  ReservedMemory cells_{std::size_t{kMaxCells} * sizeof(Cell)};
  Index used_ = 0;                 // how many cells were made; those above were never touched
  std::unique_ptr<Index[]> free_;  // kAhead times cell 0, and then the free cells
  std::size_t free_room_ = 0;
  Index free_count_ = 0;
  Index resting_ = 0;  // how many timers stay and are not pending
  TimerHome* home_ = nullptr;
};

}  // namespace timers
