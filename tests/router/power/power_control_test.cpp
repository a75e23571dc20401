#include "router/power/power_control.h"

#include <gtest/gtest.h>

#include "router/policy_control.h"
#include "tests/router/table_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

struct PowerTables : RouterTables {
  PowerControl power{{settings, fleet_state, jobs, connections, boards, policy, queue, sent_caps,
                      outbox, publisher}};
  AlertEvaluation alerts{{settings, policy, fleet_state, jobs, queue, conditions, boards, outliers,
                          power, rejected, outbox, publisher}};
  PolicyControl policy_control{
      {settings, queue, policy, fleet_state, tenants, failbacks, accounting, outbox, publisher,
       outliers, waiting, availability, power, alerts},
      "drover.toml",
      now};
};

TEST(PowerControl, ACapHoldsUntilItsTimeIsOver) {
  PowerTables tables;
  const double own_w = tables.policy.limits.site_power_cap_w;
  tables.power.take_limits_changed();
  tables.power.handle(tables.now, tables.caller(), SetPowerCap{"site", 5000, seconds(60)});
  EXPECT_EQ(tables.policy.limits.site_power_cap_w, 5000);
  EXPECT_TRUE(tables.power.take_limits_changed());
  EXPECT_EQ(tables.power.next_end(), tables.now + seconds(60));
  tables.power.end_caps(tables.now + seconds(60));
  EXPECT_EQ(tables.policy.limits.site_power_cap_w, own_w);
  EXPECT_TRUE(tables.power.take_limits_changed());
}

TEST(PowerControl, WritesACapBeforeItAnswers) {
  PowerTables tables;
  tables.power.handle(tables.now, tables.caller(), SetPowerCap{"site", 5000, seconds(60)});
  const Outbox said = tables.outbox.take();
  ASSERT_EQ(said.writes.size(), 2u) << "the cap and its audit";
  const auto reply = std::find_if(said.sends.begin(), said.sends.end(), [](const Send& send) {
    return std::holds_alternative<ActionReply>(send.envelope.body);
  });
  ASSERT_NE(reply, said.sends.end());
  EXPECT_EQ(reply->after_write, said.writes[1].sequence);
}

TEST(PolicyControl, AnErrorLeavesThePolicyInForce) {
  PowerTables tables;
  const std::string before = tables.policy.text;
  tables.policy_control.handle(tables.now, tables.caller(), ApplyPolicy{"[pool", "x.toml"});
  const auto replies = tables.take<ActionReply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_FALSE(replies[0].applied);
  EXPECT_EQ(tables.policy.text, before);
}

TEST(PolicyControl, KeepsTheCapThatAClientHasSet) {
  PowerTables tables;
  tables.power.handle(tables.now, tables.caller(), SetPowerCap{"site", 5000, seconds(60)});
  const std::string text =
      "[policy]\nname = \"mine\"\nversion = 99\n[pool.gpus]\nmatch = { kind = \"gpu\" }\n"
      "[[rule]]\nname = \"all\"\n";
  tables.policy_control.reload(tables.now, ApplyPolicy{text, "new.toml"}, "ann");
  EXPECT_EQ(tables.policy.text, text);
  EXPECT_EQ(tables.policy.limits.site_power_cap_w, 5000);
}

}  // namespace
}  // namespace drover::router
