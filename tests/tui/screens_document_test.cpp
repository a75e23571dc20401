// docs/screens shows each view as it is today: one screen of 120x40 for each, of that view.
#include <gtest/gtest.h>

#include <fstream>

#include "fleet/base/text.h"
#include "tui/dashboard.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

TEST(ScreensDocument, HasEachViewAt120x40) {
  for (const ViewFacts& facts : view_facts) {
    const std::string view(facts.name);
    SCOPED_TRACE(view);
    std::ifstream file(std::string(DROVER_SOURCE_DIR) + "/docs/screens/" + view + ".txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 40u) << "./examples/screens writes them";
    const auto names = [&](std::string_view name) {
      return lines.front().find(fmt::format(" {} ", name)) != std::string::npos;
    };
    EXPECT_TRUE(names(facts.name) || names(facts.brief)) << lines.front();
    for (const std::string& line : lines) EXPECT_LE(column_width(line), 120u) << line;
  }
}

}  // namespace
}  // namespace drover::tui
