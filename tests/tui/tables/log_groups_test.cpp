// Entries that say the same of several subjects become one line, and none is lost.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/tables/log_groups.h"
#include "tui/tables/log_list.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

constexpr Instant noon = SampleFleet::start;

LogEntry event(int second, const std::string& subject, const std::string& text,
               Severity severity = Severity::critical) {
  return {noon + seconds(second), LogEntryKind::event, severity, subject, text};
}

LogEntry alert(int second, const std::string& rule, const std::string& subject,
               const std::string& text) {
  return {noon + seconds(second), LogEntryKind::alert, Severity::warning, subject, text, rule};
}

/// A line per group, "subjects | text".
std::vector<std::string> told(const std::vector<LogEntry>& newest_first) {
  std::vector<std::string> lines;
  for (const LogGroup& group : group_log(newest_first)) {
    lines.push_back(subjects_text(group) + " | " + group_text(group));
  }
  return lines;
}

TEST(LogGroups, EntriesThatSayTheSameAtOneTimeAreOneLineWithTheirRangeAndNumber) {
  std::vector<LogEntry> entries;
  for (int device = 15; device >= 8; --device) {
    entries.push_back(event(1, "v5e-2/" + std::to_string(device), "unusable: TPU slice lost"));
  }
  EXPECT_EQ(told(entries), std::vector<std::string>{"v5e-2/8-15 | unusable: TPU slice lost (8)"});
}

TEST(LogGroups, WhatDiffersIsNotGrouped) {
  const LogEntry one = event(0, "a/0", "usable again", Severity::info);
  LogEntry by_user = event(0, "a/1", "usable again", Severity::info);
  by_user.kind = LogEntryKind::action;
  struct Case {
    const char* what;
    LogEntry other;
  };
  for (const Case& c :
       std::vector<Case>{{"text", event(0, "a/1", "usable", Severity::info)},
                         {"severity", event(0, "a/1", "usable again", Severity::warning)},
                         {"kind", by_user},
                         {"time", event(-6, "a/1", "usable again", Severity::info)}}) {
    EXPECT_EQ(group_log({one, c.other}).size(), 2u) << c.what;
  }
  EXPECT_EQ(group_log({one, event(-5, "a/1", "usable again", Severity::info)}).size(), 1u);
}

TEST(LogGroups, AlertsOfOneRuleAndHostAreGroupedAlthoughTheirFiguresDiffer) {
  EXPECT_EQ(told({alert(3, "hot", "gpu-a/6", "hot: close to throttling: headroom 2.1C"),
                  alert(2, "hot", "gpu-b/1", "hot: close to throttling: headroom 0.4C"),
                  alert(1, "hot", "gpu-a/5", "hot: close to throttling: headroom 1.9C"),
                  alert(1, "slow", "gpu-a/4", "slow: close to throttling: headroom 1.9C")}),
            (std::vector<std::string>{"gpu-a/5-6 | hot: close to throttling (2)",
                                      "gpu-b/1 | hot: close to throttling: headroom 0.4C",
                                      "gpu-a/4 | slow: close to throttling: headroom 1.9C"}));
  EXPECT_EQ(told({alert(1, "host_lost", "n2", "host_lost: no heartbeat for 10 s"),
                  alert(0, "host_lost", "n1", "host_lost: no heartbeat for 10 s")}),
            std::vector<std::string>{"n[1-2] | host_lost: no heartbeat for 10 s (2)"})
      << "alerts of hosts with one text";
}

TEST(LogGroups, RangesNameExactlyTheSubjects) {
  struct Case {
    std::vector<std::string> subjects;
    const char* text;
  };
  for (const Case& c : std::vector<Case>{{{"a/0"}, "a/0"},
                                         {{"a/0", "a/1", "a/2", "a/4"}, "a/0-2,4"},
                                         {{"a/1", "a/1"}, "a/1"},
                                         {{"n1/0", "n2/0", "n1/1", "n2/1"}, "n[1-2]/0-1"},
                                         {{"n1/0", "n2/1"}, "n1/0, n2/1"},
                                         {{"gpu-a/0", "gpu-b/0"}, "gpu-a/0, gpu-b/0"},
                                         {{"a/r0", "a/r1", "a/0"}, "a/0, a/r0-1"},
                                         {{"n01", "n02", "n04"}, "n[01-02,04]"},
                                         {{"edge", "tpu"}, "edge, tpu"},
                                         {{"0a1b2c3d", "0a1b2c3e"}, "0a1b2c3d, 0a1b2c3e"},
                                         {{"a/01", "a/02"}, "a/[01-02]"},
                                         {{"a/99999999999", "a/5"}, "a/99999999999, a/5"}}) {
    LogGroup group;
    for (const std::string& subject : c.subjects) group.push_back(event(0, subject, "said"));
    EXPECT_EQ(subjects_text(group), c.text);
  }
}

TEST(LogGroups, SubjectsWithoutRoomAreCounted) {
  LogGroup group;
  for (const char* name : {"tpu", "edge", "gpu"}) group.push_back(event(0, name, "joined"));
  EXPECT_EQ(subjects_text(group, 14), "edge, gpu, tpu");
  EXPECT_EQ(subjects_text(group, 13), "gpu and 2 more");
}

TEST(LogGroups, NoEntryIsLostOrTwiceAndOldGroupsStayWhenNewEntriesArrive) {
  std::vector<LogEntry> entries;  // newest first
  for (int i = 0; i < 200; ++i) {
    const int second = -i * i % 61 - i;
    entries.push_back(event(second, "h/" + std::to_string(i), i % 3 == 0 ? "joined" : "ready"));
  }
  std::ranges::stable_sort(entries, std::ranges::greater{}, &LogEntry::at);
  std::size_t grouped = 0;
  for (const LogGroup& group : group_log(entries)) grouped += group.size();
  EXPECT_EQ(grouped, entries.size());

  const std::vector<std::string> before = told({entries.begin() + 20, entries.end()});
  const std::vector<std::string> after = told(entries);
  ASSERT_GT(after.size(), before.size());
  // The newest group of each of the two texts may grow; all others are the same.
  std::size_t same = 0;
  for (const std::string& line : before) same += std::ranges::count(after, line);
  EXPECT_GE(same + 2, before.size());
}

std::vector<LogLine> lines_of(std::vector<LogEntry> entries, const std::vector<LogEntry>& opened) {
  std::vector<LogLine> lines(1);
  lines.front().kind = LogLine::Kind::heading;
  for (LogEntry& entry : entries) {
    lines.emplace_back();
    lines.back().entry = std::move(entry);
  }
  return grouped_lines(std::move(lines), opened);
}

TEST(LogList, AnOpenGroupStaysOpenAndSelectedWhileItGrowsAndCloses) {
  LogList list;
  std::vector<LogEntry> entries = {event(1, "a/1", "joined"), event(0, "a/0", "joined")};
  const auto laid_out = [&] { list.lines = lines_of(entries, list.opened); };
  laid_out();
  ASSERT_EQ(list.lines.size(), 2u);
  choose_entry(list, 0, 1);
  EXPECT_EQ(index_of_chosen(list), 1);
  ASSERT_TRUE(toggle_group(list));
  laid_out();
  ASSERT_EQ(list.lines.size(), 4u) << "heading, group and its two entries";
  choose_entry(list, 3, 1);
  EXPECT_EQ(selected_log_entry(list)->subject, "a/0");
  EXPECT_FALSE(toggle_group(list)) << "an entry is no group";

  entries.insert(entries.begin(), event(2, "a/2", "joined"));
  laid_out();
  EXPECT_EQ(list.lines.size(), 5u);
  EXPECT_EQ(index_of_chosen(list), 4) << "the entry moved with the group";
  EXPECT_TRUE(leave_selection(list));
  laid_out();
  EXPECT_EQ(list.lines.size(), 2u);
  EXPECT_EQ(index_of_chosen(list), 1) << "the group is selected when it closes";
  EXPECT_TRUE(leave_selection(list));
  EXPECT_EQ(index_of_chosen(list), -1);
  EXPECT_FALSE(leave_selection(list));
}

TEST(LogList, AnEntryThatBecomesPartOfAGroupStaysSelectedInIt) {
  LogList list;
  list.lines = lines_of({event(0, "a/0", "joined")}, {});
  choose_entry(list, 1, 1);
  list.lines = lines_of({event(1, "a/1", "joined"), event(0, "a/0", "joined")}, {});
  EXPECT_EQ(index_of_chosen(list), 1);
  EXPECT_EQ(selected_log_line(list)->kind, LogLine::Kind::group);
}

}  // namespace
}  // namespace drover::tui
