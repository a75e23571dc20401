// docs/guarantees.md as a test: each promise that it lists still stands in its document, each test
// that it names is there, and no document is left out. Reads documents and sources as text.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.h"

namespace {

namespace fs = std::filesystem;

const std::string page = "docs/guarantees.md";

std::string text_of(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Lines may be broken anywhere, and a bar within a table's cell is written `\|`.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '\\' && at + 1 < text.size() && text[at + 1] == '|') continue;
    if (std::isspace(static_cast<unsigned char>(letter)) == 0) {
      out += letter;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

/// Cells of a row; none for what is no row, or its heading or rule.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("| ") || line.starts_with("| promise ")) return cells;
  std::size_t from = 1;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] != '|' || line[at - 1] == '\\') continue;
    std::string cell = plain(line.substr(from, at - from));
    if (cell.starts_with(' ')) cell.erase(0, 1);
    cells.push_back(std::move(cell));
    from = at + 1;
  }
  return cells;
}

struct Promise {
  std::string place;  // of its row
  std::string document;
  std::string text;
  std::vector<std::string> tests;
  bool held = true;  // else: the row says why no test holds it
};

/// `## DOCUMENT` begins a document, `### Held by no test` what is open in it.
std::vector<Promise> read_page() {
  std::vector<Promise> promises;
  std::ifstream stream(source_root / page);
  const std::regex name(R"(`(\w+\.\w+)`)");
  std::string document;
  bool held = true;
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.starts_with("## ")) {
      document = line.substr(3);
      held = true;
    }
    if (line.starts_with("### ")) held = line != "### Held by no test";
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty()) continue;
    Promise promise{page + ":" + std::to_string(number), document, cells[0], {}, held};
    EXPECT_EQ(cells.size(), 2U) << promise.place;
    const std::string second = cells.size() > 1 ? cells[1] : "";
    for (std::sregex_iterator at(second.begin(), second.end(), name), end; at != end; ++at) {
      promise.tests.push_back((*at)[1]);
    }
    EXPECT_FALSE(held && promise.tests.empty()) << promise.place << ": names no test";
    EXPECT_FALSE(second.empty()) << promise.place;
    promises.push_back(std::move(promise));
  }
  return promises;
}

std::set<std::string> names_of_tests() {
  std::set<std::string> names;
  const std::regex test(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
  for (const auto& entry : fs::recursive_directory_iterator(source_root / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at) {
      names.insert((*at)[1].str() + '.' + (*at)[2].str());
    }
  }
  return names;
}

TEST(Guarantees, AreQuotedExactlyFromTheirDocuments) {
  std::map<std::string, std::string> documents;
  const std::vector<Promise> promises = read_page();
  EXPECT_GT(promises.size(), 200U);
  for (const Promise& promise : promises) {
    const auto [at, fresh] = documents.try_emplace(promise.document);
    if (fresh) at->second = plain(text_of(source_root / promise.document));
    EXPECT_FALSE(at->second.empty()) << promise.place << ": no document " << promise.document;
    EXPECT_NE(at->second.find(promise.text), std::string::npos)
        << promise.place << ": " << promise.document << " does not say: " << promise.text;
  }
}

TEST(Guarantees, NameOnlyExistingTests) {
  const std::set<std::string> names = names_of_tests();
  EXPECT_GT(names.size(), 1000U);
  for (const Promise& promise : read_page()) {
    for (const std::string& test : promise.tests) {
      EXPECT_TRUE(names.contains(test)) << promise.place << ": there is no test " << test;
    }
  }
}

TEST(Guarantees, AreListedForEveryDocument) {
  std::set<std::string> listed;
  for (const Promise& promise : read_page()) listed.insert(promise.document);
  EXPECT_TRUE(listed.contains("README.md"));
  for (const auto& entry : fs::directory_iterator(source_root / "docs")) {
    const std::string name = "docs/" + entry.path().filename().string();
    if (entry.path().extension() != ".md" || name == page) continue;
    EXPECT_TRUE(listed.contains(name)) << name;
  }
}

}  // namespace
