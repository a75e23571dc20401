// docs/filters.md says what the code does: every field, its owners, its values; its examples read.
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/filter/filter.h"

namespace drover::filter {
namespace {

std::vector<std::string> lines_of_document() {
  std::ifstream stream(std::string(DROVER_SOURCE_DIR) + "/docs/filters.md");
  EXPECT_TRUE(stream.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A row without its last cell, which says what the field means.
std::string document_row(const FieldFacts& field) {
  const std::string name = fmt::format("{0}`{1}`{0}", field.is_name ? "**" : "", field.name);
  const std::string of =
      fmt::format("{}{}{}{}{}", (field.of & devices) != 0 ? "D" : "",
                  (field.of & jobs) != 0 ? "J" : "", (field.of & alerts) != 0 ? "A" : "",
                  (field.of & pools) != 0 ? "P" : "", (field.of & sites) != 0 ? "S" : "");
  return fmt::format("| {} | {} | {} |", name, of, meaning(field.kind));
}

TEST(FiltersDocument, ListsEveryFieldAsTheTableDoes) {
  const std::vector<std::string> lines = lines_of_document();
  std::vector<std::string> rows;
  bool inside = false;
  for (const std::string& line : lines) {
    if (inside && line.starts_with("| "))
      rows.push_back(line.substr(0, line.rfind(" |", line.size() - 3) + 2));
    if (line.starts_with("| Field | Of |")) inside = true;
  }
  std::vector<std::string> expected;
  for (const FieldFacts& field : fields()) expected.push_back(document_row(field));
  EXPECT_EQ(rows, expected) << fmt::format("{}", fmt::join(expected, "\n"));
}

TEST(FiltersDocument, NamesEveryAlias) {
  const std::string text = fmt::format("{}", fmt::join(lines_of_document(), " "));
  for (const Alias& alias : aliases()) {
    const std::string said = fmt::format("`{}` for `{}`", alias.name, facts(alias.field).name);
    EXPECT_NE(text.find(said), std::string::npos) << said;
  }
}

TEST(FiltersDocument, StatesTheLimits) {
  const std::string text = fmt::format("{}", fmt::join(lines_of_document(), " "));
  EXPECT_NE(text.find(fmt::format("at most {},{:03} bytes and {} comparisons. Parentheses and "
                                  "negations may be nested {} deep",
                                  text_bytes_max / 1000, text_bytes_max % 1000, comparisons_max,
                                  depth_max)),
            std::string::npos);
}

TEST(FiltersDocument, HasValidExampleFilters) {
  const std::vector<std::string> lines = lines_of_document();
  int examples = 0;
  bool inside = false;
  for (const std::string& line : lines) {
    if (line == "```") {
      if (inside) break;  // only the first block
      inside = true;
      continue;
    }
    if (!inside) continue;
    const std::string text = line.substr(0, line.find("   "));
    EXPECT_TRUE(std::holds_alternative<Filter>(Filter::parse(text))) << text;
    ++examples;
  }
  EXPECT_GE(examples, 7);
}

}  // namespace
}  // namespace drover::filter
