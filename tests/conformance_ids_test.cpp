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

/// The numbers that a text names, by the letter of their section: A-1, or a range A-1..A-3.
std::map<char, Numbers> ids_in(const std::string& text) {
  static const std::regex id(R"(\b([AD])-(\d+)(?:\.\.\1-(\d+))?)");
  std::map<char, Numbers> ids;
  for (std::sregex_iterator match(text.begin(), text.end(), id), end; match != end; ++match) {
    const int first = std::stoi((*match)[2]);
    const int last = (*match)[3].matched ? std::stoi((*match)[3]) : first;
    for (int number = first; number <= last; ++number) ids[(*match)[1].str()[0]].insert(number);
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
  std::map<char, Numbers> ids;
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
      for (auto [letter, numbers] : found) tested.ids[letter].merge(numbers);
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

/// All behaviours of section A, and those of them that a queue cannot show: it has no clock, no
/// periods, no objects of its users, no clear.
const Numbers kBehaviours = ranges({{1, 117}});
const Numbers kNotForQueues = ranges({{8, 8},
                                      {17, 17},
                                      {20, 21},
                                      {25, 25},
                                      {27, 27},
                                      {48, 48},
                                      {64, 64},
                                      {68, 69},
                                      {72, 72},
                                      {76, 76},
                                      {90, 90},
                                      {92, 92},
                                      {96, 96},
                                      {99, 100},
                                      {103, 113}});

/// The faults of history, section D, that a queue could have.
const Numbers kFaultsOfQueues = ranges({{1, 4},
                                        {8, 8},
                                        {10, 10},
                                        {14, 15},
                                        {18, 18},
                                        {20, 20},
                                        {35, 41},
                                        {43, 51},
                                        {53, 53},
                                        {56, 59},
                                        {62, 62},
                                        {64, 79}});

TEST(ConformanceIds, AreReadFromComments) {
  EXPECT_EQ(comment_of("  call();  // why", "//"), " why");
  EXPECT_EQ(comment_of("  call();", "//"), "");
  EXPECT_EQ(comment_of("# why", "#"), " why");
}

TEST(ConformanceIds, MayBeListsAndRanges) {
  const auto ids = ids_in(" A-07, D-3 and A-10..A-12. Not B-9, nor A-B, nor 7.");
  EXPECT_EQ(ids.at('A'), (Numbers{7, 10, 11, 12}));
  EXPECT_EQ(ids.at('D'), (Numbers{3}));
  EXPECT_TRUE(ids_in("no id").empty());
}

TEST(ConformanceIds, AreEachTestedOrExcluded) {
  const Tested tested = read_tests();
  EXPECT_GT(tested.files, 20u);
  EXPECT_GT(tested.comments, 100u);
  Numbers seen = tested.ids.at('A');
  EXPECT_GT(seen.size(), 80u);
  EXPECT_EQ(missing_in(kBehaviours, seen), Numbers{}) << "ids that the catalogue does not have";
  for (const int number : kNotForQueues)
    EXPECT_FALSE(seen.contains(number)) << "A" << number << " is tested, and excluded too";
  seen.insert(kNotForQueues.begin(), kNotForQueues.end());
  EXPECT_EQ(missing_in(seen, kBehaviours), Numbers{}) << "ids that no test names";
}

TEST(ConformanceIds, IncludeTheFaultsOfHistory) {
  const Tested tested = read_tests();
  EXPECT_EQ(missing_in(tested.ids.at('D'), kFaultsOfQueues), Numbers{}) << "not tested";
  EXPECT_EQ(missing_in(kFaultsOfQueues, tested.ids.at('D')), Numbers{}) << "not in the list";
}

}  // namespace
}  // namespace timers
