#pragma once

/// A file read from its start to its end, decompressed on the way if its name ends in .gz or .zst.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace timers::benches {

/// The memory is bounded, whatever the file holds: some buffers, and the window of the compressor
/// (at most 128 MiB, as with `zstd --long=27`). If several compressed files were concatenated, they
/// are read as one, as gzip and zstd do.
class CompressedFile {
 public:
  /// Throws std::runtime_error, as `read` does. The message has only the reason.
  explicit CompressedFile(const std::filesystem::path& path);
  ~CompressedFile();

  /// Writes to `bytes`, from its start on, and returns how many bytes were written. 0 means the end
  /// of the file, and that the file is intact.
  std::size_t read(std::span<char> bytes);

  class Decoder;

 private:
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace timers::benches
