// Alert rules in the router: filters over devices, pools and the site, changed by a policy, and
// acknowledged by people.
#include "router/policy/alert_rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/action_harness.h"
#include "tests/router/shipped_fleet.h"

namespace drover::router {
namespace {

using Fleet = ActionHarness;
using std::chrono::seconds;

std::string policy_text(const std::string& more, int version = 1) {
  std::string text(builtin_policy_text());
  const std::string head = "version = 1\n";
  text.replace(text.find(head), head.size(), fmt::format("version = {}\n", version));
  return text + "\n" + more;
}

Policy policy_with(const std::string& more) {
  auto policy = parse_policy(policy_text(more), "test.toml");
  DROVER_REQUIRE(policy.ok());
  return std::move(policy).value();
}

constexpr const char* warm = R"(
[[alert]]
name = "warm"
when = "temp > 70C"
clear = "temp < 60C"
for = "3s"
clear_for = "2s"
text = "warm"
)";

/// A fleet in which device h100-1/3 is as warm as one likes.
struct Warmed : Fleet {
  explicit Warmed(const std::string& more = warm) : Fleet({}, policy_with(more)) {}

  /// One second after the other.
  void at(double temperature_c, int count = 1) {
    for (int second = 0; second < count; ++second) {
      for (const auto& [peer, host] : all_hosts) {
        receive(peer, Heartbeat{});
        std::vector<Sample> rows = idle_samples(8);
        if (peer == 1) rows[3][Metric::temperature] = temperature_c;
        receive_samples(host, ++sequence, rows);
      }
      wait(seconds(1));
      commit();
    }
  }
  /// What was said of one rule since the last call: "+h100-1/3", "-h100-1/3".
  std::vector<std::string> news(const std::string& rule) {
    std::vector<std::string> said;
    for (const Alert& alert : published<Alert>()) {
      if (alert.rule == rule && !alert.text_only)
        said.push_back((alert.raised ? "+" : "-") + alert.subject);
    }
    forget();
    return said;
  }
  std::uint64_t sequence = 100;
};

using News = std::vector<std::string>;

// ---- Devices -----------------------------------------------------------------------------------

TEST(AlertRules, RaiseAndClearOnceTheirConditionsHaveHeldLongEnough) {
  Warmed fleet;
  fleet.at(71, 3);
  EXPECT_EQ(fleet.news("warm"), News{});
  fleet.at(71);
  const auto raised = fleet.published<Alert>();
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].subject, "h100-1/3");
  EXPECT_EQ(raised[0].severity, Severity::warning);
  EXPECT_EQ(raised[0].text, "warm: temp 71.0C");
  fleet.forget();
  fleet.at(65, 20);
  EXPECT_EQ(fleet.news("warm"), News{}) << "not hot any more, and not yet cool";
  fleet.at(59, 2);
  EXPECT_EQ(fleet.news("warm"), News{});
  fleet.at(59);
  EXPECT_EQ(fleet.news("warm"), News{"-h100-1/3"});
  fleet.at(65, 20);
  EXPECT_EQ(fleet.news("warm"), News{}) << "between the two nothing is raised";
}

TEST(AlertRules, RestartTheirDelayWhenTheConditionBreaks) {
  Warmed fleet;
  for (int round = 0; round < 5; ++round) {
    fleet.at(71, 3);
    fleet.at(69);
  }
  EXPECT_EQ(fleet.news("warm"), News{});
}

TEST(AlertRules, UnknownValuesMatchNothing) {
  const std::string rules =
      "[[alert]]\nname = \"cold\"\nwhen = \"temp < 50C\"\nfor = 0\n"
      "[[alert]]\nname = \"other\"\nwhen = \"temp != 50C\"\nfor = 0\n";
  Fleet fleet({}, policy_with(rules));
  fleet.receive(4, Join{Role::agent, "dumb", "drover test"});
  fleet.receive(4, fleet.registration("dumb"));
  std::vector<Sample> rows = RouterHarness::idle_samples(8);
  for (Sample& row : rows) row[Metric::temperature] = NAN;
  for (int second = 1; second < 4; ++second) {
    fleet.receive(4, Heartbeat{});
    fleet.receive_samples("dumb", second, rows);
    fleet.live(1, all_hosts);
  }
  std::size_t known = 0;
  for (const Alert& alert : fleet.published<Alert>()) {
    EXPECT_NE(alert.subject.substr(0, 4), "dumb") << alert.rule;
    known += alert.rule == "cold" ? 1 : 0;
  }
  EXPECT_EQ(known, 24U) << "of those that say it";
}

TEST(AlertRules, IgnoreDevicesOfALostHost) {
  Warmed fleet;
  fleet.at(75, 5);
  ASSERT_EQ(fleet.news("warm"), News{"+h100-1/3"});
  fleet.live(20, {{2, "h100-2"}, {3, "v5e-1"}});
  EXPECT_EQ(fleet.news("warm"), News{"-h100-1/3"}) << "its host is lost, and that is said";
}

TEST(AlertRules, CanTestTheTypeAndActivityOfADevice) {
  struct Case {
    std::string filter;
    std::size_t devices;
  };
  const Case cases[] = {{"kind == tpu", 8},
                        {"kind == h100-sxm", 16},
                        {"host == h100-1", 8},
                        {"pool == h100", 16},
                        {"rack == rack-2", 8},
                        {"id == h100-1/3", 1},
                        {"index == 3", 3},
                        {"state == drained", 1},
                        {"state == unusable", 1},
                        {"state == faulty", 1},
                        {"state == ok", 21},
                        {"model == llama-3.1-8b", 2},
                        {"job ~ bert", 4},
                        {"tenant == default & job ~ bert", 4},
                        {"alert == device_unusable", 1},
                        {"throttle==thermal", 1},
                        {"throttle == no", 23},
                        {"power > 90 & power < 110", 24},
                        {"powershare < 20%", 24},
                        {"mem < 1%", 24},
                        {"temp == none", 0},
                        {"age < 2s", 24},
                        {"h100-1", 8}};
  std::string rules;
  int number = 0;
  for (const Case& each : cases) {
    rules +=
        fmt::format("[[alert]]\nname = \"r{}\"\nwhen = '{}'\nfor = 0\n", number++, each.filter);
  }
  Warmed fleet(rules);
  fleet.ask(SetDrain{"h100-1/1", true, {}});
  fleet.ask(inject("h100-1/2", "hang"));
  fleet.receive(1, DeviceReport{5, false, 48, "Xid 48"});
  fleet.receive(client, Submit{{train_job(1, 4)}});
  std::vector<Sample> rows = RouterHarness::idle_samples(8);
  rows[6][Metric::throttle] = throttle_sw_thermal_slowdown;
  std::map<std::string, std::size_t> raised;
  for (int second = 0; second < 3; ++second) {
    for (const auto& [peer, host] : all_hosts) {
      fleet.receive(peer, Heartbeat{});
      fleet.receive_samples(host, ++fleet.sequence,
                            peer == 3 ? rows : RouterHarness::idle_samples(8));
    }
    fleet.wait(seconds(1));
    fleet.commit();
  }
  for (const Alert& alert : fleet.published<Alert>())
    raised[alert.rule] += alert.raised && !alert.text_only ? 1 : 0;
  number = 0;
  for (const Case& each : cases) {
    EXPECT_EQ(raised[fmt::format("r{}", number++)], each.devices) << each.filter;
  }
}

// ---- Pools and the site ------------------------------------------------------------------------

TEST(AlertRules, RaiseAnAlertForAMostlyLostPool) {
  Fleet fleet;
  fleet.live(45, {{3, "v5e-1"}});
  std::vector<std::string> subjects;
  for (const Alert& alert : fleet.published<Alert>()) {
    if (alert.rule == "pool_degraded" && alert.raised) subjects.push_back(alert.subject);
  }
  EXPECT_EQ(subjects, News{"pool:h100"});
}

TEST(AlertRules, RaiseNoAlertForADrainedOrDepartedPool) {
  Fleet fleet;
  fleet.ask(SetDrain{"pool:v5e", true, {}});
  fleet.receive(1, Leave{"SIGTERM", 0});
  fleet.receive(2, Leave{"SIGTERM", 0});
  fleet.live(45, {{3, "v5e-1"}});
  for (const Alert& alert : fleet.published<Alert>()) EXPECT_NE(alert.rule, "pool_degraded");
}

TEST(AlertRules, RaiseASiteAlertWhenTheQueueFills) {
  std::string text = policy_text("");
  const std::string before = "[limits]\n";
  text.replace(text.find(before), before.size(), before + "power_cap_w = { site = 1 }\n");
  const auto at = text.find("queue_max = ");
  text.replace(at, text.find('\n', at) - at, "queue_max = 4");
  Fleet fleet({}, parse_policy(text, "test.toml").value());
  fleet.receive(client, Submit{{serve_job(1), serve_job(2), serve_job(3)}});
  fleet.live(12, all_hosts);
  std::vector<Alert> raised;
  for (const Alert& alert : fleet.published<Alert>()) {
    if (alert.rule == "long_queue") raised.push_back(alert);
  }
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].subject, "site");
  EXPECT_EQ(raised[0].severity, Severity::critical);
  EXPECT_EQ(raised[0].text, "at 100 % new jobs are refused: queueshare 75%");
}

// ---- Policies ----------------------------------------------------------------------------------

TEST(AlertRules, ShippedOnesAreInEveryPolicyAndSentToEveryClient) {
  Fleet fleet;
  fleet.receive(20, SnapshotRequest{});
  std::vector<AlertRuleText> told;
  for (const SnapshotPart& part : fleet.told<SnapshotPart>(20)) {
    for (const std::string& bytes : part.messages) {
      const Message body = decode(bytes).value().body;
      if (const auto* policy = std::get_if<PolicyChanged>(&body)) told = policy->alert_rules;
    }
  }
  std::vector<AlertRuleText> shipped;
  for (const AlertRule& rule : shipped_alert_rules()) shipped.push_back(rule.published);
  EXPECT_EQ(told, shipped);
  EXPECT_FALSE(told.empty());
}

TEST(AlertRules, APolicyChangesThemByNameAndAddsItsOwn) {
  const Policy policy = policy_with(
      "[[alert]]\nname = \"hot\"\nenabled = false\n"
      "[[alert]]\nname = \"host_lost\"\nfor = \"1m\"\nseverity = \"info\"\n" +
      std::string(warm));
  const auto find = [&](const std::string& name) {
    return *std::find_if(policy.alerts.begin(), policy.alerts.end(),
                         [&](const AlertRule& rule) { return rule.published.name == name; });
  };
  EXPECT_EQ(policy.alerts.size(), shipped_alert_rules().size() + 1);
  EXPECT_FALSE(find("hot").enabled);
  EXPECT_EQ(find("host_lost").published.raise_after, seconds(60));
  EXPECT_EQ(find("host_lost").published.severity, Severity::info);
  EXPECT_EQ(find("warm").published.when, "temp > 70C");
}

TEST(AlertRules, MistakesInAPolicyNameTheLine) {
  struct Case {
    std::string rules, said;
  };
  const Case cases[] = {
      {"[[alert]]\nwhen = \"temp > 70\"\n", "alert[1].name"},
      {"[[alert]]\nname = \"a b\"\nwhen = \"temp > 70\"\n", "alert[1].name: found \"a b\""},
      {"[[alert]]\nname = \"x\"\n", "alert[1].when"},
      {"[[alert]]\nname = \"x\"\nwhen = \"temp > 70\"\n[[alert]]\nname = \"x\"\n",
       "a second rule has the name \"x\""},
      {"[[alert]]\nname = \"host_lost\"\nwhen = \"temp > 70\"\n", "is built in"},
      {"[[alert]]\nname = \"x\"\nwhen = \"tmep > 70\"\n", "at character 1 of \"tmep > 70\""},
  };
  for (const Case& each : cases) {
    const auto policy = parse_policy(policy_text(each.rules), "p.toml");
    ASSERT_FALSE(policy.ok()) << each.rules;
    EXPECT_NE(policy.error().message.find(each.said), std::string::npos) << policy.error().message;
    EXPECT_EQ(policy.error().message.substr(0, 7), "p.toml:");
  }
}

TEST(AlertRules, ANewPolicyAppliesItsRulesAndClearsAlertsOfRemovedOnes) {
  Warmed fleet;
  fleet.at(75, 5);
  ASSERT_EQ(fleet.news("warm"), News{"+h100-1/3"});
  const std::string other = "[[alert]]\nname = \"tepid\"\nwhen = \"temp > 45\"\nfor = \"1s\"\n";
  ASSERT_TRUE(fleet.ask(ApplyPolicy{policy_text(other, 2), "new.toml"}).applied);
  const auto told = fleet.published<PolicyChanged>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].alert_rules.back().name, "tepid");
  fleet.forget();
  fleet.at(75, 3);
  std::vector<std::string> said;
  for (const Alert& alert : fleet.published<Alert>()) {
    said.push_back((alert.raised ? "+" : "-") + alert.rule);
  }
  EXPECT_EQ(said, (News{"-warm", "+tepid"}));
}

// ---- Acknowledgement ---------------------------------------------------------------------------

TEST(Acknowledgement, IsAuditedPublishedAndEndsWithTheAlert) {
  Warmed fleet;
  fleet.at(75, 5);
  const ActionReply reply = fleet.ask(AcknowledgeAlert{"warm", "h100-1/3"});
  EXPECT_TRUE(reply.applied) << reply.problem;
  EXPECT_EQ(reply.targets, News{"warm h100-1/3"});
  const Audit audit = fleet.published<Audit>().at(0);
  EXPECT_EQ(audit, (Audit{"ann", "acknowledge warm", "h100-1/3", true, reply.summary}));
  EXPECT_EQ(reply.summary,
            "acknowledged 1 alert: warm h100-1/3; visible to all viewers until it clears");
  ASSERT_EQ(fleet.published<Alert>().size(), 1U);
  const Alert seen = fleet.published<Alert>()[0];
  EXPECT_TRUE(seen.raised);
  EXPECT_EQ(seen.acknowledged_by, "ann");
  EXPECT_EQ(seen.acknowledged_at, fleet.now);
  fleet.forget();
  fleet.at(50, 4);
  EXPECT_EQ(fleet.news("warm"), News{"-h100-1/3"});
  fleet.at(75, 5);
  EXPECT_EQ(fleet.published<Alert>().at(0).acknowledged_by, "");
}

TEST(Acknowledgement, EndsWhenTheRouterRestarts) {
  Warmed fleet;
  fleet.at(75, 5);
  ASSERT_TRUE(fleet.ask(AcknowledgeAlert{"warm", "h100-1/3"}).applied);
  ASSERT_TRUE(fleet.restart());
  fleet.join_all();
  fleet.at(75, 5);
  const auto raised = fleet.published<Alert>();
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].subject, "h100-1/3") << "it is seen anew";
  EXPECT_EQ(raised[0].acknowledged_by, "");
}

TEST(Acknowledgement, OfAllAlertsCoversOnlyRaisedOnes) {
  Warmed fleet;
  fleet.receive(3, DeviceReport{1, false, 0, "lost"});
  fleet.at(75, 5);
  const ActionReply reply = fleet.ask(AcknowledgeAlert{"", ""});
  EXPECT_EQ(reply.targets, (News{"device_unusable v5e-1/1", "warm h100-1/3"}));
  EXPECT_EQ(fleet.published<Audit>().at(0).action, "acknowledge all alerts");
  EXPECT_EQ(fleet.published<Alert>().size(), 2U);
}

TEST(Acknowledgement, OfAnAlertThatIsNotRaisedIsRefusedAndAudited) {
  Fleet fleet;
  const ActionReply reply = fleet.ask(AcknowledgeAlert{"warm", "h1"});
  EXPECT_FALSE(reply.applied);
  EXPECT_EQ(reply.problem, "no alert warm of h1 is raised");
  EXPECT_EQ(fleet.published<Audit>().size(), 1U);
  EXPECT_EQ(fleet.ask(AcknowledgeAlert{}).problem, "no alert is raised");
}

TEST(Acknowledgement, IsRefusedToViewers) {
  Warmed fleet;
  fleet.at(75, 5);
  fleet.receive(21, Join{Role::viewer, "top", "drover test"});
  fleet.forget();
  fleet.receive(21, AcknowledgeAlert{});
  EXPECT_EQ(fleet.told<RequestError>(21).size(), 1U);
  EXPECT_TRUE(fleet.published<Alert>().empty());
}

// ---- The page ----------------------------------------------------------------------------------

std::string span_text(Duration span) {
  if (span == Duration{0}) return "at once";
  const auto seconds_in = std::chrono::duration_cast<seconds>(span).count();
  if (seconds_in % 3600 == 0) return fmt::format("{} h", seconds_in / 3600);
  if (seconds_in % 60 == 0) return fmt::format("{} min", seconds_in / 60);
  return fmt::format("{} s", seconds_in);
}

std::string page_row(const AlertRule& rule) {
  const auto quoted = [&](const std::string& text) {
    std::string cell = text;
    for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) {
      cell.insert(at, "\\");
    }
    return rule.built_in || cell.empty() ? cell : "`" + cell + "`";
  };
  const AlertRuleText& told = rule.published;
  return fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", told.name, told.about,
                     to_text(told.severity), quoted(told.when), quoted(told.clear),
                     span_text(told.raise_after), span_text(told.clear_after), told.help);
}

TEST(AlertRules, MatchThePoliciesPage) {
  const std::string page = file_text("docs/policies.md");
  std::string table;
  for (const AlertRule& rule : shipped_alert_rules()) table += page_row(rule);
  EXPECT_NE(page.find(table), std::string::npos) << table;
}

}  // namespace
}  // namespace drover::router
