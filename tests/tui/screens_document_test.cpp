// docs/screens shows each view as it is today: one screen of 120x40 for each, of that view.
#include <gtest/gtest.h>

#include <fstream>

#include "fleet/base/text.h"
#include "tui/dashboard.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

TEST(ScreensDocument, HasEachViewAt120x40) {
  for (const std::string& view : view_names()) {
    SCOPED_TRACE(view);
    std::ifstream file(std::string(DROVER_SOURCE_DIR) + "/docs/screens/" + view + ".txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 40u) << "./examples/screens writes them";
    EXPECT_NE(lines.front().find(" " + view + " "), std::string::npos) << lines.front();
    for (const std::string& line : lines) EXPECT_LE(column_width(line), 120u) << line;
  }
}

}  // namespace
}  // namespace drover::tui
