// The devices table: which columns, in which order, in which groups, with which marks.
#include "tui/tables/device_list.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

int column(std::string_view title) {
  const auto columns = device_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].title == title) return static_cast<int>(i);
  }
  ADD_FAILURE() << title;
  return 0;
}

void type_line(Dashboard& dashboard, std::string_view line) {
  dashboard.press(SampleFleet::after_40s, {":"});
  for (const char letter : line) dashboard.press(SampleFleet::after_40s, {std::string(1, letter)});
  dashboard.press(SampleFleet::after_40s, {"Enter"});
}

std::string row_with(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(Columns, AreParsedByNameAndWidthInOrder) {
  const auto wanted = parse_columns("util, device ,POWER:20,mhz");
  ASSERT_TRUE(wanted) << wanted.error().message;
  const std::vector<ShownColumn> expected = {
      {column("UTIL"), 10}, {column("DEVICE"), 16}, {column("POWER"), 20}, {column("MHz"), 5}};
  EXPECT_EQ(*wanted, expected);
}

TEST(Columns, ThatAreUnknownAreNamedWithTheNearestMatch) {
  struct Case {
    const char* text;
    const char* problem;
  };
  for (const Case& c : {Case{"DEVICE,POWR", "no column 'POWR'; did you mean POWER?"},
                        {"UTIL,util", "UTIL is listed twice"},
                        {"UTIL:2", "width: found '2', expected 3 to 60"},
                        {"UTIL:x", "width: found 'x', expected 3 to 60"},
                        {"UTIL,", "no column ''"},
                        {"\x1b[31m", "no column '^[[31m'"}}) {
    const auto wanted = parse_columns(c.text);
    ASSERT_FALSE(wanted) << c.text;
    EXPECT_NE(wanted.error().message.find(c.problem), std::string::npos) << wanted.error().message;
  }
}

TEST(Columns, AreDroppedLeastWantedFirstWhenTheyDoNotFit) {
  const auto wanted = *parse_columns("POWER,DEVICE,UTIL:20");
  EXPECT_EQ(columns_that_fit(wanted, 50).size(), 3u);
  EXPECT_EQ(columns_that_fit(wanted, 49).size(), 2u);
  EXPECT_EQ(columns_that_fit(wanted, 28).size(), 1u);
  EXPECT_EQ(columns_that_fit(wanted, 11).size(), 0u);
}

TEST(Columns, LeaveRoomForAMinuteOfSparklinesOnWideScreens) {
  const auto has = [](int width, const char* title) {
    const auto shown = columns_that_fit({}, width);
    return std::any_of(shown.begin(), shown.end(),
                       [&](const ShownColumn& it) { return it.number == column(title); });
  };
  EXPECT_TRUE(has(197, "AGE"));
  EXPECT_FALSE(has(197, "POOL"));
  EXPECT_TRUE(has(300, "POOL"));
}

TEST(Columns, AWiderTableHasWhatANarrowerOneHasAndTheCurveOfTheLoad) {
  constexpr int least = 55;  // of a screen of 60 columns
  const auto has_load = [](int width) {
    return width - width_of(columns_that_fit({}, width)) >= load_columns_least;
  };
  for (int width = least; width < 400; ++width) {
    const auto wider = columns_that_fit({}, width + 1);
    for (const ShownColumn& shown : columns_that_fit({}, width)) {
      EXPECT_NE(std::ranges::find(wider, shown), wider.end()) << width << " " << shown.number;
    }
    EXPECT_TRUE(!has_load(width) || has_load(width + 1)) << width;
  }
  for (const int width : {75, 95, 115}) EXPECT_TRUE(has_load(width)) << width;
}

TEST(SortKeys, AreOneOrTwoColumnsDescendingWithAMinus) {
  const auto keys = parse_sort("power,-temp");
  ASSERT_TRUE(keys) << keys.error().message;
  const std::vector<SortKey> expected = {{column("POWER"), false}, {column("TEMP"), true}};
  EXPECT_EQ(*keys, expected);
  for (const char* wrong : {"", "POWER,POWER", "POWER,TEMP,UTIL", "POWER,--TEMP", "-"}) {
    EXPECT_FALSE(parse_sort(wrong)) << wrong;
  }
}

Model plain_model() {
  Model model{seconds(1)};
  for (const Envelope& host : plain_hosts(3, 2)) model.apply(SampleFleet::start, host);
  return model;
}

TEST(DeviceOrder, TiesAreBrokenByTheSecondKeyAndThenByPosition) {
  Model model = plain_model();
  const double watts[3][2] = {{300, 100}, {300, 100}, {200, absent}};
  const double celsius[3][2] = {{50, 70}, {60, 70}, {40, 90}};
  for (int host = 0; host < 3; ++host) {
    std::vector<Sample> samples(2);
    for (std::uint16_t i = 0; i < 2; ++i) {
      samples[i].device = i;
      samples[i][Metric::power] = watts[host][i];
      samples[i][Metric::temperature] = celsius[host][i];
    }
    const std::string name = "host-000" + std::to_string(host);
    model.apply(SampleFleet::start, {name, 1, SampleFleet::start, pack(name, samples)});
  }
  DeviceList list;
  sort_by(list, *parse_sort("-POWER,-TEMP"));
  sort_devices(model, {}, list, SampleFleet::start, seconds(1), Instant::min());
  std::string order;
  for (const DeviceLine& line : list.lines) order += to_text(model.id_of(line.row)) + " ";
  EXPECT_EQ(order, "host-0001/0 host-0000/0 host-0002/0 host-0000/1 host-0001/1 host-0002/1 ");
}

TEST(DeviceOrder, ByNameIgnoresTheRackAndSortsNumbersNaturally) {
  Model model(seconds(1));
  for (Envelope& host : plain_hosts(3, 11)) {
    Register& registration = std::get<HostChanged>(host.body).registration;
    registration.rack = registration.host == "host-0001" ? "r1" : "r2";
    registration.host = registration.host == "host-0000"   ? "h2"
                        : registration.host == "host-0001" ? "h10"
                                                           : "a7";
    model.apply(SampleFleet::start, host);
  }
  DeviceList list;
  const auto names = [&](const char* keys) {
    sort_by(list, *parse_sort(keys));
    list.ordered_at = Instant::min();
    sort_devices(model, {}, list, SampleFleet::start, seconds(1), Instant::min());
    std::vector<std::string> found;
    for (const DeviceLine& line : list.lines) found.push_back(to_text(model.id_of(line.row)));
    return found;
  };
  const std::vector<std::string> rising = names("DEVICE");
  ASSERT_EQ(rising.size(), 33u);
  EXPECT_EQ(rising[0], "a7/0");
  EXPECT_EQ(rising[2], "a7/2");
  EXPECT_EQ(rising[10], "a7/10");
  EXPECT_EQ(rising[11], "h2/0");
  EXPECT_EQ(rising[22], "h10/0");
  EXPECT_EQ(names("-DEVICE").front(), "h10/10");
  EXPECT_EQ(names("RACK").front(), "h10/0") << "r1 before r2";
}

TEST(DeviceOrder, TheSecondKeyCyclesThroughTheOtherColumnsAndThenOff) {
  DeviceList list;
  list.columns = *parse_columns("DEVICE,UTIL,TEMP");
  step_secondary_sort(list);
  EXPECT_EQ(list.second, (SortKey{column("UTIL"), true}));
  step_secondary_sort(list);
  EXPECT_EQ(list.second, (SortKey{column("TEMP"), true}));
  sort_by(list, column("TEMP"));
  EXPECT_FALSE(list.second) << "one column is not both";
  step_secondary_sort(list);
  EXPECT_EQ(list.second, (SortKey{column("DEVICE"), false}));
  step_secondary_sort(list);
  step_secondary_sort(list);
  EXPECT_FALSE(list.second);
}

TEST(DeviceGroups, ListEveryDeviceOnceUnderUnselectableHeadings) {
  SampleFleet fleet;
  Model model{seconds(1)};
  for (const Envelope& reported : fleet.state()) model.apply(SampleFleet::start, reported);
  struct Case {
    std::optional<Grouping> by;
    std::vector<std::string> headings;
  };
  for (const Case& c : {Case{std::nullopt, {}},
                        {Grouping::host, {"edge-1", "gpu-a", "gpu-b", "tpu-a", "tpu-b"}},
                        {Grouping::kind, {"a100-sxm-80gb", "h100-sxm", "l4", "tpu-v5e"}}}) {
    DeviceList list;
    group_by(list, c.by);
    sort_devices(model, {}, list, SampleFleet::start, seconds(1), Instant::min());
    std::vector<std::string> headings;
    std::set<DeviceTable::Row> rows;
    for (std::size_t i = 0; i < list.lines.size(); ++i) {
      const DeviceLine& line = list.lines[i];
      if (line.heading.empty()) {
        rows.insert(line.row);
        EXPECT_EQ(index_of(list, model, model.id_of(line.row)), static_cast<int>(i));
      } else {
        headings.push_back(line.heading);
        EXPECT_EQ(device_at(list, static_cast<int>(i), 1), list.lines[i + 1].row);
      }
    }
    EXPECT_EQ(headings, c.headings);
    EXPECT_EQ(rows.size(), model.device_order().size());
    EXPECT_EQ(list.lines.size(), rows.size() + headings.size());
  }
}

TEST(DeviceGroups, KeysSkipTheirHeadings) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 60}, "devices");
  for (const char* key : {"b", "g"}) dashboard->press(SampleFleet::after_40s, {key});
  for (int i = 0; i < 4; ++i) dashboard->press(SampleFleet::after_40s, {"j"});
  dashboard->press(SampleFleet::after_40s, {"Enter"});
  // Four devices stand under the first heading, edge-1.
  EXPECT_NE(dashboard->draw(SampleFleet::after_40s).to_text().find("Device gpu-a/0"),
            std::string::npos)
      << dashboard->draw(SampleFleet::after_40s).to_text();
}

TEST(CommandLine, AColonAfterAnInvalidLineStartsANewOneAndKeepsItInHistory) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "devices");
  type_line(*dashboard, "jbos");
  EXPECT_NE(dashboard->draw(SampleFleet::after_40s).to_text().find("no command 'jbos'"),
            std::string::npos);
  dashboard->press(SampleFleet::after_40s, {":"});
  EXPECT_EQ(dashboard->draw(SampleFleet::after_40s).to_text().find("jbos"), std::string::npos);
  dashboard->press(SampleFleet::after_40s, {"Up"});
  EXPECT_NE(dashboard->draw(SampleFleet::after_40s).to_text().find("jbos"), std::string::npos);
  dashboard->press(SampleFleet::after_40s, {"Esc"});
  type_line(*dashboard, "jbos");
  type_line(*dashboard, "jobs");
  EXPECT_NE(dashboard->draw(SampleFleet::after_40s).to_text().find("showing all"),
            std::string::npos)
      << dashboard->draw(SampleFleet::after_40s).to_text();
}

TEST(DeviceTable, RequestsOfAReplicaStandOnTheFirstOfItsLines) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "devices", true);
  const auto line = [&](const char* device) {
    return row_with(dashboard->draw(SampleFleet::after_40s).to_text(), device);
  };
  EXPECT_NE(line("gpu-a/0").find("  0     0"), std::string::npos) << line("gpu-a/0");
  EXPECT_NE(line("gpu-a/1").find("  \"     \""), std::string::npos) << line("gpu-a/1");
  EXPECT_NE(line("gpu-a/2").find("  6     0"), std::string::npos) << "another number";
  EXPECT_NE(line("gpu-a/4").find(" 18     0"), std::string::npos) << "no device of a replica";
  EXPECT_NE(line("tpu-a/0").find("  7     0"), std::string::npos) << line("tpu-a/0");
  EXPECT_NE(line("tpu-a/1").find("  6     0"), std::string::npos) << line("tpu-a/1");
  type_line(*dashboard, "filter host==gpu-a and index>=1");
  EXPECT_NE(line("gpu-a/1").find("  0     0"), std::string::npos) << "it has become the first";
}

TEST(DeviceTable, NoHeadingIsTheLastLineOfTheScreen) {
  int cut = 0;
  for (int rows = 18; rows <= 50; ++rows) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {120, rows}, "devices");
    type_line(*dashboard, "group host");
    const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
    const std::size_t hints = text.rfind("\n q quit");
    const std::size_t begin = text.rfind('\n', hints - 1) + 1;
    const std::string last = text.substr(begin, hints - begin);
    EXPECT_EQ(last.find("devices, load"), std::string::npos) << text;
    if (last.find(" more lines below") != std::string::npos) ++cut;
  }
  EXPECT_GT(cut, 1);
}

TEST(DeviceTable, AFilterThatNothingMatchesIsNamed) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "devices");
  type_line(*dashboard, "filter host==nowhere");
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  EXPECT_NE(text.find("no device matches host==nowhere"), std::string::npos) << text;
  EXPECT_EQ(text.find("no devices yet"), std::string::npos);
}

TEST(DeviceTags, AreShownAsAMarkAndACount) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 60}, "devices", true);
  for (const char* key : {"g", "T", "T"}) dashboard->press(SampleFleet::after_40s, {key});
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  EXPECT_NE(text.find(", 2 tagged"), std::string::npos) << text;
  EXPECT_EQ(row_with(text, "edge-1/1").substr(1, 3), "x+e") << text;
  EXPECT_EQ(row_with(text, "edge-1/2").substr(1, 3), "x e") << text;
}

TEST(DeviceTable, ColumnsThatAreWantedButDoNotFitAreCounted) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {80, 24}, "fleet");
  type_line(*dashboard, "columns DEVICE:40,UTIL:20,POWER:30,TEMP,STATE");
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  EXPECT_NE(text.find("3 columns more"), std::string::npos) << text;
  type_line(*dashboard, "columns");
  EXPECT_EQ(dashboard->draw(SampleFleet::after_40s).to_text().find("columns more"),
            std::string::npos);
}

TEST(DeviceTable, WithGroupsAndChosenColumnsMatchesTheGoldenScreens) {
  SampleFleet fleet;
  const auto grouped = dashboard_of(fleet, {120, 40}, "devices");
  type_line(*grouped, "sort -UTIL,TEMP");
  type_line(*grouped, "group host");
  for (const char* key : {"g", "T", "j"}) grouped->press(SampleFleet::after_40s, {key});
  expect_screen("devices-grouped-120", styled_text(grouped->draw(SampleFleet::after_40s)));
  SampleFleet other;
  const auto chosen = dashboard_of(other, {120, 40}, "devices");
  type_line(*chosen, "columns DEVICE,STATE:14,POOL:8,MODEL,JOB,POWER:14,HEADROOM,PRICE,MEM-TEMP");
  expect_screen("devices-columns-120", styled_text(chosen->draw(SampleFleet::after_40s)));
}

}  // namespace
}  // namespace drover::tui
