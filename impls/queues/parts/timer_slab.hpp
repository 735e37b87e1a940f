#pragma once

/// Storage for timers, and the handles that stay safe when a timer is gone.
///
/// Cells are numbered, stand in chunks that never move, and are used again, last freed first.
/// Beside the task a cell holds the *queue's data*: whatever the queue needs to find the timer in
/// its structure. A handle is a cell's number and its *generation*. That is odd while a timer is in
/// the cell and even while the cell is free, and each timer has another one: so a handle is known
/// to be stale for the next 2^31 - 1 lives of its cell.
///
/// The free cells are a stack of numbers. A list through the cells would need no memory, but then
/// each `acquire` would wait for the cell that the one before has only just named; the stack tells
/// ahead which cells to fetch.
///
///     acquire, release, find, if_alive    O(1); a chunk is allocated once in 1024 cells, and kept

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace timers {

/// Names one timer of one queue. The default-constructed handle names none.
struct TimerHandle {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t generation = 0;
  friend bool operator==(const TimerHandle&, const TimerHandle&) = default;
};

template <class Task, class QueueData>
class TimerSlab {
 public:
  using Index = std::uint32_t;

  /// No cell has this number, nor the ones above `kMaxCells`: a structure may use them as marks.
  static constexpr Index kNone = std::numeric_limits<Index>::max();
  static constexpr Index kMaxCells = Index{1} << 31;

  TimerSlab() = default;
  TimerSlab(TimerSlab&&) noexcept = default;
  TimerSlab& operator=(TimerSlab&& other) noexcept {
    destroy();
    chunks_ = std::move(other.chunks_);
    free_ = std::move(other.free_);
    used_ = other.used_;
    free_room_ = other.free_room_;
    free_count_ = other.free_count_;
    return *this;
  }
  ~TimerSlab() { destroy(); }

  /// Makes sure that the next `acquire` does not throw. Throws std::bad_alloc, or std::length_error
  /// when kMaxCells timers are pending; nothing has changed then.
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

  /// The same with the queue's data as the cell's last timer left it; at first `QueueData()`.
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
    spent.generation += 1;
    free_[kAhead + free_count_] = index;
    ++free_count_;
    return task;
  }

  TimerHandle handle(Index index) const { return {index, cell(index).generation}; }

  /// The cell that `handle` names, or kNone if its timer is gone.
  Index find(TimerHandle handle) const {
    const bool alive = handle.index < used_ && cell(handle.index).generation == handle.generation;
    return alive ? handle.index : kNone;
  }

  /// Calls `act(index)` for the timer that `handle` names, and returns true; or returns false if
  /// the timer is gone. What `act` returns is destroyed when `act` is done: a task that it takes
  /// out may call the queue as it dies.
  template <class Act>
  bool if_alive(TimerHandle handle, Act act) {
    const Index index = find(handle);
    if (index == kNone) return false;
    act(index);
    return true;
  }

  /// Whether a timer is in the cell.
  bool is_alive(Index index) const { return is_odd(cell(index).generation); }

  QueueData& queue_data(Index index) { return cell(index).queue_data; }
  const QueueData& queue_data(Index index) const { return cell(index).queue_data; }

  /// The number of timers stored.
  std::size_t size() const { return used_ - free_count_; }

  /// The number of cells that were made.
  std::size_t cells() const { return used_; }

  /// Fetches a cell that is about to be asked for.
  void prefetch(Index index) const { __builtin_prefetch(&cell(index), 1); }

 private:
  static bool is_odd(std::uint32_t generation) { return generation % 2 != 0; }

  struct Cell {
    Cell() {}   // The queue's data is made when the cell is added, the task with each timer.
    ~Cell() {}  // NOLINT(modernize-use-equals-default): a union member makes the default deleted.
    union {
      QueueData queue_data;
    };
    std::uint32_t generation;
    union {
      Task task;
    };
  };

  static constexpr Index kChunkSize = 1024;
  static constexpr Index kAddedAtOnce = 32;
  static constexpr std::size_t kAhead = 4;  // a free cell is fetched so many turns in advance

  /// The next cell, for a timer of its own.
  Index take() {
    const Index index = free_[kAhead + --free_count_];
    cell(index).generation += 1;
    prefetch(free_[free_count_]);
    return index;
  }

  Cell& cell(Index index) { return chunks_[index / kChunkSize][index % kChunkSize]; }
  const Cell& cell(Index index) const { return chunks_[index / kChunkSize][index % kChunkSize]; }

  /// Makes some cells that are next to each other, when none is free.
  [[gnu::noinline]] void add_cells() {
    if (used_ == kMaxCells) throw std::length_error("a timer queue holds at most 2^31 timers");
    if (used_ == chunks_.size() * kChunkSize) add_chunk();
    for (Index i = 0; i < kAddedAtOnce; ++i) {
      const Index index = used_ + kAddedAtOnce - 1 - i;
      std::construct_at(&cell(index).queue_data);
      cell(index).generation = 0;
      free_[kAhead + i] = index;
    }
    used_ += kAddedAtOnce;
    free_count_ = kAddedAtOnce;
  }

  /// Adds a chunk, and room for all cells in the stack of free ones, so that `release` need not
  /// allocate.
  void add_chunk() {
    const std::size_t cells = used_ + std::size_t{kChunkSize};
    if (cells > free_room_) {
      const std::size_t room = cells + cells / 8;
      free_ = std::make_unique_for_overwrite<Index[]>(kAhead + room);
      std::fill_n(free_.get(), kAhead, Index{0});
      free_room_ = room;
    }
    chunks_.push_back(std::make_unique_for_overwrite<Cell[]>(kChunkSize));
  }

  void destroy() noexcept {
    constexpr bool kIsTrivial =
        std::is_trivially_destructible_v<Task> && std::is_trivially_destructible_v<QueueData>;
    if (kIsTrivial || free_ == nullptr) return;
    for (Index index = 0; index < used_; ++index) {
      if (is_alive(index)) std::destroy_at(&cell(index).task);
      std::destroy_at(&cell(index).queue_data);
    }
  }

  std::vector<std::unique_ptr<Cell[]>> chunks_;
  Index used_ = 0;                 // cells that were made; those above were never touched
  std::unique_ptr<Index[]> free_;  // kAhead times cell 0, and then the free ones
  std::size_t free_room_ = 0;
  Index free_count_ = 0;
};

}  // namespace timers
