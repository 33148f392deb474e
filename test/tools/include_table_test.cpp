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
    readModules();
    readThirdParty();
  }

  // An arrow includes what its target may use.
  void readModules() {
    std::ifstream document(root_ / "docs" / "design.md");
    for (const std::string& line : block(document, "modules")) {
      const auto [module, targets] = arrow(line);
      std::set<std::string>& allowed = allowed_[module];
      allowed.insert(module);
      for (const std::string& target : targets) {
        ASSERT_TRUE(allowed_.count(target) == 1)
            << module << " -> " << target << " comes too early";
        allowed.insert(target);
        allowed.insert(allowed_[target].begin(), allowed_[target].end());
      }
    }
    ASSERT_GE(allowed_.size(), 12U) << "no block of modules in docs/design.md";
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

  fs::path root_;
  std::map<std::string, std::set<std::string>> allowed_;
  std::vector<OnlyHere> only_here_;
};

TEST_F(IncludeTable, ModulesUseOnlyWhatTheTableAllows) {
  int seen = 0;
  for (const Include& include : includes()) {
    const std::string module = moduleOf(include.file);
    const auto row = allowed_.find(module);
    ASSERT_NE(row, allowed_.end()) << include.file << ": module '" << module << "' is in no table";
    const std::string target = targetOf(include);
    if (target.empty()) continue;
    ++seen;
    EXPECT_EQ(row->second.count(target), 1U) << include.file.string() << ":" << include.line << ": "
                                             << module << " may not include " << include.path;
  }
  EXPECT_GT(seen, 100);
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
}

}  // namespace
