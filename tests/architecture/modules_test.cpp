// The table of modules in docs/architecture.md as a test: each folder with sources is a module,
// each includes only what its row lists, and from outside only headers that the row calls public.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.h"

namespace {

namespace fs = std::filesystem;

struct Module {
  std::set<std::string> may_include;     // modules
  std::set<std::string> public_headers;  // without .h; "*": all
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The words of a cell, without commas and backticks.
std::set<std::string> words_of(const std::string& cell) {
  const std::regex word(R"([\w/*]+)");
  return {std::sregex_token_iterator(cell.begin(), cell.end(), word), {}};
}

/// Rows "| `module` | what it is | may include | public headers |".
std::map<std::string, Module> declared_modules() {
  const std::regex row(R"(^\| `([a-z_/]+)` \|([^|]*)\|([^|]*)\|([^|]*)\|$)");
  std::map<std::string, Module> modules;
  for (const std::string& line : lines_of(source_root / "docs/architecture.md")) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    modules[cells[1]] = {words_of(cells[3]), words_of(cells[4])};
  }
  return modules;
}

std::string module_of(const std::string& file) { return fs::path(file).parent_path().string(); }

/// Source files by module, relative to the root.
std::map<std::string, std::vector<std::string>> files_by_module() {
  std::map<std::string, std::vector<std::string>> files;
  for (const std::string& part : product_parts) {
    for (const auto& entry : fs::recursive_directory_iterator(source_root / part)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      const std::string file = fs::relative(entry.path(), source_root).string();
      files[module_of(file)].push_back(file);
    }
  }
  return files;
}

/// The project's own headers that a file includes.
std::vector<std::string> includes_of(const std::string& file) {
  const std::regex include(R"re(^#include "([^"]+)")re");
  std::vector<std::string> headers;
  for (const std::string& line : lines_of(source_root / file)) {
    std::smatch match;
    if (std::regex_search(line, match, include)) headers.push_back(match[1]);
  }
  return headers;
}

TEST(Modules, EachFolderWithSourcesHasARowAndEachRowAFolder) {
  const auto declared = declared_modules();
  const auto files = files_by_module();
  EXPECT_GT(files.size(), 40u);
  for (const auto& [module, _] : files) EXPECT_TRUE(declared.contains(module)) << module;
  for (const auto& [module, _] : declared) EXPECT_TRUE(files.contains(module)) << module;
}

TEST(Modules, EachIncludesOnlyTheModulesOfItsRow) {
  const auto declared = declared_modules();
  for (const auto& [module, files] : files_by_module()) {
    if (!declared.contains(module)) continue;
    for (const std::string& file : files) {
      for (const std::string& header : includes_of(file)) {
        const std::string from = module_of(header);
        EXPECT_TRUE(from == module || declared.at(module).may_include.contains(from))
            << file << " includes " << header;
      }
    }
  }
}

TEST(Modules, NoRowListsAModuleThatIsNotIncluded) {
  std::map<std::string, std::set<std::string>> used;
  for (const auto& [module, files] : files_by_module()) {
    for (const std::string& file : files) {
      for (const std::string& header : includes_of(file)) used[module].insert(module_of(header));
    }
  }
  for (const auto& [module, row] : declared_modules()) {
    for (const std::string& listed : row.may_include) {
      EXPECT_TRUE(used[module].contains(listed)) << module << " does not include " << listed;
    }
  }
}

TEST(Modules, OthersIncludeOnlyPublicHeaders) {
  const auto declared = declared_modules();
  for (const auto& [module, files] : files_by_module()) {
    for (const std::string& file : files) {
      for (const std::string& header : includes_of(file)) {
        const std::string from = module_of(header);
        if (from == module || !declared.contains(from)) continue;
        const auto& open = declared.at(from).public_headers;
        EXPECT_TRUE(open.contains("*") || open.contains(fs::path(header).stem().string()))
            << file << " includes " << header;
      }
    }
  }
}

TEST(Modules, NoTwoIncludeEachOtherDirectlyOrThroughOthers) {
  auto left = declared_modules();
  // Those that include none of the others are taken away until nothing is left.
  for (bool found = true; found && !left.empty();) {
    found = false;
    for (auto it = left.begin(); it != left.end(); ++it) {
      const auto& needs = it->second.may_include;
      if (std::any_of(needs.begin(), needs.end(),
                      [&](const std::string& need) { return left.contains(need); }))
        continue;
      left.erase(it);
      found = true;
      break;
    }
  }
  std::string cycle;
  for (const auto& [module, _] : left) cycle += module + " ";
  EXPECT_EQ(cycle, "");
}

TEST(Modules, HoldAtMostThirtySourceFiles) {
  for (const auto& [module, files] : files_by_module()) EXPECT_LE(files.size(), 30u) << module;
}

}  // namespace
