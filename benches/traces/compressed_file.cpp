#include "benches/traces/compressed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace timers::benches {

/// Turns the bytes of the file into the bytes that the reader sees.
class CompressedFile::Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::size_t read(std::span<char> bytes) = 0;
};

namespace {

[[noreturn]] void fail(const std::string& reason) { throw std::runtime_error(reason); }

[[noreturn]] void fail_with_errno() { fail(std::generic_category().message(errno)); }

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path) : descriptor_(open(path)) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile() {
    if (descriptor_ != -1) ::close(descriptor_);
  }

  std::size_t read(std::span<char> bytes) {
    ssize_t got;
    do got = ::read(descriptor_, bytes.data(), bytes.size());
    while (got == -1 && errno == EINTR);
    if (got == -1) fail_with_errno();
    return static_cast<std::size_t>(got);
  }

 private:
  /// A FIFO would make its reader wait for a writer, who may never come, and a device may have no
  /// end. Both are refused. The open does not wait, either.
  static int open(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor == -1) fail_with_errno();
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor);
      fail("it is not a regular file");
    }
    return descriptor;
  }

  int descriptor_;
};

/// The compressed bytes of a file, piece by piece.
class Input {
 public:
  explicit Input(OpenFile file) : file_(std::move(file)), buffer_(std::size_t{1} << 16) {}

  /// The bytes that are not consumed yet; empty only at the end of the file.
  std::span<char> piece() {
    if (piece_.empty()) piece_ = std::span(buffer_).first(file_.read(buffer_));
    return piece_;
  }
  void consume(std::size_t bytes) { piece_ = piece_.subspan(bytes); }

 private:
  OpenFile file_;
  std::vector<char> buffer_;
  std::span<char> piece_;
};

class Plain final : public CompressedFile::Decoder {
 public:
  explicit Plain(OpenFile file) : file_(std::move(file)) {}
  std::size_t read(std::span<char> bytes) override { return file_.read(bytes); }

 private:
  OpenFile file_;
};

class Gzip final : public CompressedFile::Decoder {
 public:
  explicit Gzip(OpenFile file) : input_(std::move(file)) {
    constexpr int kGzipWithLargestWindow = 15 + 16;
    if (inflateInit2(&stream_, kGzipWithLargestWindow) != Z_OK) fail("zlib cannot start");
  }
  Gzip(Gzip&&) = delete;
  ~Gzip() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> bytes) override {
    std::size_t written = 0;
    while (written == 0) {
      const std::span<char> piece = input_.piece();
      if (piece.empty()) {
        if (inside_member_) fail("the gzip data is cut short");
        return 0;
      }
      inside_member_ = true;
      stream_.next_in = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_in = static_cast<uInt>(piece.size());
      stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
      stream_.avail_out = static_cast<uInt>(bytes.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        const char* why = stream_.msg != nullptr ? stream_.msg : "zlib fails";
        fail(fmt::format("the gzip data is corrupt: {}", why));
      }
      input_.consume(piece.size() - stream_.avail_in);
      written = bytes.size() - stream_.avail_out;
      if (status == Z_STREAM_END) {
        inside_member_ = false;
        inflateReset(&stream_);
      }
    }
    return written;
  }

 private:
  Input input_;
  z_stream stream_{};
  bool inside_member_ = true;  // also at the beginning, as an empty file is truncated
};

class Zstd final : public CompressedFile::Decoder {
 public:
  explicit Zstd(OpenFile file) : input_(std::move(file)), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) fail("zstd cannot start");
    constexpr int kWindowLog = 27;
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

  std::size_t read(std::span<char> bytes) override {
    ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
    while (out.pos == 0) {
      // If a call fills its output, it may have more to write without new input.
      const std::span<char> piece = more_to_flush_ ? std::span<char>() : input_.piece();
      if (piece.empty() && !more_to_flush_) {
        if (inside_frame_) fail("the zstd data is cut short");
        return 0;
      }
      ZSTD_inBuffer in{piece.data(), piece.size(), 0};
      const std::size_t hint = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(hint)) {
        fail(fmt::format("the zstd data is corrupt: {}", ZSTD_getErrorName(hint)));
      }
      input_.consume(in.pos);
      inside_frame_ = hint != 0;
      more_to_flush_ = inside_frame_ && out.pos == out.size;
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  Input input_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  bool inside_frame_ = true;  // also at the beginning, as an empty file is truncated
  bool more_to_flush_ = false;
};

std::unique_ptr<CompressedFile::Decoder> decoder_for(const std::filesystem::path& path) {
  OpenFile file(path);
  if (path.extension() == ".gz") return std::make_unique<Gzip>(std::move(file));
  if (path.extension() == ".zst") return std::make_unique<Zstd>(std::move(file));
  return std::make_unique<Plain>(std::move(file));
}

}  // namespace

CompressedFile::CompressedFile(const std::filesystem::path& path) : decoder_(decoder_for(path)) {}
CompressedFile::~CompressedFile() = default;

std::size_t CompressedFile::read(std::span<char> bytes) { return decoder_->read(bytes); }

}  // namespace timers::benches
