// An alert rule as a policy's table says it.
#include "fleet/filter/alert_rule.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Reading {
  AlertRule rule;
  std::string problem;
};

Reading read_rule(const std::string& keys, AlertRule before = {}) {
  auto file = toml_file::Table::parse("[[alert]]\n" + keys, "p.toml");
  toml_file::Table table = file->tables("alert").at(0);
  if (before.published.about.empty()) before.published.about = "device";
  read_alert_rule(table, before);
  const Status status = file->finish();
  return {before, status ? "" : status.error().message};
}

AlertRule hot() {
  AlertRule rule;
  rule.published = {"hot",           Severity::warning, "device",    "headroom < 3C",
                    "headroom > 6C", seconds(10),       seconds(20), "near its limit"};
  return rule;
}

TEST(AlertRule, ReadsEveryKey) {
  const auto [rule, problem] = read_rule(
      "when = \"headroom < 3C & kind == tpu\"\nclear = \"headroom > 6C\"\nfor = \"1m\"\n"
      "clear_for = 30\nseverity = \"critical\"\nabout = \"device\"\ntext = \"too warm\"\n");
  ASSERT_EQ(problem, "");
  EXPECT_EQ(rule.published.when, "headroom < 3C & kind == tpu");
  EXPECT_EQ(rule.published.clear, "headroom > 6C");
  EXPECT_EQ(rule.published.raise_after, minutes(1));
  EXPECT_EQ(rule.published.clear_after, seconds(30));
  EXPECT_EQ(rule.published.severity, Severity::critical);
  EXPECT_EQ(rule.published.about, "device");
  EXPECT_EQ(rule.published.help, "too warm");
  EXPECT_TRUE(rule.enabled);
}

TEST(AlertRule, KeepsSettingsThatATableOmits) {
  AlertRule changed = hot();
  changed.published.raise_after = minutes(5);
  EXPECT_EQ(read_rule("for = \"5m\"\n", hot()).rule, changed);
  changed = hot();
  changed.enabled = false;
  EXPECT_EQ(read_rule("enabled = false\n", hot()).rule, changed);
  EXPECT_EQ(read_rule("", hot()).rule, hot());
}

TEST(AlertRule, ANewConditionRemovesTheOldClearCondition) {
  const auto [rule, problem] = read_rule("when = \"headroom < 10C\"\n", hot());
  ASSERT_EQ(problem, "");
  EXPECT_EQ(rule.published.when, "headroom < 10C");
  EXPECT_EQ(rule.published.clear, "") << "above 6 C both would hold";
}

TEST(AlertRule, UsesOnlyFieldsThatItsSubjectsHave) {
  EXPECT_EQ(read_rule("about = \"pool\"\nwhen = \"healthy < 50%\"\n").problem, "");
  EXPECT_EQ(read_rule("about = \"site\"\nwhen = \"queueshare > 50%\"\n").problem, "");
  EXPECT_NE(read_rule("about = \"pool\"\nwhen = \"temp > 70\"\n").problem, "");
  EXPECT_NE(read_rule("about = \"site\"\nwhen = \"healthy < 50%\"\n").problem, "");
  EXPECT_NE(read_rule("when = \"queueshare > 50%\"\n").problem, "");
}

TEST(AlertRule, MistakesAreReportedByLineKeyAndPosition) {
  struct Case {
    std::string keys;
    std::vector<std::string> said;
  };
  const Case cases[] = {
      {"", {"p.toml:1", "when"}},
      {"when = \"headrom < 3C\"\n",
       {"p.toml:2: alert[1].when: ", "headroom", "at character 1 of \"headrom < 3C\""}},
      {"when = \"temp > hot\"\n", {"p.toml:2: alert[1].when: ", "at character 8 of"}},
      {"when = \"\"\n", {"p.toml:2: alert[1].when: ", "found nothing, expected a filter"}},
      {"when = \"temp > 80\"\nclear = \"temp <\"\n", {"p.toml:3: alert[1].clear: "}},
      {"when = \"temp > 80\"\nclear = \" \"\n", {"p.toml:3: alert[1].clear: ", "found nothing"}},
      {"when = \"temp > 80\"\nseverity = \"bad\"\n",
       {"p.toml:3: alert[1].severity: found \"bad\", expected info, warning or critical"}},
      {"when = \"temp > 80\"\nabout = \"rack\"\n",
       {"p.toml:3: alert[1].about: found \"rack\", expected device, pool or site"}},
      {"when = \"temp > 80\"\nfor = \"8d\"\n", {"p.toml:3: alert[1].for: ", "at most"}},
      {"when = \"temp > 80\"\nfor = -1\n", {"p.toml:3: alert[1].for: "}},
      {"when = \"temp > 80\"\nunless = \"x\"\n", {"p.toml:3: alert[1].unless: "}},
  };
  for (const Case& each : cases) {
    const std::string problem = read_rule(each.keys).problem;
    for (const std::string& said : each.said) {
      EXPECT_NE(problem.find(said), std::string::npos) << each.keys << ": " << problem;
    }
  }
}

TEST(AlertRule, BuiltInRulesAllowChangesExceptToTheirConditions) {
  AlertRule lost;
  lost.published.name = "host_lost";
  lost.published.when = "it is lost";
  lost.built_in = true;
  const auto [rule, problem] = read_rule("for = \"1m\"\nseverity = \"info\"\n", lost);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(rule.published.raise_after, minutes(1));
  EXPECT_EQ(rule.published.when, "it is lost");
  EXPECT_NE(read_rule("when = \"temp > 80\"\n", lost)
                .problem.find("alert[1].when: host_lost is built in"),
            std::string::npos);
}

}  // namespace
}  // namespace drover
