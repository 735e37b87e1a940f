#pragma once

/// Storage for timers, and the handles that stay safe when a timer is gone.
///
/// Cells are numbered, stand in chunks that never move, and are used again, last freed first.
/// Beside the task a cell holds its *place*: whatever the queue needs to find the timer in its
/// structure. A handle is a cell's number and *generation*. A generation lives as long as one timer
/// does, so that a handle is known to be stale for the next 2^32 - 2 lives of its cell.
///
///     acquire, release, find    O(1); a chunk is allocated once in 1024 cells, and kept

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace timers {

/// Names one timer of one queue. The default-constructed handle names none.
struct TimerHandle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const TimerHandle&, const TimerHandle&) = default;
};

template <class Task, class Place>
class TimerSlab {
 public:
  using Index = std::uint32_t;

  /// No cell has this number, nor the ones above `kMaxCells`: a structure may use them as marks.
  static constexpr Index kNone = std::numeric_limits<Index>::max();
  static constexpr Index kMaxCells = Index{1} << 31;

  TimerSlab() = default;
  TimerSlab(TimerSlab&&) noexcept = default;
  TimerSlab& operator=(TimerSlab&& other) noexcept {
    destroy_tasks();
    chunks_ = std::move(other.chunks_);
    free_ = std::move(other.free_);
    used_ = other.used_;
    return *this;
  }
  ~TimerSlab() { destroy_tasks(); }

  /// Makes sure that the next `acquire` does not throw. Throws std::bad_alloc, or std::length_error
  /// when kMaxCells timers are pending; nothing has changed then.
  void reserve_one() {
    if (!free_.empty() || used_ < chunks_.size() * kChunkSize) return;
    if (used_ == kMaxCells) throw std::length_error("a timer queue holds at most 2^31 timers");
    grow();
  }

  /// The cell that the next `acquire` takes. Only after `reserve_one`.
  Index next() const { return free_.empty() ? used_ : free_.back(); }

  /// Stores a timer. Only after `reserve_one`.
  Index acquire(Task&& task, Place place) noexcept {
    const Index index = next();
    Cell& fresh = cell(index);
    if (free_.empty()) {
      fresh.generation = 1;
      ++used_;
    } else {
      free_.pop_back();
    }
    fresh.place = place;
    std::construct_at(&fresh.task, std::move(task));
    return index;
  }

  /// Ends a timer and returns its task. All handles to it are stale from now on.
  Task release(Index index) noexcept {
    Cell& spent = cell(index);
    Task task = std::move(spent.task);
    std::destroy_at(&spent.task);
    spent.generation = spent.generation == kLastGeneration ? 1 : spent.generation + 1;
    free_.push_back(index);
    return task;
  }

  TimerHandle handle(Index index) const { return {index, cell(index).generation}; }

  /// The cell that `handle` names, or kNone if its timer is gone.
  Index find(TimerHandle handle) const {
    const bool alive = handle.index < used_ && cell(handle.index).generation == handle.generation;
    return alive ? handle.index : kNone;
  }

  Place& place(Index index) { return cell(index).place; }
  const Place& place(Index index) const { return cell(index).place; }

  /// The number of timers stored.
  std::size_t size() const { return used_ - free_.size(); }

 private:
  /// A generation that no handle carries: it marks a cell as free while the slab is taken down.
  static constexpr std::uint32_t kNoGeneration = 0;
  static constexpr std::uint32_t kLastGeneration = std::numeric_limits<std::uint32_t>::max();

  struct Cell {
    Cell() {}   // The task is made by `acquire` and destroyed by `release`.
    ~Cell() {}  // NOLINT(modernize-use-equals-default): a union member makes the default deleted.
    Place place;
    std::uint32_t generation;
    union {
      Task task;
    };
  };

  static constexpr Index kChunkSize = 1024;

  Cell& cell(Index index) { return chunks_[index / kChunkSize][index % kChunkSize]; }
  const Cell& cell(Index index) const { return chunks_[index / kChunkSize][index % kChunkSize]; }

  /// Adds a chunk, and room in the free list for all cells, so that `release` need not allocate.
  void grow() {
    if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 1);
    free_.reserve(chunks_.capacity() * kChunkSize);
    chunks_.push_back(std::make_unique_for_overwrite<Cell[]>(kChunkSize));
  }

  void destroy_tasks() noexcept {
    if constexpr (!std::is_trivially_destructible_v<Task>) {
      if (chunks_.empty()) return;
      for (const Index index : free_) cell(index).generation = kNoGeneration;
      for (Index index = 0; index < used_; ++index) {
        if (cell(index).generation != kNoGeneration) std::destroy_at(&cell(index).task);
      }
    }
  }

  std::vector<std::unique_ptr<Cell[]>> chunks_;
  std::vector<Index> free_;
  Index used_ = 0;  // cells that were ever used; those above were never touched
};

}  // namespace timers
