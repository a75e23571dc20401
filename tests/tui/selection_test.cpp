// The selection on the clipboard, the table as a file, and the column that o sorts by.
#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"

namespace drover::tui {
namespace {

struct Chosen {
  explicit Chosen(const std::string& view) : dashboard(dashboard_of(fleet, {120, 40}, view)) {
    dashboard->take_effects();
  }
  void press(std::initializer_list<const char*> keys) {
    for (const char* key : keys) dashboard->press(SampleFleet::after_40s, {key});
  }
  bool shows(const std::string& part) {
    return dashboard->draw(SampleFleet::after_40s).to_text().find(part) != std::string::npos;
  }

  SampleFleet fleet;
  std::unique_ptr<Dashboard> dashboard;
};

TEST(Copy, TakesTheSelectedThingOfEachView) {
  struct Case {
    const char* view;
    std::initializer_list<const char*> keys;
    const char* begin;
  };
  for (const Case& c : {Case{"devices", {"j", "j"}, "edge-1/1"}, Case{"device", {}, "edge-1/0"},
                        Case{"fleet", {"l", "l"}, "gpu-a/1"}, Case{"telemetry", {"g"}, "edge-1"}}) {
    Chosen chosen(c.view);
    chosen.press(c.keys);
    chosen.press({"y"});
    const auto copied = take<CopyText>(*chosen.dashboard);
    ASSERT_EQ(copied.size(), 1u) << c.view;
    EXPECT_EQ(copied[0].text, c.begin) << c.view;
    EXPECT_TRUE(chosen.shows(std::string("copied ") + c.begin));
  }
}

TEST(Copy, TakesAllTaggedLinesAndTheWholeIdOfAJob) {
  Chosen devices("devices");
  devices.press({"j", "T", "T", "y"});
  EXPECT_EQ(take<CopyText>(*devices.dashboard).at(0).text, "edge-1/0\nedge-1/1");
  Chosen jobs("jobs");
  jobs.press({"j", "y"});
  EXPECT_EQ(take<CopyText>(*jobs.dashboard).at(0).text.size(), 32u);
}

TEST(Copy, AsJsonHasTheRowsOfTheSelection) {
  Chosen chosen("devices");
  chosen.press({"j", "Y"});
  const auto copied = take<CopyRows>(*chosen.dashboard);
  ASSERT_EQ(copied.size(), 1u);
  ASSERT_EQ(copied[0].rows.rows.size(), 1u);
  EXPECT_EQ(copied[0].rows.names.front(), "id");
  EXPECT_EQ(std::get<std::string>(copied[0].rows.rows[0][0]), "edge-1/0");
  for (const char* view : {"jobs", "routing", "events", "telemetry"}) {
    Chosen other(view);
    other.press({"g", "j", "Y"});
    const auto rows = take<CopyRows>(*other.dashboard);
    ASSERT_EQ(rows.size(), 1u) << view;
    EXPECT_EQ(rows[0].rows.rows.size(), 1u) << view;
  }
}

TEST(Copy, OfARaisedAlertIsItsSubjectAndTextAndNotWhatHappenedBefore) {
  Chosen chosen("events");
  chosen.press({"g", "y"});
  EXPECT_EQ(take<CopyText>(*chosen.dashboard).at(0).text,
            "edge-1: host_lost: no heartbeat for 10 s");
  chosen.press({"Y"});
  EXPECT_EQ(take<CopyRows>(*chosen.dashboard).at(0).rows.rows.size(), 1u);
}

TEST(Copy, OfAnEntryThatIsNoLongerListedIsNothing) {
  Chosen chosen("events");
  chosen.press({"G", "f", "Y"});
  EXPECT_FALSE(takes<CopyRows>(*chosen.dashboard));
  EXPECT_TRUE(chosen.shows("nothing is selected to copy"));
}

TEST(Copy, OfTaggedDevicesIncludesThoseThatTheFilterHides) {
  Chosen chosen("devices");
  chosen.press({"j", "T", "T", "/", "k", "i", "n", "d", "=", "=", "t", "p", "u", "Enter", "Y"});
  EXPECT_EQ(take<CopyRows>(*chosen.dashboard).at(0).rows.rows.size(), 2u);
}

TEST(Copy, SaysThatNothingIsSelected) {
  Chosen chosen("devices");
  chosen.press({"y"});
  EXPECT_FALSE(takes<CopyText>(*chosen.dashboard));
  EXPECT_TRUE(chosen.shows("nothing is selected to copy"));
}

TEST(Export, HandsTheTableOfTheViewToTheShell) {
  Chosen chosen("devices");
  chosen.press({"/", "k", "i", "n", "d", "=", "=", "t", "p", "u", "Enter", "e"});
  const auto tables = take<ExportTable>(*chosen.dashboard);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].file, "drover-devices-20251121T023841Z.csv");
  EXPECT_EQ(tables[0].rows.rows.size(), 16u) << "what the filter shows";
  chosen.press({":", "e", "x", "p", "o", "r", "t", "Space", "a", ".", "c", "s", "v", "Enter"});
  EXPECT_EQ(take<ExportTable>(*chosen.dashboard).at(0).file, "a.csv");
}

TEST(Export, SaysThatAViewHasNoTable) {
  Chosen chosen("fleet");
  chosen.press({":", "e", "x", "p", "o", "r", "t", "Enter"});
  EXPECT_FALSE(takes<ExportTable>(*chosen.dashboard));
  EXPECT_TRUE(chosen.shows("the view fleet has no table to export"));
}

TEST(Columns, AreChosenWithLeftAndRightAndSortedByWithO) {
  Chosen chosen("devices");
  chosen.press({"o"});
  EXPECT_TRUE(chosen.shows("no column is chosen"));
  chosen.press({"l", "l", "o"});
  EXPECT_TRUE(chosen.shows("by RACK, ascending"))
      << chosen.dashboard->draw(SampleFleet::after_40s).to_text();
  chosen.press({"o"});
  EXPECT_TRUE(chosen.shows("by RACK, descending"));
  chosen.press({"h", "o"});
  EXPECT_TRUE(chosen.shows("by DEVICE, ascending"));
}

}  // namespace
}  // namespace drover::tui
