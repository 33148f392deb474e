// SPDX-License-Identifier: BSD-3-Clause
// Checks every #include of the sources against the two tables in docs/design.md: which module may
// use which, and where third-party headers may appear.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

struct Include {
  fs::path file;  // relative to the repository
  int line;
  std::string path;
  bool quoted;
};

// Where headers that begin with a prefix may be included.
struct OnlyHere {
  std::string prefix;
  std::set<std::string> modules;
  bool private_only = false;  // files of src/, never a public header
};

// The lines between "```<name>" and "```".
std::vector<std::string> block(std::istream& text, const std::string& name) {
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (inside && line == "```") break;
    if (inside) lines.push_back(line);
    if (line == "```" + name) inside = true;
  }
  return lines;
}

// "name -> a b c".
std::pair<std::string, std::vector<std::string>> arrow(const std::string& line) {
  std::istringstream words(line);
  std::string name, sign, word;
  words >> name >> sign;
  std::vector<std::string> targets;
  while (words >> word) targets.push_back(word);
  return {name, targets};
}

class IncludeTable : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* root = std::getenv("MARSIM_TEST_SOURCE_DIR");
    if (root == nullptr) GTEST_SKIP() << "MARSIM_TEST_SOURCE_DIR is not set";
    root_ = root;
    readArrows("modules", 12);
    readArrows("rooms", allowed_.size() + 4);
    readThirdParty();
  }

  // An arrow includes what its target may use.
  void readArrows(const std::string& block_name, std::size_t least) {
    std::ifstream document(root_ / "docs" / "design.md");
    for (const std::string& line : block(document, block_name)) {
      const auto [part, targets] = arrow(line);
      std::set<std::string>& allowed = allowed_[part];
      allowed.insert(part);
      for (const std::string& target : targets) {
        ASSERT_TRUE(allowed_.count(target) == 1) << part << " -> " << target << " comes too early";
        arrows_.emplace(part, target);
        allowed.insert(target);
        allowed.insert(allowed_[target].begin(), allowed_[target].end());
      }
    }
    ASSERT_GE(allowed_.size(), least) << "no block of " << block_name << " in docs/design.md";
  }

  void readThirdParty() {
    std::ifstream document(root_ / "docs" / "design.md");
    for (const std::string& line : block(document, "third-party")) {
      const auto [prefix, targets] = arrow(line);
      OnlyHere rule{prefix, {}};
      for (const std::string& target : targets) {
        if (target == "(src)") {
          rule.private_only = true;
        } else {
          ASSERT_TRUE(allowed_.count(target) == 1) << line;
          rule.modules.insert(target);
        }
      }
      only_here_.push_back(rule);
    }
    ASSERT_FALSE(only_here_.empty()) << "no block of third-party headers in docs/design.md";
  }

  std::vector<Include> includes() const {
    static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<Include> found;
    for (const fs::path& folder : {root_ / "include" / "marsim", root_ / "src"}) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".hpp" && extension != ".cpp" && extension != ".in") continue;
        std::ifstream file(entry.path());
        std::string line;
        for (int number = 1; std::getline(file, line); ++number) {
          std::smatch match;
          if (!std::regex_search(line, match, pattern)) continue;
          found.push_back({fs::relative(entry.path(), root_), number, match[2], match[1] == "\""});
        }
      }
    }
    return found;
  }

  // include/marsim/map/x.hpp and src/map/x.cpp belong to map.
  static std::string moduleOf(const fs::path& file) {
    auto part = file.begin();
    const bool header = *part++ == "include";
    if (header) ++part;
    return part->string();
  }

  // The module of an included header of our own, "" for others. Messages generated for ROS lie
  // directly in marsim/.
  std::string targetOf(const Include& include) const {
    const fs::path path = include.path;
    auto part = path.begin();
    if (*part == "marsim" && std::distance(path.begin(), path.end()) > 2) {
      return (++part)->string();
    }
    if (!include.quoted) return "";
    if (fs::exists(root_ / include.file.parent_path() / path)) return moduleOf(include.file);
    return allowed_.count(part->string()) == 1 ? part->string() : "";
  }

  // Calls act(include, from, to) for each include of a header of our own, by modules and by rooms.
  template <class Act>
  void forOwnIncludes(const Act& act) const {
    for (const Include& include : includes()) {
      const std::string from = moduleOf(include.file), to = targetOf(include);
      if (to.empty()) continue;
      act(include, from, to);
      const std::string room = roomOf(include.file.lexically_relative("src"));
      const std::string target = roomOf(include.path);
      if (!room.empty() && !target.empty()) act(include, room, target);
    }
  }

  // lidar/cast of lidar/cast/plants.cpp; "" where the folder is no room of the table.
  std::string roomOf(const fs::path& path) const {
    const std::string folder = path.parent_path().generic_string();
    return folder.find('/') != std::string::npos && allowed_.count(folder) == 1 ? folder : "";
  }

  fs::path root_;
  std::map<std::string, std::set<std::string>> allowed_;
  std::set<std::pair<std::string, std::string>> arrows_;
  std::vector<OnlyHere> only_here_;
};

TEST_F(IncludeTable, ModulesAndRoomsUseOnlyWhatTheTablesAllow) {
  int seen = 0;
  forOwnIncludes([&](const Include& include, const std::string& from, const std::string& to) {
    ++seen;
    const auto row = allowed_.find(from);
    ASSERT_NE(row, allowed_.end()) << include.file << ": module '" << from << "' is in no table";
    EXPECT_EQ(row->second.count(to), 1U) << include.file.string() << ":" << include.line << ": "
                                         << from << " may not include " << include.path;
  });
  EXPECT_GT(seen, 100);
}

TEST_F(IncludeTable, EveryArrowIsUsed) {
  std::set<std::pair<std::string, std::string>> unused = arrows_;
  forOwnIncludes([&](const Include&, const std::string& from, const std::string& to) {
    unused.erase({from, to});
  });
  for (const auto& [from, to] : unused)
    ADD_FAILURE() << "no include needs " << from << " -> " << to;
}

TEST_F(IncludeTable, ThirdPartyHeadersStayInTheirModules) {
  for (const Include& include : includes()) {
    for (const OnlyHere& rule : only_here_) {
      if (include.path.compare(0, rule.prefix.size(), rule.prefix) != 0) continue;
      EXPECT_EQ(rule.modules.count(moduleOf(include.file)), 1U)
          << include.file.string() << ":" << include.line << ": " << include.path;
      if (rule.private_only) {
        EXPECT_EQ(include.file.begin()->string(), "src")
            << include.file.string() << ":" << include.line << ": " << include.path;
      }
    }
  }
}

TEST_F(IncludeTable, EveryModuleFolderIsInTheTable) {
  for (const fs::path& folder : {root_ / "include" / "marsim", root_ / "src"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (!entry.is_directory()) continue;
      EXPECT_EQ(allowed_.count(entry.path().filename().string()), 1U) << entry.path();
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(root_ / "src" / "lidar")) {
    if (!entry.is_directory()) continue;
    EXPECT_NE(roomOf(fs::path("lidar") / entry.path().filename() / "x"), "");
  }
}

// A header that only the sources of its own module include lies in src.
TEST_F(IncludeTable, PublicHeadersServeOthersThanTheirModule) {
  std::set<std::string> needed;
  for (const Include& include : includes()) {
    const bool in_header = *include.file.begin() == "include";
    if (in_header || moduleOf(include.file) != targetOf(include)) needed.insert(include.path);
  }
  int seen = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(root_ / "include" / "marsim")) {
    const fs::path header = fs::relative(entry.path(), root_ / "include");
    if (entry.is_directory() || std::distance(header.begin(), header.end()) < 3) continue;
    ++seen;
    EXPECT_EQ(needed.count(header.generic_string()), 1U) << header;
  }
  EXPECT_GT(seen, 50);
}

// A name that a header defines in a namespace is the name of no other type in any header, and in no
// source of the same module; one of a public header in no source at all.
TEST_F(IncludeTable, TypeNamesHaveOneMeaning) {
  static const std::regex pattern(
      R"(^(?:template <.*> )?(?:class|struct|enum class|enum|union) (?:alignas\(\d+\) )?([A-Z]\w*)(?: final)?(?: :.*)? \{)"
      R"(|^using ([A-Z]\w*) =)");
  struct Definition {
    std::string file, module;
    bool in_header, is_public;
  };
  std::map<std::string, std::vector<Definition>> found;
  for (const fs::path& folder : {root_ / "include" / "marsim", root_ / "src"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path file = fs::relative(entry.path(), root_);
      const bool in_header = file.extension() == ".hpp";
      if (!in_header && file.extension() != ".cpp") continue;
      if (file.filename() == "mavros_messages.hpp") continue;  // names of mavros_msgs
      const bool is_public = *file.begin() == "include";
      std::ifstream text(entry.path());
      std::smatch match;
      for (std::string line; std::getline(text, line);) {
        if (line.size() > 200 || !std::regex_search(line, match, pattern)) continue;
        if (match[2].matched && !is_public) continue;  // an abbreviation of the file's own
        found[match[1].matched ? match[1] : match[2]].push_back(
            {file.string(), moduleOf(file), in_header, is_public});
      }
    }
  }
  ASSERT_GT(found.size(), 500U);
  for (const auto& [name, places] : found) {
    for (const Definition& a : places) {
      for (const Definition& b : places) {
        if (a.file == b.file || !a.in_header) continue;
        EXPECT_FALSE(b.in_header || a.is_public || a.module == b.module)
            << name << ": " << a.file << ", " << b.file;
      }
    }
  }
}

}  // namespace
