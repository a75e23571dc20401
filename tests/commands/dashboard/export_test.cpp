// A table that the user of a dashboard exports.
#include <gtest/gtest.h>

#include "commands/dashboard/user_effects.h"
#include "commands/query/table_output.h"
#include "commands/shell/files.h"
#include "tests/commands/folder.h"

namespace drover::commands {
namespace {

tui::TableRows table_of(std::vector<tui::TableCell> cells) {
  tui::TableRows table;
  for (std::size_t i = 0; i < cells.size(); ++i) table.names.push_back("c" + std::to_string(i));
  table.rows.push_back(std::move(cells));
  return table;
}

TEST(Export, ATextThatASpreadsheetTakesForAFormulaHasAQuoteBeforeIt) {
  using List = std::vector<std::string>;
  EXPECT_EQ(to_spreadsheet_csv(table_of({std::string("=1+2"), std::string("+a"), std::string("-b"),
                                         std::string("@c"), std::string("a=b"), List{"=x", "y"},
                                         -2.5, std::monostate{}})),
            "c0,c1,c2,c3,c4,c5,c6,c7\n'=1+2,'+a,'-b,'@c,a=b,'=x y,-2.5,\n");
}

TEST(Export, NeverOverwritesAFile) {
  const TestFolder folder;
  const std::string file = folder.file("devices.csv");
  const tui::TableRows table = table_of({std::string("gpu-a/3"), 71.0});
  ASSERT_TRUE(export_csv(table, file).ok());
  const auto text = read_file(file);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "c0,c1\ngpu-a/3,71\n");
  const Status again = export_csv(table_of({std::string("other")}), file);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("already exists"), std::string::npos);
  EXPECT_EQ(*read_file(file), *text);
}

TEST(Export, NamesAFolderThatIsMissing) {
  const TestFolder folder;
  const Status written = export_csv(table_of({1.0}), folder.file("none/devices.csv"));
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("none/devices.csv"), std::string::npos);
}

}  // namespace
}  // namespace drover::commands
