/// Each test names, in a comment above it, the behaviours of the catalogue that it checks. These
/// tests hold the comments against the catalogue, so that no behaviour is lost.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace timers {
namespace {

using Numbers = std::set<int>;

/// The numbers that a text names, by section: A-1, B-N-01, or a range A-1..A-3.
std::map<std::string, Numbers> ids_in(const std::string& text) {
  static const std::regex id(R"(\b(A|B-[KNQST]|C|D)-(\d+)(?:\.\.\1-(\d+))?)");
  std::map<std::string, Numbers> ids;
  for (std::sregex_iterator match(text.begin(), text.end(), id), end; match != end; ++match) {
    const int first = std::stoi((*match)[2]);
    const int last = (*match)[3].matched ? std::stoi((*match)[3]) : first;
    for (int number = first; number <= last; ++number) ids[(*match)[1]].insert(number);
  }
  return ids;
}

std::string comment_of(const std::string& line, const std::string& mark) {
  const auto start = line.find(mark);
  return start == std::string::npos ? "" : line.substr(start + mark.size());
}

struct Tested {
  std::size_t files = 0;
  std::size_t comments = 0;
  std::map<std::string, Numbers> ids;
};

Tested read_tests() {
  Tested tested;
  const std::filesystem::path tests = std::filesystem::path(TIMERBENCH_SOURCE_DIR) / "tests";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests)) {
    const auto extension = entry.path().extension();
    const bool is_python = extension == ".py";
    if (!is_python && extension != ".cpp" && extension != ".hpp") continue;
    ++tested.files;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const auto found = ids_in(comment_of(line, is_python ? "#" : "//"));
      if (!found.empty()) ++tested.comments;
      for (auto [section, numbers] : found) tested.ids[section].merge(numbers);
    }
  }
  return tested;
}

Numbers ranges(const std::vector<std::pair<int, int>>& ranges) {
  Numbers numbers;
  for (const auto& [first, last] : ranges) {
    for (int number = first; number <= last; ++number) numbers.insert(number);
  }
  return numbers;
}

Numbers missing_in(const Numbers& some, const Numbers& wanted) {
  Numbers missing;
  std::set_difference(wanted.begin(), wanted.end(), some.begin(), some.end(),
                      std::inserter(missing, missing.end()));
  return missing;
}

/// A section of the catalogue: how many behaviours it has, and which of them cannot be seen here.
struct Section {
  int behaviours;
  Numbers excluded;
};

const std::map<std::string, Section> kCatalogue = {
    // Nothing divides by multiplication; nobody can walk over the timers or cancel all of them at
    // once, hook into a cancel, refuse an expiry, destroy a queue in a callback or a timer object
    // at
    // all; and the waits of poll, with their cap, are not used.
    {"A",
     {117, ranges({{27, 27},
                   {48, 48},
                   {64, 64},
                   {68, 69},
                   {76, 76},
                   {90, 90},
                   {92, 92},
                   {96, 96},
                   {99, 100}})}},
    {"B-K", {30, {}}},
    {"B-N", {32, {}}},
    {"B-Q", {18, {16}}},  // Iterators of a queue that threads share.
    {"B-S", {27, {}}},
    {"B-T", {23, {22, 23}}},  // The garbage collector ends the timer; the clock of the wall.
    {"C", {30, {}}},
    // Nothing reads its clock twice for one look at a wheel; nobody waits for two reasons at once;
    // and no test puts the machine to sleep.
    {"D", {84, {42, 60, 83}}}};

TEST(LawIds, AreReadFromComments) {
  EXPECT_EQ(comment_of("  call();  // why", "//"), " why");
  EXPECT_EQ(comment_of("  call();", "//"), "");
  EXPECT_EQ(comment_of("# why", "#"), " why");
}

TEST(LawIds, MayBeListsAndRanges) {
  const auto ids = ids_in(" A-07, B-N-3 and A-10..A-12. Not B-9, nor A-B, nor 7.");
  EXPECT_EQ(ids.at("A"), (Numbers{7, 10, 11, 12}));
  EXPECT_EQ(ids.at("B-N"), (Numbers{3}));
  EXPECT_EQ(ids.size(), 2u);
  EXPECT_TRUE(ids_in("no id").empty());
}

TEST(LawIds, AreEachTestedOrExcluded) {
  const Tested tested = read_tests();
  EXPECT_GT(tested.files, 50u);
  EXPECT_GT(tested.comments, 300u);
  for (const auto& [name, section] : kCatalogue) {
    SCOPED_TRACE(name);
    const Numbers all = ranges({{1, section.behaviours}});
    Numbers seen = tested.ids.at(name);
    EXPECT_GT(seen.size(), all.size() / 2);
    EXPECT_EQ(missing_in(all, seen), Numbers{}) << "are ids that the catalogue does not have";
    for (const int number : section.excluded) {
      EXPECT_FALSE(seen.contains(number)) << number << " is tested, and excluded too";
    }
    seen.insert(section.excluded.begin(), section.excluded.end());
    EXPECT_EQ(missing_in(seen, all), Numbers{}) << "are ids that no test names";
  }
}

}  // namespace
}  // namespace timers
