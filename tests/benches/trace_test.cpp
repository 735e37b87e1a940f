#include "benches/traces/trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace timers::benches {
namespace {

constexpr const char* kTraces = TIMERBENCH_SOURCE_DIR "/benches/traces";

const std::string kGood =
    "# timer-trace 1\n"
    "# name: made\n"
    "# source: a test\n"
    "# load: none\n"
    "# capture: by hand\n"
    "# date: 2026-01-01\n"
    "# clock: ns\n"
    "# ops: 6\n"
    "# count_s: 3\n"
    "# count_r: 1\n"
    "# count_c: 1\n"
    "# count_f: 1\n"
    "# peak_pending: 2\n"
    "# pending_at_end: 1\n"
    "# ids: 2\n"
    "# duration_ns: 500\n"
    "# dropped_unknown: 0\n"
    "0 s 0 1000\n"
    "10 s 1 -5\n"
    "20 r 0 2000\n"
    "20 c 0\n"
    "300 f 1\n"
    "500 s 1 9223372036854775807\n";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstandard(const std::string& text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

class TraceTest : public testing::Test {
 protected:
  TraceTest() {
    std::string name = (std::filesystem::temp_directory_path() / "trace_test.XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~TraceTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path file(const std::string& name, const std::string& bytes) const {
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
    return directory_ / name;
  }

  /// The fault of a file with these bytes, without its directory; "good" if there is none.
  std::string fault(const std::string& name, const std::string& bytes) const {
    return fault(file(name, bytes));
  }
  std::string fault(const std::filesystem::path& path) const {
    try {
      read_trace(path);
      return "good";
    } catch (const TraceError& error) {
      const std::string place = error.line() == 0 ? "" : fmt::format(":{}", error.line());
      EXPECT_EQ(error.what(),
                fmt::format("{}{}: {}", error.file().string(), place, error.reason()));
      return std::string(error.what()).substr(directory_.string().size() + 1);
    }
  }

  std::filesystem::path directory_;
};

TEST_F(TraceTest, ReadsEachOperationWithItsLine) {
  const Trace trace = read_trace(file("good.trace", kGood));
  EXPECT_EQ(trace.name, "made");
  EXPECT_EQ(trace.ids, 2u);
  ASSERT_EQ(trace.operations.size(), 6u);
  EXPECT_EQ(trace.operations[1].time, 10);
  EXPECT_EQ(trace.operations[1].verb, TraceVerb::schedule);
  EXPECT_EQ(trace.operations[1].id, 1u);
  EXPECT_EQ(trace.operations[1].deadline, -5);
  EXPECT_EQ(trace.operations[1].line, 19u);
  EXPECT_EQ(trace.operations[2].verb, TraceVerb::reschedule);
  EXPECT_EQ(trace.operations[3].verb, TraceVerb::cancel);
  EXPECT_EQ(trace.operations[4].verb, TraceVerb::observed_expiry);
  EXPECT_EQ(trace.operations[5].deadline, std::numeric_limits<std::int64_t>::max());
}

TEST_F(TraceTest, ReadsCompressedFilesAlsoWhenTheyWerePutTogetherFromParts) {
  const std::string head = kGood.substr(0, 100);
  const std::string tail = kGood.substr(100);
  EXPECT_EQ(fault("one.trace.gz", gzipped(kGood)), "good");
  EXPECT_EQ(fault("two.trace.gz", gzipped(head) + gzipped(tail)), "good");
  EXPECT_EQ(fault("one.trace.zst", zstandard(kGood)), "good");
  EXPECT_EQ(fault("two.trace.zst", zstandard(head) + zstandard(tail)), "good");
}

TEST_F(TraceTest, ReadsEveryRecordedTrace) {
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTraces)) {
    if (entry.path().filename().string().find(".trace") == std::string::npos) continue;
    EXPECT_GE(read_trace(entry.path()).operations.size(), 4000u) << entry.path();
    ++traces;
  }
  EXPECT_GE(traces, 8);
}

TEST_F(TraceTest, AcceptsTheLineThatSaysWhatWasCut) {
  const std::string cut = replaced(kGood, "# dropped", "# cut: first 6 of 9 operations\n# dropped");
  EXPECT_EQ(fault("cut.trace", cut), "good");
}

struct Malformed {
  const char* from;  // this part of the good trace
  const char* to;    // is replaced by this
  const char* message;
};

const Malformed kMalformed[] = {
    {"# timer-trace 1", "# timer-trace 2", "1: the first line is not \"# timer-trace 1\""},
    {"# timer-trace 1\n", "", "1: the first line is not \"# timer-trace 1\""},
    {"# name: made", "#name: made", "2: a header line is \"# key: value\""},
    {"# name: made", "# name made", "2: a header line is \"# key: value\""},
    {"# load: none", "# loud: none", "4: the header has no key \"loud\""},
    {"# load: none", "# load: none\n# load: some", "5: load stands on line 4 already"},
    {"# date: 2026-01-01\n", "", "17: the header lacks \"date\""},
    {"# clock: ns", "# clock: us", "7: clock is \"us\", but should be \"ns\""},
    {"# ops: 6", "# ops: 18446744073709551615",
     "8: ops is \"18446744073709551615\", but should be \"6\""},
    {"# ops: 6", "# ops: 06", "8: ops is \"06\", but should be \"6\""},
    {"# count_s: 3", "# count_s: 4", "9: count_s is \"4\", but should be \"3\""},
    {"# count_r: 1", "# count_r: ", "10: count_r is \"\", but should be \"1\""},
    {"# count_c: 1", "# count_c: 0", "11: count_c is \"0\", but should be \"1\""},
    {"# count_f: 1", "# count_f: one", "12: count_f is \"one\", but should be \"1\""},
    {"# peak_pending: 2", "# peak_pending: 3", "13: peak_pending is \"3\", but should be \"2\""},
    {"# pending_at_end: 1", "# pending_at_end: 0",
     "14: pending_at_end is \"0\", but should be \"1\""},
    {"# ids: 2", "# ids: 4000000000", "15: ids is \"4000000000\", but should be \"2\""},
    {"# duration_ns: 500", "# duration_ns: 501",
     "16: duration_ns is \"501\", but should be \"500\""},
    {"# dropped_unknown: 0", "# dropped_unknown: -1", "17: dropped_unknown is no number: \"-1\""},
    {"# dropped_unknown: 0", "# dropped_unknown: 0\n# cut: first 5 of 9 operations",
     "18: cut is \"first 5 of 9 operations\", but should be \"first 6 of M operations\", with M "
     "above that"},
    {"# dropped_unknown: 0", "# dropped_unknown: 0\n# cut: first 6 of 6 operations",
     "18: cut is \"first 6 of 6 operations\", but should be \"first 6 of M operations\", with M "
     "above that"},
    {"# dropped_unknown: 0", "# dropped_unknown: 0\n# cut: first 6 of 9",
     "18: cut is \"first 6 of 9\", but should be \"first 6 of M operations\", with M above that"},
    {"# dropped_unknown: 0", "# dropped_unknown: 0\n# cut: first 6 of 09 operations",
     "18: cut is \"first 6 of 09 operations\", but should be \"first 6 of M operations\", with M "
     "above that"},
    {"20 c 0\n", "20 c 0\n# late: 1\n", "22: a header line after the first operation"},
    {"0 s 0 1000", "1 s 0 1000", "18: the first operation is not at 0 but at 1"},
    {"300 f", "19 f", "22: time goes back from 20 to 19"},
    {"0 s 0 1000", "-1 s 0 1000", "18: the first operation is not at 0 but at -1"},
    {"10 s 1 -5", "10 s 0 -5", "19: id 0 is pending already"},
    {"10 s 1 -5", "10 s 2 -5", "19: id 2 leaves out 1"},
    {"20 r 0 2000", "20 r 7 2000", "20: id 7 is not pending"},
    {"300 f 1", "300 f 0", "22: id 0 is not pending"},
    {"20 c 0", "20 x 0", "21: there is no operation \"x\""},
    {"20 c 0", "20 cc 0", "21: there is no operation \"cc\""},
    {"20 c 0", "20", "21: the operation is missing"},
    {"20 c 0", "20 c", "21: the id is missing"},
    {"20 c 0", "20 c 0 5", "21: too much on the line: \"5\""},
    {"20 c 0", "20 c 0 ", "21: too much on the line: \"\""},
    {"20 c 0", "20  c 0", "21: there is no operation \"\""},
    {"20 c 0", " 20 c 0", "21: the time is no number: \"\""},
    {"20 r 0 2000", "20 r 0", "20: the deadline is missing"},
    {"20 r 0 2000", "20 r 0 2e3", "20: the deadline is no number: \"2e3\""},
    {"20 r 0 2000", "20 r 0 +2000", "20: the deadline is no number: \"+2000\""},
    {"20 r 0 2000", "20 r 0 02000", "20: the deadline is no number: \"02000\""},
    {"20 r 0 2000", "20 r 0 -0", "20: the deadline is no number: \"-0\""},
    {"20 r 0 2000", "20 r 0 -", "20: the deadline is no number: \"-\""},
    {"20 r 0 2000", "20 r 0 9223372036854775808",
     "20: the deadline is out of range: 9223372036854775808"},
    {"20 c 0", "20 c -1", "21: the id is no number: \"-1\""},
    {"20 c 0", "20 c 4294967296", "21: the id is out of range: 4294967296"},
    {"20 c 0", "99999999999999999999 c 0", "21: the time is out of range: 99999999999999999999"},
    {"20 c 0\n", "20 c 0\r\n", "21: the line ends in a carriage return"},
    {"20 c 0\n", "20 c 0\n\n", "22: the line is empty"},
    {"20 c 0", "20\tc 0", "21: byte 3 is no printable ASCII: 0x09"},
    {"# load: none", "# load: caf\xc3\xa9", "4: byte 12 is no printable ASCII: 0xc3"},
    {"775807\n", "775807", "23: the last line has no end"},
    {"775807\n", "775807\ntrailing\n", "24: the time is no number: \"trailing\""},
};

TEST_F(TraceTest, NamesTheLineAndTheReasonOfEachFault) {
  for (const auto& [from, to, message] : kMalformed) {
    EXPECT_EQ(fault("bad.trace", replaced(kGood, from, to)), fmt::format("bad.trace:{}", message));
  }
}

TEST_F(TraceTest, RefusesFilesThatHoldNoTrace) {
  EXPECT_EQ(fault("empty.trace", ""), "empty.trace: the file is empty");
  EXPECT_EQ(fault("empty.trace.gz", ""), "empty.trace.gz:1: the gzip data is cut short");
  EXPECT_EQ(fault("empty.trace.zst", ""), "empty.trace.zst:1: the zstd data is cut short");
  EXPECT_EQ(fault("hollow.trace.gz", gzipped("")), "hollow.trace.gz: the file is empty");
  EXPECT_EQ(fault(directory_ / "none.trace"), "none.trace: No such file or directory");
  EXPECT_EQ(fault("notes.txt", kGood),
            "notes.txt: a trace is called *.trace, *.trace.gz or *.trace.zst");
  std::filesystem::create_directory(directory_ / "folder.trace");
  EXPECT_EQ(fault(directory_ / "folder.trace"), "folder.trace: it is not a regular file");
  const std::string header = kGood.substr(0, kGood.find("0 s 0"));
  EXPECT_EQ(fault("header.trace", header), "header.trace:17: there is no operation");
}

TEST_F(TraceTest, RefusesAFifoWithoutWaitingForItsWriter) {
  const std::string longer_than_a_line(5000, '#');  // a reader complains about it at once
  for (const std::string name : {"fifo.trace", "fifo.trace.gz", "fifo.trace.zst"}) {
    ASSERT_EQ(::mkfifo((directory_ / name).c_str(), 0600), 0);
    std::fstream writer(directory_ / name);
    writer << longer_than_a_line << std::flush;
    EXPECT_EQ(fault(directory_ / name), name + ": it is not a regular file");
  }
}

TEST_F(TraceTest, RefusesADevice) {
  std::filesystem::create_symlink("/dev/null", directory_ / "null.trace");
  EXPECT_EQ(fault(directory_ / "null.trace"), "null.trace: it is not a regular file");
}

TEST_F(TraceTest, RefusesWhatIsNotCompressedAsItsNameSays) {
  EXPECT_EQ(fault("plain.trace.gz", kGood),
            "plain.trace.gz:1: the gzip data is corrupt: incorrect header check");
  EXPECT_EQ(fault("plain.trace.zst", kGood),
            "plain.trace.zst:1: the zstd data is corrupt: Unknown frame descriptor");
  EXPECT_EQ(fault("packed.trace", gzipped(kGood)).substr(0, 15), "packed.trace:1:");
}

TEST_F(TraceTest, RefusesWhatFollowsTheCompressedData) {
  const std::string garbage = "some more bytes";
  EXPECT_EQ(fault("more.trace.gz", gzipped(kGood) + garbage),
            "more.trace.gz:24: the gzip data is corrupt: incorrect header check");
  EXPECT_EQ(fault("more.trace.zst", zstandard(kGood) + garbage),
            "more.trace.zst:24: the zstd data is corrupt: Unknown frame descriptor");
}

TEST_F(TraceTest, TakesNoMemoryForALineWithoutEnd) {
  const std::string endless(std::size_t{1} << 24, '#');
  EXPECT_EQ(fault("endless.trace.gz", gzipped("# timer-trace 1\n" + endless)),
            "endless.trace.gz:2: the line is longer than 4096 bytes");
}

TEST_F(TraceTest, NeverAcceptsATruncatedFile) {
  const std::string& text = kGood;
  const struct {
    const char* name;
    std::string bytes;
  } files[] = {
      {"cut.trace", text}, {"cut.trace.gz", gzipped(text)}, {"cut.trace.zst", zstandard(text)}};
  for (const auto& [name, bytes] : files) {
    EXPECT_EQ(fault(name, bytes), "good");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(fault(name, bytes.substr(0, size)), "good") << name << " of " << size << " bytes";
    }
  }
}

TEST_F(TraceTest, NeverReadsSomethingElseFromACorruptFile) {
  const std::size_t operations = read_trace(file("whole.trace", kGood)).operations.size();
  for (const std::string name : {"bad.trace.gz", "bad.trace.zst"}) {
    const std::string whole = name.ends_with(".gz") ? gzipped(kGood) : zstandard(kGood);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
      const std::filesystem::path path = file(name, bytes);
      try {
        // Some bytes of a header have no effect, for example the time in gzip's header.
        EXPECT_EQ(read_trace(path).operations.size(), operations);
      } catch (const TraceError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, whole.size() * 9 / 10);
  }
}

}  // namespace
}  // namespace timers::benches
