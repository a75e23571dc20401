// Alerts as people meet them: listed, and acknowledged.
#include <gtest/gtest.h>

#include "tests/commands/alerted_fleet.h"

namespace drover::commands {
namespace {

TEST(AlertVerbs, ListRaisedAlertsAndWhoAcknowledgedThem) {
  AlertedFleet fleet;
  ASSERT_TRUE(fleet.running.start()) << fleet.running.trouble();
  EXPECT_EQ(fleet.running.ask({"alerts", "--json"}).out, "[]\n");
  ASSERT_EQ(fleet.running.ask({"drain", "h-1/1"}).exit_code, 0);
  ASSERT_TRUE(eventually(
      [&] { return fleet.running.ask({"alerts"}).out.find("put_away") != std::string::npos; }));
  EXPECT_NE(fleet.running.ask({"alerts"}).out.find("  -   "), std::string::npos);
  const ProcessResult nothing = fleet.running.ask({"acknowledge", "put_away", "h-1/0"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_NE(nothing.err.find("no alert put_away of h-1/0 is raised"), std::string::npos)
      << nothing.err;
  const ProcessResult seen = fleet.running.ask({"acknowledge", "put_away", "h-1/1"});
  EXPECT_EQ(seen.exit_code, 0) << seen.err;
  EXPECT_EQ(seen.out,
            "acknowledged 1 alert: put_away h-1/1; visible to all viewers until it clears\n");
  const auto alerts = Json::parse(fleet.running.ask({"alerts", "--json"}).out);
  ASSERT_TRUE(alerts.ok());
  ASSERT_EQ(alerts->size(), 1U);
  EXPECT_EQ((*alerts)[0]["subject"].text(), "h-1/1");
  EXPECT_EQ((*alerts)[0]["severity"].text(), "info");
  EXPECT_EQ((*alerts)[0]["acknowledged_by"].text(), shown_user());
  ASSERT_EQ(fleet.running.ask({"resume", "h-1/1"}).exit_code, 0);
  EXPECT_TRUE(eventually([&] { return fleet.running.ask({"alerts", "--json"}).out == "[]\n"; }));
  EXPECT_EQ(fleet.running.ask({"acknowledge", "--all"}).exit_code, 1) << "nothing is raised";
}

TEST(AlertVerbs, ListTheRulesInForce) {
  AlertedFleet fleet;
  ASSERT_TRUE(fleet.running.start()) << fleet.running.trouble();
  const ProcessResult table = fleet.running.ask({"alerts", "--rules"});
  for (const char* said : {"put_away", "state == drained", "host_lost", "at once", "hot"}) {
    EXPECT_NE(table.out.find(said), std::string::npos) << said << "\n" << table.out;
  }
  const auto rules = Json::parse(fleet.running.ask({"alerts", "--rules", "--json"}).out);
  ASSERT_TRUE(rules.ok());
  const Json& last = (*rules)[rules->size() - 1];
  EXPECT_EQ(last["rule"].text(), "put_away");
  EXPECT_EQ(last["raise_after_s"].number(), 0);
}

}  // namespace
}  // namespace drover::commands
