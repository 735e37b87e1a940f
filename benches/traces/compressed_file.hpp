#pragma once

/// A file read from its start to its end, decompressed on the way if its name ends in .gz or .zst.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace timers::benches {

/// Memory is bounded whatever the file holds: some buffers, and the window of the compressor (at
/// most 128 MiB, what `zstd --long=27` asks for). Files that were compressed in parts and put
/// together are read as one, as gzip and zstd do it.
class CompressedFile {
 public:
  /// Throws std::runtime_error, as does `read`; the message is the reason alone.
  explicit CompressedFile(const std::filesystem::path& path);
  ~CompressedFile();

  /// Fills `bytes` from its start and returns how many were written; 0 only at the end of the file,
  /// which is a good one then.
  std::size_t read(std::span<char> bytes);

  class Decoder;

 private:
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace timers::benches
