#pragma once

/// Lists of small entries in chunks of memory: appended at the end, read once from the beginning.
///
/// An append writes where the last one stopped, and so touches a line of memory that is at hand; a
/// linked list would touch its last node, wherever that is. A reader streams through the chunks,
/// and fetches the next one while it is busy with this one.
///
///     has_room, push, pop      O(1)
///     add_chunk, pop_chunk     O(1)
///     reserve                  O(1) amortised, an allocation

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
  static constexpr std::size_t kChunkBytes = 256;

 public:
  static constexpr std::size_t kEntriesAChunk = (kChunkBytes - sizeof(void*)) / sizeof(Entry);

 private:
  struct alignas(kChunkBytes) Chunk {
    Chunk* next;
    Entry entries[kEntriesAChunk];
  };

 public:
  /// A list that grows. It has a chunk if and only if it is not empty.
  class List {
   public:
    bool empty() const { return first_ == nullptr; }
    std::size_t chunks() const { return chunks_; }

    /// Whether an entry can be pushed before a chunk is added: not behind the last place of a
    /// chunk, nor nowhere.
    bool has_room() const { return reinterpret_cast<std::uintptr_t>(end_) % kChunkBytes != 0; }

    void push(Entry entry) { *end_++ = entry; }

    /// Calls `visit(entry)` for the entries of the first chunk, if there is one.
    template <class Visit>
    void for_first_chunk(Visit visit) const {
      if (empty()) return;
      const Entry* const end = chunks_ == 1 ? end_ : first_->entries + kEntriesAChunk;
      for (const Entry* entry = first_->entries; entry != end; ++entry) visit(*entry);
    }

   private:
    friend ChunkLists;
    Chunk* first_ = nullptr;
    Entry* end_ = nullptr;  // where the next entry goes, if there is room
    std::size_t chunks_ = 0;
  };

  /// A chunk that was taken out of a list, to be read.
  class Reader {
   public:
    bool empty() const { return at_ == end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - at_); }
    const Entry& front() const { return *at_; }

   private:
    friend ChunkLists;
    Chunk* chunk_ = nullptr;
    const Entry* at_ = nullptr;
    const Entry* end_ = nullptr;
  };

  /// Makes sure that chunks can be added as long as lists hold at most `entries`, no more than
  /// `lists` of them have any, and no more than two chunks are read. Throws std::bad_alloc; nothing
  /// has changed then.
  void reserve(std::size_t entries, std::size_t lists) {
    constexpr std::size_t kRead = 2;
    const std::size_t needed = entries / kEntriesAChunk + std::min(entries, lists) + kRead;
    if (needed <= chunks_) return;
    const std::size_t more = std::max(needed - chunks_, std::min(chunks_ / 4, kMostAtOnce));
    if (blocks_.size() == blocks_.capacity()) blocks_.reserve(2 * blocks_.size() + 1);
    blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(more));
    // The rest of the last block is not lost: it is spared before there is another.
    while (fresh_ != fresh_end_) spare(fresh_++);
    fresh_ = blocks_.back().get();
    fresh_end_ = fresh_ + more;
    chunks_ += more;
  }

  /// Makes room at the end of a list that has none. Only after `reserve`.
  void add_chunk(List& list) {
    assert(!list.has_room());
    Chunk* const chunk = take();
    if (list.empty()) {
      list.first_ = chunk;
    } else {
      reinterpret_cast<Chunk*>(list.end_)[-1].next = chunk;
    }
    list.end_ = chunk->entries;
    ++list.chunks_;
  }

  /// Takes the first chunk out of a list that is not empty, with all entries in it.
  Reader pop_chunk(List& list) {
    Reader reader;
    reader.chunk_ = list.first_;
    reader.at_ = list.first_->entries;
    if (--list.chunks_ == 0) {
      reader.end_ = list.end_;
      list = {};
    } else {
      reader.end_ = reader.at_ + kEntriesAChunk;
      list.first_ = list.first_->next;
      if (list.chunks_ > 1) prefetch(list.first_->next);
    }
    return reader;
  }

  /// Takes the first entry out of what is being read.
  Entry pop(Reader& reader) {
    const Entry entry = *reader.at_++;
    if (reader.empty()) spare(reader.chunk_);
    return entry;
  }

 private:
  static constexpr std::size_t kMostAtOnce = 256;

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
  Chunk* fresh_ = nullptr;  // of the last block, chunks that were never touched
  Chunk* fresh_end_ = nullptr;
};

}  // namespace timers
