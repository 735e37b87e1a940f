#include "benches/traces/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "benches/traces/compressed_file.hpp"

namespace timers::benches {

namespace {

/// Limits that no honest trace reaches. So a malicious trace cannot take all memory.
constexpr std::size_t kLongestLine = 4096;
constexpr std::uint32_t kMostLines = std::uint32_t{1} << 26;

constexpr std::string_view kFirstLine = "# timer-trace 1";

enum class Presence { required, optional };

struct HeaderKey {
  std::string_view name;
  Presence presence = Presence::required;
};

constexpr std::array kHeaderKeys = {HeaderKey{"name"},
                                    HeaderKey{"source"},
                                    HeaderKey{"load"},
                                    HeaderKey{"capture"},
                                    HeaderKey{"date"},
                                    HeaderKey{"clock"},
                                    HeaderKey{"ops"},
                                    HeaderKey{"count_s"},
                                    HeaderKey{"count_r"},
                                    HeaderKey{"count_c"},
                                    HeaderKey{"count_f"},
                                    HeaderKey{"peak_pending"},
                                    HeaderKey{"pending_at_end"},
                                    HeaderKey{"ids"},
                                    HeaderKey{"duration_ns"},
                                    HeaderKey{"dropped_unknown"},
                                    HeaderKey{"cut", Presence::optional}};

struct HeaderValue {
  std::string text;
  std::uint32_t line = 0;  // 0 if it is missing
};

/// The lines of a file, with its name and the number of the line for error messages.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path) : path_(path), file_(open(path)) {}

  /// The next line without its end; nothing after the last. It is valid until the next call.
  std::optional<std::string_view> next() {
    line_.clear();
    while (true) {
      const auto end = std::find(unread_.begin(), unread_.end(), '\n');
      line_.append(unread_.begin(), end);
      if (line_.size() > kLongestLine) fail(number_ + 1, "the line is longer than 4096 bytes");
      if (end != unread_.end()) {
        if (number_ == kMostLines) fail(number_ + 1, "a trace has at most 67108864 lines");
        unread_.remove_prefix(static_cast<std::size_t>(end - unread_.begin()) + 1);
        ++number_;
        check_bytes();
        return line_;
      }
      if (!refill()) break;
    }
    if (!line_.empty()) fail(number_ + 1, "the last line has no end");
    return std::nullopt;
  }

  std::uint32_t number() const { return number_; }

  [[noreturn]] void fail(std::string reason) const { fail(number_, std::move(reason)); }
  [[noreturn]] void fail(std::uint32_t line, std::string reason) const {
    throw TraceError(path_, line, std::move(reason));
  }

 private:
  static CompressedFile open(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    if (!name.ends_with(".trace") && !name.ends_with(".trace.gz") &&
        !name.ends_with(".trace.zst")) {
      throw TraceError(path, 0, "a trace is called *.trace, *.trace.gz or *.trace.zst");
    }
    try {
      return CompressedFile(path);
    } catch (const std::runtime_error& error) {
      throw TraceError(path, 0, error.what());
    }
  }

  bool refill() {
    try {
      unread_ = {buffer_.data(), file_.read(buffer_)};
    } catch (const std::runtime_error& error) {
      fail(number_ + 1, error.what());
    }
    return !unread_.empty();
  }

  void check_bytes() const {
    if (line_.empty()) fail("the line is empty");
    if (line_.back() == '\r') fail("the line ends in a carriage return");
    const auto odd = std::find_if(line_.begin(), line_.end(),
                                  [](char byte) { return byte < ' ' || byte > '~'; });
    if (odd != line_.end()) {
      fail(fmt::format("byte {} is no printable ASCII: {:#04x}", odd - line_.begin() + 1,
                       static_cast<unsigned char>(*odd)));
    }
  }

  std::filesystem::path path_;
  CompressedFile file_;
  std::array<char, 1 << 16> buffer_;
  std::string_view unread_;
  std::string line_;
  std::uint32_t number_ = 0;
};

/// Takes the decimal integers of a line, one after the other.
class Fields {
 public:
  Fields(const LineReader& lines, std::string_view rest) : lines_(lines), rest_(rest) {}

  std::string_view text(const char* what) {
    if (at_end_) lines_.fail(fmt::format("{} is missing", what));
    const std::size_t space = rest_.find(' ');
    const std::string_view field = rest_.substr(0, space);
    at_end_ = space == std::string_view::npos;
    if (!at_end_) rest_.remove_prefix(space + 1);
    return field;
  }

  template <class Integer>
  Integer integer(const char* what) {
    const std::string_view field = text(what);
    Integer value{};
    const char* const end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc::result_out_of_range && stop == end) {
      lines_.fail(fmt::format("{} is out of range: {}", what, field));
    }
    const std::string_view digits = field.substr(field.starts_with('-') ? 1 : 0);
    const bool padded = field != "0" && digits.starts_with('0');
    if (error != std::errc() || stop != end || padded) {
      lines_.fail(fmt::format("{} is no number: \"{}\"", what, field));
    }
    return value;
  }

  void end() const {
    if (!at_end_) lines_.fail(fmt::format("too much on the line: \"{}\"", rest_));
  }

 private:
  const LineReader& lines_;
  std::string_view rest_;
  bool at_end_ = false;
};

class TraceReader {
 public:
  explicit TraceReader(const std::filesystem::path& path) : lines_(path) {}

  Trace read() {
    std::optional<std::string_view> line = lines_.next();
    if (!line) lines_.fail(0, "the file is empty");
    if (line != kFirstLine) lines_.fail(fmt::format("the first line is not \"{}\"", kFirstLine));
    while ((line = lines_.next()) && line->starts_with('#')) read_header_line(*line);
    check_header();
    for (; line; line = lines_.next()) read_operation(*line);
    check_header_against_operations();
    return std::move(trace_);
  }

 private:
  void read_header_line(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("# ") || colon == std::string_view::npos) {
      lines_.fail("a header line is \"# key: value\"");
    }
    const std::string_view key = line.substr(2, colon - 2);
    const auto known = std::find_if(kHeaderKeys.begin(), kHeaderKeys.end(),
                                    [&](const HeaderKey& entry) { return entry.name == key; });
    if (known == kHeaderKeys.end()) lines_.fail(fmt::format("the header has no key \"{}\"", key));
    HeaderValue& value = header_[static_cast<std::size_t>(known - kHeaderKeys.begin())];
    if (value.line != 0) {
      lines_.fail(fmt::format("{} stands on line {} already", key, value.line));
    }
    value = {std::string(line.substr(colon + 2)), lines_.number()};
  }

  void check_header() const {
    for (std::size_t i = 0; i < kHeaderKeys.size(); ++i) {
      if (header_[i].line == 0 && kHeaderKeys[i].presence == Presence::required) {
        lines_.fail(fmt::format("the header lacks \"{}\"", kHeaderKeys[i].name));
      }
    }
    expect("clock", "ns");
    if (const std::string& dropped = value_of("dropped_unknown").text;
        dropped.empty() || dropped.find_first_not_of("0123456789") != std::string::npos) {
      lines_.fail(value_of("dropped_unknown").line,
                  fmt::format("dropped_unknown is no number: \"{}\"", dropped));
    }
  }

  void read_operation(std::string_view line) {
    if (line.starts_with('#')) lines_.fail("a header line after the first operation");
    Fields fields(lines_, line);
    TraceOperation operation{};
    operation.time = fields.integer<std::int64_t>("the time");
    const std::string_view verb = fields.text("the operation");
    if (verb.size() != 1 || std::string_view("srcf").find(verb) == std::string_view::npos) {
      lines_.fail(fmt::format("there is no operation \"{}\"", verb));
    }
    operation.verb = static_cast<TraceVerb>(verb.front());
    operation.id = fields.integer<std::uint32_t>("the id");
    if (operation.verb == TraceVerb::schedule || operation.verb == TraceVerb::reschedule) {
      operation.deadline = fields.integer<std::int64_t>("the deadline");
    }
    fields.end();
    operation.line = lines_.number();
    check_order(operation.time);
    follow(operation.verb, operation.id);
    trace_.operations.push_back(operation);
  }

  void check_order(std::int64_t time) const {
    if (trace_.operations.empty()) {
      if (time != 0) lines_.fail(fmt::format("the first operation is not at 0 but at {}", time));
    } else if (const std::int64_t last = trace_.operations.back().time; time < last) {
      lines_.fail(fmt::format("time goes back from {} to {}", last, time));
    }
  }

  void follow(TraceVerb verb, std::uint32_t id) {
    if (verb == TraceVerb::schedule) {
      if (id > pending_.size()) {
        lines_.fail(fmt::format("id {} leaves out {}", id, pending_.size()));
      }
      if (id == pending_.size()) pending_.push_back(false);
      if (pending_[id]) lines_.fail(fmt::format("id {} is pending already", id));
      pending_[id] = true;
      peak_pending_ = std::max(peak_pending_, ++pending_count_);
    } else {
      if (id >= pending_.size() || !pending_[id])
        lines_.fail(fmt::format("id {} is not pending", id));
      if (verb != TraceVerb::reschedule) {
        pending_[id] = false;
        --pending_count_;
      }
    }
    ++count_[static_cast<unsigned char>(verb)];
  }

  void check_header_against_operations() {
    if (trace_.operations.empty()) lines_.fail("there is no operation");
    expect("ops", std::to_string(trace_.operations.size()));
    check_cut();
    for (const char verb : {'s', 'r', 'c', 'f'}) {
      expect(fmt::format("count_{}", verb),
             std::to_string(count_[static_cast<unsigned char>(verb)]));
    }
    expect("peak_pending", std::to_string(peak_pending_));
    expect("pending_at_end", std::to_string(pending_count_));
    expect("ids", std::to_string(pending_.size()));
    expect("duration_ns", std::to_string(trace_.operations.back().time));
    trace_.name = value_of("name").text;
    trace_.ids = static_cast<std::uint32_t>(pending_.size());
  }

  /// A part of a longer trace says how long that trace is: "first 10 of 20 operations".
  void check_cut() const {
    const HeaderValue& cut = value_of("cut");
    if (cut.line == 0) return;
    const std::size_t here = trace_.operations.size();
    const std::string first = fmt::format("first {} of ", here);
    std::int64_t whole = 0;
    if (cut.text.starts_with(first) && !cut.text.substr(first.size()).starts_with('0')) {
      const char* const end = cut.text.data() + cut.text.size();
      const auto [rest, error] = std::from_chars(cut.text.data() + first.size(), end, whole);
      if (error != std::errc() || std::string_view(rest, end) != " operations") whole = 0;
    }
    if (whole <= static_cast<std::int64_t>(here)) {
      lines_.fail(cut.line, fmt::format("cut is \"{}\", but should be \"{}M operations\", with M "
                                        "above that",
                                        cut.text, first));
    }
  }

  const HeaderValue& value_of(std::string_view key) const {
    std::size_t i = 0;
    while (kHeaderKeys[i].name != key) ++i;
    return header_[i];
  }

  void expect(std::string_view key, const std::string& right) const {
    const HeaderValue& value = value_of(key);
    if (value.text == right) return;
    lines_.fail(value.line,
                fmt::format("{} is \"{}\", but should be \"{}\"", key, value.text, right));
  }

  LineReader lines_;
  std::array<HeaderValue, kHeaderKeys.size()> header_;
  Trace trace_;
  std::vector<bool> pending_;  // by id
  std::size_t pending_count_ = 0;
  std::size_t peak_pending_ = 0;
  std::array<std::size_t, 128> count_{};  // by verb
};

std::string message(const std::filesystem::path& file, std::uint64_t line,
                    const std::string& reason) {
  if (line == 0) return fmt::format("{}: {}", file.string(), reason);
  return fmt::format("{}:{}: {}", file.string(), line, reason);
}

}  // namespace

TraceError::TraceError(std::filesystem::path file, std::uint64_t line, std::string reason)
    : std::runtime_error(message(file, line, reason)),
      file_(std::move(file)),
      line_(line),
      reason_(std::move(reason)) {}

Trace read_trace(const std::filesystem::path& path) { return TraceReader(path).read(); }

}  // namespace timers::benches
