// Comma-separated text from outside: what is read, what is refused, and what is written again.
#include "fleet/text/csv.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(Csv, ReadsQuotesCommasAndLineEndsInCells) {
  const auto table = CsvTable::parse(
      "\xEF\xBB\xBF"
      "name,size\r\n\"a, \"\"b\"\"\",1\n\n\"two\nlines\",2\nlast",
      "t.csv");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->columns, (std::vector<std::string>{"name", "size"}));
  ASSERT_EQ(table->rows.size(), 3U);
  EXPECT_EQ(table->cell(table->rows[0], "name"), "a, \"b\"");
  EXPECT_EQ(table->cell(table->rows[1], "name"), "two\nlines");
  EXPECT_EQ(table->cell(table->rows[1], "size"), "2");
  EXPECT_EQ(table->rows[1].line, 4U);
  EXPECT_EQ(table->cell(table->rows[2], "size"), "") << "a short row is filled with empty cells";
  EXPECT_EQ(table->cell(table->rows[2], "nothing"), "");
}

TEST(Csv, RefusesInvalidTables) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"", "t.csv: empty, expected a header row"},
      {"a,b\n1,2,3\n", "t.csv:2: found 3 cells, expected at most 2 as in the header"},
      {"a\n\"open\n", "t.csv:2: a quote is opened and never closed"},
  };
  for (const Case& it : cases) {
    const auto table = CsvTable::parse(it.text, "t.csv");
    ASSERT_FALSE(table) << it.text;
    EXPECT_EQ(table.error().message, it.message);
  }
}

TEST(Csv, WritesCellsThatReadBackTheSame) {
  for (const char* text : {"plain", "a,b", "say \"so\"", "two\nlines", "", " spaced "}) {
    const auto table = CsvTable::parse("x,y\n" + csv_cell(text) + ",1\n", "t.csv");
    ASSERT_TRUE(table);
    ASSERT_EQ(table->rows.size(), 1U);
    EXPECT_EQ(table->rows[0].cells[0], text);
  }
}

}  // namespace
}  // namespace drover
