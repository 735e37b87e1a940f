#pragma once

/// Lists of small entries in chunks of memory: appended at the end, read once from the beginning.
///
/// An append writes where the last one stopped, and so touches a line that is in the cache. A
/// linked list would touch its last node, wherever that is. A reader streams through the chunks,
/// and while it works on a chunk, it fetches the one after the next.
///
///     has_room, push, push_if, pop      O(1)
///     add_chunk, pop_chunk              O(1)
///     has_one_chunk, has_one_entry      O(1)
///     pop_all, for_first_chunk          O(entries of a chunk)
///     reserve                           O(1) amortised, an allocation
///
/// A list is one pointer, so the lists of a wheel take few cache lines. It points behind the last
/// entry. A chunk begins at a multiple of its size, so the pointer tells where the last chunk is.
/// The last chunk points to the first.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace timers {

/// `Entry` is trivial, and 8 bytes large.
template <class Entry>
class ChunkLists {
  static_assert(std::is_trivially_copyable_v<Entry> && sizeof(Entry) == 8);
  static_assert(sizeof(void*) == sizeof(Entry), "a chunk ends with its last entry");
  static constexpr std::size_t kChunkBytes = 256;

 public:
  static constexpr std::size_t kEntriesAChunk = (kChunkBytes - sizeof(void*)) / sizeof(Entry);

 private:
  struct alignas(kChunkBytes) Chunk {
    Chunk* next;  // in the last chunk: the first chunk
    Entry entries[kEntriesAChunk];
  };

 public:
  /// A list that grows. It has a chunk if and only if it is not empty.
  class List {
   public:
    bool empty() const { return end_ == nullptr; }
    bool has_one_chunk() const { return !empty() && last()->next == last(); }
    bool has_one_entry() const { return has_one_chunk() && end_ == last()->entries + 1; }

    /// To tell chunks apart. Only for a list that is not empty.
    const void* first_chunk() const { return last()->next; }
    const void* last_chunk() const { return last(); }

    /// Whether `push` has a place to write to. It has none in an empty list, and none if the last
    /// chunk is full.
    bool has_room() const { return reinterpret_cast<std::uintptr_t>(end_) % kChunkBytes != 0; }

    /// Only if there is room.
    void push(Entry entry) { *end_++ = entry; }

    /// Pushes only if `wanted`, without a branch. There must be room in any case.
    void push_if(bool wanted, Entry entry) {
      *end_ = entry;
      end_ += wanted;
    }

    /// Calls `visit(entry)` for the entries of the first chunk, if there is one.
    template <class Visit>
    void for_first_chunk(Visit visit) const {
      if (empty()) return;
      const Chunk* const first = last()->next;
      const Entry* const end = first == last() ? end_ : first->entries + kEntriesAChunk;
      for (const Entry* entry = first->entries; entry != end; ++entry) visit(*entry);
    }

   private:
    friend ChunkLists;
    Chunk* last() const { return chunk_before(end_); }

    Entry* end_ = nullptr;  // where the next entry goes, if there is room
  };

  /// A chunk that was taken out of a list, to be read.
  class Reader {
   public:
    bool empty() const { return at_ == end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - at_); }
    const Entry& front() const { return *at_; }
    const Entry* begin() const { return at_; }
    const Entry* end() const { return end_; }

   private:
    friend ChunkLists;
    Entry* at_ = nullptr;
    Entry* end_ = nullptr;
  };

  /// Makes sure that chunks can be added as long as the lists hold at most `entries` entries, at
  /// most `lists` lists are not empty, and at most two chunks are being read. If it throws
  /// std::bad_alloc, nothing has changed.
  void reserve(std::size_t entries, std::size_t lists) {
    constexpr std::size_t kRead = 2;
    const std::size_t needed = entries / kEntriesAChunk + std::min(entries, lists) + kRead;
    if (needed <= chunks_) return;
    const std::size_t more = std::max(needed - chunks_, std::min(chunks_ / 4, kMostAtOnce));
    if (blocks_.size() == blocks_.capacity()) blocks_.reserve(2 * blocks_.size() + 1);
    blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(more));
    // The rest of the last block goes to the spare chunks before a new block comes.
    while (fresh_ != fresh_end_) spare(fresh_++);
    fresh_ = blocks_.back().get();
    fresh_end_ = fresh_ + more;
    chunks_ += more;
  }

  /// Makes room at the end of a list that has no room. Only after `reserve`.
  void add_chunk(List& list) {
    assert(!list.has_room());
    Chunk* const chunk = take();
    chunk->next = list.empty() ? chunk : std::exchange(list.last()->next, chunk);
    list.end_ = chunk->entries;
  }

  /// Takes the first chunk out of a list that is not empty, with all entries in it.
  Reader pop_chunk(List& list) {
    Chunk* const last = list.last();
    Chunk* const first = last->next;
    Reader reader;
    reader.at_ = first->entries;
    if (first == last) {
      reader.end_ = std::exchange(list.end_, nullptr);
    } else {
      reader.end_ = reader.at_ + kEntriesAChunk;
      last->next = first->next;
      prefetch(first->next->next);
    }
    return reader;
  }

  /// Takes the first entry out of what is being read.
  Entry pop(Reader& reader) {
    const Entry entry = *reader.at_++;
    if (reader.empty()) spare(chunk_before(reader.end_));
    return entry;
  }

  /// Takes out all entries, and calls `visit(entry)` for each. There must be at least one.
  template <class Visit>
  void pop_all(Reader reader, Visit visit) {
    for (const Entry* entry = reader.at_; entry != reader.end_; ++entry) visit(*entry);
    spare(chunk_before(reader.end_));
  }

 private:
  static constexpr std::size_t kMostAtOnce = 256;

  /// The chunk that has the entry before `end`.
  static Chunk* chunk_before(Entry* end) {
    auto* const last = reinterpret_cast<std::byte*>(end) - 1;
    return reinterpret_cast<Chunk*>(last - reinterpret_cast<std::uintptr_t>(last) % kChunkBytes);
  }

  Chunk* take() {
    if (spare_ != nullptr) return std::exchange(spare_, spare_->next);
    assert(fresh_ != fresh_end_);
    return fresh_++;
  }

  static void prefetch(const Chunk* chunk) {
    const auto* const line = reinterpret_cast<const std::byte*>(chunk);
    for (std::size_t i = 0; i < kChunkBytes; i += 64) __builtin_prefetch(line + i);
  }

  void spare(Chunk* chunk) { chunk->next = std::exchange(spare_, chunk); }

  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  std::size_t chunks_ = 0;
  Chunk* spare_ = nullptr;
  Chunk* fresh_ = nullptr;  // the chunks of the last block that were never touched
  Chunk* fresh_end_ = nullptr;
};

}  // namespace timers
