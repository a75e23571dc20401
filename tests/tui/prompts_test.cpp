// What is typed: filters that apply at once, names after `:`, and the search for anything.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_session.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

TEST(FilterPrompt, AppliesWhileItIsTypedAndCountsTheMatches) {
  SampleSession typed("devices");
  typed.press({"/"});
  typed.type("kind == tpu");
  EXPECT_TRUE(typed.shows("16 of 36 devices; Tab completes")) << typed.text();
  EXPECT_FALSE(typed.shows("gpu-a/0")) << typed.text();
  typed.press({"Enter"});
  EXPECT_TRUE(typed.shows("filter kind == tpu: 16 of 36 devices"));
}

TEST(FilterPrompt, AnIncompleteFilterKeepsTheLastOneAndSaysWhatIsMissing) {
  SampleSession typed("devices", {160, 40});
  typed.press({"/"});
  typed.type("kind == tpu");
  typed.type(" &");
  EXPECT_TRUE(typed.shows("16 of 36 devices")) << typed.text();
  EXPECT_TRUE(typed.shows("expected")) << typed.text();
  EXPECT_FALSE(typed.shows("gpu-a/0")) << typed.text();
}

TEST(FilterPrompt, AWordThatMayBecomeAFieldOrAValueIsNotYetAFilter) {
  SampleSession typed("devices", {160, 40});
  typed.press({"/"});
  for (const char* part : {"te", "mp", ">"}) {
    typed.type(part);
    EXPECT_TRUE(typed.shows("36 of 36 devices")) << part << typed.text();
    EXPECT_TRUE(typed.shows("gpu-a/0")) << part << typed.text();
  }
  typed.press({"Ctrl-U"});
  typed.type("kind==t");
  EXPECT_TRUE(typed.shows("t: tpu")) << typed.text();
  EXPECT_TRUE(typed.shows("gpu-a/0")) << typed.text();
  typed.type("pu");
  EXPECT_TRUE(typed.shows("16 of 36 devices")) << typed.text();
  typed.press({"Ctrl-U"});
  typed.type("job~lla");
  EXPECT_FALSE(typed.shows("36 of 36 devices")) << "a pattern applies at once: " << typed.text();
}

TEST(FilterPrompt, EscRestoresTheFilterBefore) {
  SampleSession typed("devices");
  typed.press({"/"});
  typed.type("kind == gpu");
  typed.press({"Enter", "/", "Ctrl-U"});
  EXPECT_TRUE(typed.shows("tpu-a/0")) << "the empty text shows all: " << typed.text();
  typed.type("kind == tpu");
  typed.press({"Esc"});
  EXPECT_TRUE(typed.shows("filter kind == gpu: 20 of 36")) << typed.text();
}

TEST(FilterPrompt, AScreenThatBecomesTooSmallLeavesTheFilterBefore) {
  SampleSession typed("devices");
  typed.press({"/"});
  typed.type("kind == tpu");
  typed.dashboard->resize(SampleFleet::after_40s, {10, 2});
  typed.dashboard->resize(SampleFleet::after_40s, {120, 40});
  EXPECT_FALSE(typed.shows("filter kind")) << typed.text();
}

TEST(CommandPrompt, TakesNamesOfThingsWithoutACommand) {
  struct Case {
    const char *line, *shown;
  };
  for (const Case& c : std::vector<Case>{{"gpu-a/3", "Device gpu-a/3"},
                                         {"gpu-a", "8 devices"},
                                         {"host:gpu-b", "8 devices"},
                                         {"pool:tpu", "16 devices"},
                                         {"telemetry", "This dashboard"},
                                         {"data-plane", "This dashboard"},
                                         {"device gpu-b/1", "Device gpu-b/1"}}) {
    SampleSession typed("fleet");
    typed.press({":"});
    typed.type(c.line);
    typed.press({"Enter"});
    EXPECT_TRUE(typed.shows(c.shown)) << c.line << "\n" << typed.text();
  }
}

TEST(CommandPrompt, CompletesViewsCommandsAndNames) {
  for (const auto& [line, completed] :
       {std::pair{"tel", "telemetry"}, std::pair{"pool:t", "pool:tpu"},
        std::pair{"host:e", "host:edge-1"}, std::pair{"gpu-a/7", "gpu-a/7"}}) {
    SampleSession typed("fleet");
    typed.press({":"});
    typed.type(line);
    typed.press({"Tab"});
    EXPECT_TRUE(typed.shows(std::string(":") + completed + "_")) << typed.text();
  }
}

TEST(CommandPrompt, CompletesNamesThatComeAfterMoreThanAreOffered) {
  SampleSession typed("fleet");
  const auto tell = [&](Message message) {
    typed.dashboard->receive(SampleFleet::after_40s, publish_peer,
                             typed.fleet.published(std::move(message), SampleFleet::after_40s));
  };
  HostChanged host = typed.fleet.hosts.front();
  JobChanged job = typed.fleet.jobs.front();
  for (std::uint64_t i = 0; i < 250; ++i) {
    host.registration.host = "node-" + std::to_string(i);
    job.job.id = {0x1000'0000'0000'0000 + (i << 32), 1};
    tell(host);
    tell(job);
  }
  host.registration.host = "zebra";
  job.job.id = {0xfffe'0000'0000'0000, 1};
  tell(host);
  tell(job);
  for (const auto& [line, completed] :
       {std::pair{"topology zeb", "topology zebra"}, std::pair{"why fff", "why fffe0000"},
        std::pair{"drain host:zeb", "drain host:zebra"}}) {
    typed.press({":"});
    typed.type(line);
    typed.press({"Tab"});
    EXPECT_TRUE(typed.shows(std::string(":") + completed + "_")) << typed.text();
    typed.press({"Esc"});
  }
}

TEST(CommandPrompt, SuggestsWhatAMistypedNameMayMean) {
  for (const auto& [line, meant] :
       {std::pair{"devics", "devices"}, std::pair{"gpu-a/33", "gpu-a/3"},
        std::pair{"device gpuu-a/3", "gpu-a/3"}, std::pair{"exprot", "export"}}) {
    SampleSession typed("fleet");
    typed.press({":"});
    typed.type(line);
    typed.press({"Enter"});
    EXPECT_TRUE(typed.shows(meant)) << line << "\n" << typed.text();
    EXPECT_TRUE(typed.shows("did you mean")) << line << "\n" << typed.text();
  }
}

/// The theme that the shell was told to show last; empty if none.
std::string shown_theme(SampleSession& session) {
  const auto changes = take<SettingsChange>(*session.dashboard);
  for (const SettingsChange& change : changes) EXPECT_FALSE(change.save);
  return changes.empty() ? "" : changes.back().settings.theme;
}

TEST(ThemePrompt, ShowsAThemeWhileItIsTypedAndEscRestoresTheFormer) {
  SampleSession typed("fleet", {120, 12});
  typed.press({":"});
  typed.type("theme ligh");
  EXPECT_EQ(shown_theme(typed), "");
  typed.type("t");
  EXPECT_EQ(shown_theme(typed), "light");
  typed.press({"Backspace"});
  EXPECT_EQ(shown_theme(typed), "dark") << "no theme any more";
  typed.press({"Ctrl-U"});
  typed.type("theme ");
  typed.press({"Tab"});
  EXPECT_EQ(shown_theme(typed), "") << "the first is the present one";
  typed.press({"Tab", "Tab"});
  EXPECT_EQ(shown_theme(typed), "contrast");
  expect_screen("theme-offers-120", styled_text(typed.dashboard->draw(SampleFleet::after_40s)));
  typed.press({"Esc"});
  EXPECT_EQ(shown_theme(typed), "dark");
}

TEST(ThemePrompt, EnterKeepsTheThemeThatIsShown) {
  SampleSession typed("fleet");
  typed.press({":"});
  typed.type("theme light");
  EXPECT_EQ(shown_theme(typed), "light");
  typed.press({"Enter", ":"});
  EXPECT_EQ(shown_theme(typed), "") << "it is on the screen";
  typed.type("theme");
  typed.press({"Enter"});
  EXPECT_TRUE(typed.shows("theme light; others: dark contrast deuteranopia tritanopia terminal"))
      << typed.text();
  typed.press({":", "Up", "Up"});
  EXPECT_EQ(shown_theme(typed), "");
  typed.press({"Ctrl-U"});
  typed.type("theme contrast");
  EXPECT_EQ(shown_theme(typed), "contrast");
  typed.dashboard->resize(SampleFleet::after_40s, {10, 2});
  EXPECT_EQ(shown_theme(typed), "light") << "a prompt that is closed restores it, too";
}

TEST(Search, FindsEveryKindOfThingAndEnterGoesThere) {
  struct Case {
    const char *letters, *shown;
  };
  for (const Case& c : std::vector<Case>{{"telem", "This dashboard"},
                                         {"gpua3", "Device gpu-a/3"},
                                         {"edge-1/2", "Device edge-1/2"},
                                         {"hopper", "8 devices"},
                                         {"cap", ":cap _"}}) {
    SampleSession typed("fleet");
    typed.press({"Ctrl-P"});
    typed.type(c.letters);
    typed.press({"Enter"});
    EXPECT_TRUE(typed.shows(c.shown)) << c.letters << "\n" << typed.text();
    if (std::string(c.shown).starts_with("Device")) {
      typed.press({"Esc"});
      EXPECT_TRUE(typed.shows("Devices by utilization")) << "Esc leads back";
    }
  }
}

TEST(Search, ArrowsChooseAmongTheBestAndEscLeavesAll) {
  SampleSession typed("fleet");
  typed.press({"Ctrl-P"});
  typed.type("gpu-b/");
  expect_screen("search-120", styled_text(typed.dashboard->draw(SampleFleet::after_40s)));
  typed.press({"Down", "Down", "Enter"});
  EXPECT_TRUE(typed.shows("Device gpu-b/2")) << typed.text();
  SampleSession left("fleet");
  const std::string before = left.text();
  left.press({"Ctrl-P"});
  left.type("gpu-b/");
  left.press({"Esc"});
  EXPECT_EQ(left.text(), before);
}

TEST(Search, SaysThatNothingIsFound) {
  SampleSession typed("fleet");
  typed.press({"Ctrl-P"});
  typed.type("qqqq");
  typed.press({"Enter"});
  EXPECT_TRUE(typed.shows("no match")) << typed.text();
}

}  // namespace
}  // namespace drover::tui
