// What survives a restart: as text, within its limits, and merged with what another dashboard kept.
#include "tui/saved/choices.h"

#include <gtest/gtest.h>

#include "tests/tui/sample_session.h"
#include "tui/saved/limits.h"

namespace drover::tui {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr Instant today{hours(24) * 365 * 55};
constexpr const char* place = "router tcp://127.0.0.1:7700";

KeptBookmark mark_at(int second, const std::string& text = {}, Instant made = today) {
  return {{Instant(seconds(second) + nanoseconds(7)), text}, made};
}

Choices some_choices() {
  Choices choices;
  choices.device_columns = {"DEVICE", "POWER:14"};
  choices.sort = {"-POWER", "DEVICE"};
  choices.typed = {{"commands", {"theme light", "find \"a\\b\""}}, {"filters", {"temp > 80"}}};
  choices.folds = {{"hosts", {"gpu-a", "gpu b"}}};
  choices.bookmarks = {{place, {mark_at(1), mark_at(2, "the roll-out: 漢")}},
                       {"recording /home/me/x.mcap", {mark_at(5, "old")}}};
  return choices;
}

Choices read(const std::string& text) {
  auto choices = read_choices(text, "top.toml");
  EXPECT_TRUE(choices.ok()) << choices.error().message;
  return choices ? *choices : Choices();
}

TEST(Choices, RoundTripAsText) {
  EXPECT_EQ(read(to_toml(some_choices())), some_choices());
  EXPECT_EQ(read(to_toml({})), Choices());
  EXPECT_EQ(read(""), Choices());
}

TEST(Choices, OfOtherVersionsAndUnknownThingsAreLeftOut) {
  EXPECT_EQ(read("later = 1\n[typed]\nsongs = [\"la\"]\n").typed.at("songs"),
            std::vector<std::string>{"la"});
  EXPECT_FALSE(read("device_columns = [\"NONSENSE\"]").device_columns);
  EXPECT_FALSE(read("sort = [\"-NONSENSE\"]").sort);
  EXPECT_FALSE(read("sort = []").sort);
  EXPECT_EQ(read("device_columns = []").device_columns, std::vector<std::string>());
  EXPECT_TRUE(
      read("[[bookmarks]]\nplace = \"a\"\nat = \"noon\"\nmade = \"noon\"").bookmarks.empty());
}

TEST(Choices, ThatCannotBeReadSayWhere) {
  struct Case {
    const char *text, *message;
  };
  for (const Case& c : std::vector<Case>{{"sort = ", "top.toml:1: "},
                                         {"\nsort = 1", "top.toml:2: sort: "},
                                         {"typed = 1", "top.toml:1: typed: "},
                                         {"[typed]\ncommands = [1]", "top.toml:2: typed.commands"},
                                         {"[folds]\nhosts = 3", "top.toml:2: folds.hosts"},
                                         {"bookmarks = 3", "top.toml:1: bookmarks: "}}) {
    const auto found = read_choices(c.text, "top.toml");
    ASSERT_FALSE(found.ok()) << c.text;
    EXPECT_EQ(found.error().message.find(c.message), 0u) << found.error().message;
  }
}

TEST(Choices, AreCleanedAndLimited) {
  Choices choices;
  choices.typed["commands"] = {"\x1b[31mred", std::string(2000, 'x'), "", "last"};
  for (int i = 0; i < 300; ++i) choices.typed["filters"].push_back(std::to_string(i));
  for (int i = 0; i < 300; ++i) choices.typed["finds"].push_back(std::string(1000, 'a') + "\n");
  for (int i = 0; i < 900; ++i) choices.folds["hosts"].insert(std::to_string(i));
  choices.folds["racks"] = {std::string(200, 'r')};
  for (int i = 0; i < 900; ++i) {
    choices.bookmarks[std::to_string(i / 150)].push_back(
        mark_at(900 - i, std::string(500, 'b'), today + seconds(i)));
  }
  limit(choices);
  EXPECT_EQ(choices.typed["commands"], (std::vector<std::string>{"^[[31mred", "last"}));
  EXPECT_EQ(choices.typed["filters"].size(), prompt_history_max);
  EXPECT_EQ(choices.typed["filters"].back(), "299");
  EXPECT_EQ(choices.typed["finds"].size(), kept_lines_bytes_max / 1002);
  EXPECT_EQ(choices.folds["hosts"].size(), kept_folds_max);
  EXPECT_FALSE(choices.folds.contains("racks"));
  EXPECT_FALSE(choices.bookmarks.contains("0")) << "the oldest of all";
  for (const auto& [name, marks] : choices.bookmarks) {
    EXPECT_EQ(marks.size(), bookmarks_max) << name;
    EXPECT_LE(marks[0].mark.text.size(), bookmark_bytes_max);
    EXPECT_LT(marks[0].mark.at, marks[1].mark.at) << "in order of time";
  }
  EXPECT_EQ(read(to_toml(choices)), choices) << "within the limits nothing is lost";
}

std::vector<std::string> lines_after(std::vector<std::string> theirs, std::vector<std::string> base,
                                     std::vector<std::string> mine) {
  Choices other, before, now;
  other.typed["commands"] = std::move(theirs);
  before.typed["commands"] = std::move(base);
  now.typed["commands"] = std::move(mine);
  return merged(other, before, now, today).typed["commands"];
}

TEST(Choices, LinesOfTwoDashboardsAreBothKept) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_after({"a", "b"}, {"a", "b"}, {"a", "b"}), (Lines{"a", "b"}));
  EXPECT_EQ(lines_after({"a", "theirs"}, {"a"}, {"a", "mine"}), (Lines{"a", "theirs", "mine"}));
  EXPECT_EQ(lines_after({"a", "b", "c"}, {"a", "b"}, {"b", "a"}), (Lines{"b", "c", "a"}))
      << "what was typed again moves to the end";
  EXPECT_EQ(lines_after({}, {"a"}, {"a", "b"}), (Lines{"b"})) << "a removed file stays removed";
}

TEST(Choices, OfOrderAndFoldsTheOneChangedHereIsKept) {
  Choices base, theirs, mine;
  base.sort = {"DEVICE"};
  base.folds = {{"hosts", {"a"}}, {"racks", {"r"}}};
  theirs = mine = base;
  theirs.sort = {"POWER"};
  theirs.folds["racks"] = {"r", "s"};
  mine.device_columns = {"DEVICE", "POWER"};
  mine.folds["hosts"] = {};
  const Choices both = merged(theirs, base, mine, today);
  EXPECT_EQ(both.sort, theirs.sort);
  EXPECT_EQ(both.device_columns, mine.device_columns);
  EXPECT_EQ(both.folds, (std::map<std::string, std::set<std::string>>{{"racks", {"r", "s"}}}));
}

TEST(Choices, BookmarksAreAddedRemovedAndForgottenAfterALongTime) {
  Choices base, theirs, mine;
  const Instant yesterday = today - hours(24);
  base.bookmarks[place] = {mark_at(1, "kept", yesterday), mark_at(2, "removed", yesterday)};
  theirs.bookmarks[place] = {mark_at(1, "kept", yesterday), mark_at(2, "removed", yesterday),
                             mark_at(3, "theirs", yesterday),
                             mark_at(9, "old", today - kept_bookmark_age_max - seconds(1))};
  theirs.bookmarks["elsewhere"] = {mark_at(2, "another's", yesterday)};
  mine.bookmarks[place] = {mark_at(1, "kept", {}), mark_at(4, "mine", {})};
  const Choices both = merged(theirs, base, mine, today);
  EXPECT_EQ(both.bookmarks.at(place),
            (std::vector<KeptBookmark>{mark_at(1, "kept", yesterday),
                                       mark_at(3, "theirs", yesterday), mark_at(4, "mine")}));
  EXPECT_EQ(both.bookmarks.at("elsewhere"), theirs.bookmarks.at("elsewhere"));
}

/// A session with a place for its bookmarks, and what it told its shell to keep.
struct KeptSession : SampleSession {
  KeptSession() : SampleSession("devices") {}
  std::vector<Choices> kept(Instant at) {
    dashboard->tick(at);
    std::vector<Choices> all;
    for (const Effect& effect : dashboard->take_effects()) {
      if (const auto* each = std::get_if<KeepChoices>(&effect)) all.push_back(each->choices);
    }
    return all;
  }
};

TEST(Choices, AreToldOnceSoonAfterAKeyThatChangedThem) {
  KeptSession session;
  const Instant at = SampleFleet::after_40s;
  session.press({"j"});
  EXPECT_TRUE(session.kept(at + seconds(2)).empty()) << "a selection is not kept";
  session.dashboard->press(at + seconds(2), {"s"});
  EXPECT_LE(session.dashboard->next_deadline(), at + seconds(3));
  EXPECT_TRUE(session.kept(at + seconds(2)).empty());
  const auto kept = session.kept(at + seconds(3));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_NE(kept[0].sort, std::vector<std::string>{"DEVICE"});
  EXPECT_TRUE(session.kept(at + seconds(9)).empty());
}

TEST(Choices, AreShownAgainAfterARestart) {
  SampleSession before("devices");
  before.press({":"});
  before.type("columns DEVICE,POWER:14,TEMP");
  before.press({"Enter", ":"});
  before.type("sort -POWER,DEVICE");
  before.press({"Enter", "/"});
  before.type("kind == gpu");
  before.press({"Enter"});
  const Choices chosen = read(to_toml(before.dashboard->choices()));
  SampleSession after("devices");
  after.dashboard->restore(chosen);
  EXPECT_TRUE(after.shows("POWER W▼1 TEMP")) << after.text();
  EXPECT_EQ(after.dashboard->choices(), before.dashboard->choices());
  after.press({"/", "Up"});
  EXPECT_TRUE(after.shows("Filter: kind == gpu")) << after.text();
}

}  // namespace
}  // namespace drover::tui
