// The help page: first the keys of one view on one screen, then everything.
#include <gtest/gtest.h>

#include <set>

#include "fleet/base/text.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/keymap.h"

namespace drover::tui {
namespace {

std::string page_of(const std::string& view, Size size) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, size, view);
  dashboard->press(SampleFleet::after_40s, {"?"});
  return dashboard->draw(SampleFleet::after_40s).to_text();
}

TEST(ViewHelp, ShowsAllKeysAndThePurposeOfTheViewOnOneScreen) {
  for (const ViewFacts& view : view_facts) {
    if (view.id == ViewId::help) continue;
    const ViewHelp help = view_help(view.id);
    for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
      const std::string text = page_of(std::string(view.name), size);
      SCOPED_TRACE(text);
      EXPECT_NE(text.find(std::string(help.purpose)), std::string::npos);
      for (const auto& group : help.groups) {
        for (const HelpLine& line : group) {
          EXPECT_NE(text.find(line.key), std::string::npos) << line.key;
          EXPECT_NE(text.find(line.text), std::string::npos) << line.key << " " << line.text;
        }
      }
      for (const LegendSign& sign : help.legend) {
        const std::string shown = std::string(sign.sign) + " " + std::string(sign.meaning);
        EXPECT_NE(text.find(shown), std::string::npos) << shown;
      }
    }
  }
}

TEST(ViewHelp, EveryKeyOfAViewIsInOneOfItsLines) {
  for (const ViewFacts& view : view_facts) {
    std::set<std::string> explained;
    for (const KeyLine& line : key_lines()) {
      if ((line.views & only(view.id)) == 0) continue;
      for (const std::string& key : split(line.keys, ' ')) explained.insert(key);
    }
    for (const Binding& binding : bindings()) {
      if (!works_in(binding, view.id)) continue;
      for (const std::string& key : split(binding.keys, ' ')) {
        EXPECT_TRUE(explained.contains(key)) << key << " in " << view.name;
      }
    }
  }
}

TEST(ViewHelp, LinesFitInTwoColumnsOfANarrowScreen) {
  for (const KeyLine& line : key_lines()) {
    EXPECT_LE(line.text.size(), static_cast<std::size_t>(key_line_columns)) << line.text;
  }
}

TEST(ViewHelp, ASecondKeyShowsEverythingAndEscLeadsBackAtOnce) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "jobs");
  const Instant now = SampleFleet::after_40s;
  const auto shows = [&](const std::string& text) {
    return dashboard->draw(now).to_text().find(text) != std::string::npos;
  };
  dashboard->press(now, {"?"});
  EXPECT_TRUE(shows("jobs: Jobs: which wait"));
  dashboard->press(now, {"?"});
  EXPECT_TRUE(shows("more lines below"));
  dashboard->press(now, {"?"});
  EXPECT_TRUE(shows("jobs: Jobs: which wait"));
  dashboard->press(now, {"?"});
  dashboard->press(now, {"Esc"});
  EXPECT_TRUE(shows("Waiting for")) << dashboard->draw(now).to_text();
}

TEST(ViewHelp, ATextIsFoundInTheWholeList) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {100, 24}, "fleet");
  const Instant now = SampleFleet::after_40s;
  for (const char* key : {"?", "/", "c", "o", "o", "l", "d", "o", "w", "n", "Enter"}) {
    dashboard->press(now, {key});
  }
  EXPECT_NE(dashboard->draw(now).to_text().find("cooldown"), std::string::npos);
}

TEST(ViewHelp, MatchesItsReference) {
  for (const char* view : {"fleet", "devices", "events"}) {
    SampleFleet fleet;
    for (const Size size : {Size{80, 24}, Size{120, 40}}) {
      const auto dashboard = dashboard_of(fleet, size, view);
      dashboard->press(SampleFleet::after_40s, {"?"});
      expect_screen("help-of-" + std::string(view) + "-" + std::to_string(size.columns),
                    styled_text(dashboard->draw(SampleFleet::after_40s)));
    }
  }
}

TEST(FirstHint, SaysInWordsHowToBeginUntilAFewKeysOrTwentySeconds) {
  SampleFleet fleet;
  DashboardOptions options;
  options.first_hint = true;
  options.speed = 10;
  const auto shows = [&](Dashboard& dashboard, Instant at) {
    const std::string text = dashboard.draw(at).to_text();
    return text.find("Enter shows details   / filters   ? explains the keys   q quits") !=
           std::string::npos;
  };
  Dashboard patient(options, {80, 24}, SampleFleet::start);
  EXPECT_TRUE(shows(patient, SampleFleet::start));
  EXPECT_TRUE(shows(patient, SampleFleet::start + std::chrono::seconds(199)))
      << "20 seconds of wall time";
  EXPECT_FALSE(shows(patient, SampleFleet::start + std::chrono::seconds(200)));
  Dashboard quick(options, {80, 24}, SampleFleet::start);
  for (const char* key : {"j", "j"}) quick.press(SampleFleet::start, {key});
  EXPECT_TRUE(shows(quick, SampleFleet::start));
  quick.press(SampleFleet::start, {"j"});
  EXPECT_FALSE(shows(quick, SampleFleet::start));
  options.first_hint = false;
  Dashboard program(options, {80, 24}, SampleFleet::start);
  EXPECT_FALSE(shows(program, SampleFleet::start)) << "frames for programs have none";
}

}  // namespace
}  // namespace drover::tui
