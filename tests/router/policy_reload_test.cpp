// Another policy while the router runs: what it takes, what it changes, and what outlives a
// restart.
#include <algorithm>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "router/lint/policy_file.h"
#include "router/policy/policy.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using Fleet = ActionHarness;
using std::chrono::seconds;

std::string replaced(std::string text, const std::string& known, const std::string& with) {
  const std::size_t at = text.find(known);
  DROVER_REQUIRE(at != std::string::npos);
  return text.replace(at, known.size(), with);
}

/// The built-in policy in another version, with these limits.
std::string text_of(int version, const std::string& limits = "") {
  const std::string text = replaced(std::string(builtin_policy_text()), "version = 1",
                                    fmt::format("version = {}", version));
  return replaced(text, "[limits]\n", "[limits]\n" + limits);
}

Policy parsed(const std::string& text) { return parse_policy(text, "start.toml").value(); }

const std::string held_back = "power_cap_w = { site = 1 }\n";

std::size_t policies_on_disk(const RouterHarness& stage) {
  return static_cast<std::size_t>(
      std::count_if(stage.disk.begin(), stage.disk.end(), [](const LedgerRow& row) {
        const auto envelope = decode(row.payload);
        return envelope.ok() && std::holds_alternative<PolicyReply>(envelope->body);
      }));
}

PolicyReply in_force(RouterHarness& stage) {
  stage.forget();
  stage.receive(client, PolicyRequest{});
  return stage.told<PolicyReply>(client).at(0);
}

TEST(PolicyChange, WaitingJobsAreRetriedAndRunningJobsContinue) {
  Fleet stage({}, parsed(text_of(1, held_back)));
  stage.receive(client, Submit{{serve_job(1)}});
  stage.live(2, all_hosts);
  EXPECT_EQ(stage.published<Decision>().back().fallback_reason, Reason::power_cap);
  const ActionReply reply = stage.ask(ApplyPolicy{text_of(2), "new.toml"});
  ASSERT_TRUE(reply.applied) << reply.problem;
  EXPECT_EQ(stage.published<Decision>().back().action, drover::Action::assign);
  EXPECT_EQ(stage.published<PolicyChanged>().back().version, 2U);
  EXPECT_EQ(stage.published<PolicyChanged>().back().hash, policy_hash(text_of(2)));
  EXPECT_EQ(reply.targets,
            std::vector<std::string>{"balanced version 2, hash " + policy_hash(text_of(2))});
  EXPECT_EQ(stage.published<Audit>().at(0),
            (Audit{"ann", "apply policy", "new.toml", true, reply.summary}));
  EXPECT_EQ(policies_on_disk(stage), 1U);
  stage.ask(ApplyPolicy{text_of(3, held_back), "new.toml"});
  EXPECT_EQ(stage.router->summary(stage.now).running, 1U);
  EXPECT_TRUE(stage.told<Cancel>(1).empty());
}

TEST(PolicyChange, PoolsAreReassignedAndPublished) {
  Fleet stage;
  const std::string text = replaced(text_of(2), "[pool.h100]", "[pool.fast]");
  std::string renamed;
  for (const std::string& line : split(text, '\n')) {
    std::string one = line;
    for (std::size_t at = 0; (at = one.find("\"h100\"", at)) != std::string::npos;) {
      one.replace(at, 6, "\"fast\"");
    }
    renamed += one + "\n";
  }
  const ActionReply reply = stage.ask(ApplyPolicy{renamed, "new.toml"});
  ASSERT_TRUE(reply.applied) << reply.problem;
  std::map<std::string, std::string> pools;
  for (const HostChanged& host : stage.published<HostChanged>()) {
    pools[host.registration.host] = host.pools.at(0);
  }
  EXPECT_EQ(pools, (std::map<std::string, std::string>{
                       {"h100-1", "fast"}, {"h100-2", "fast"}, {"v5e-1", "v5e"}}));
  ASSERT_EQ(stage.published<ReplicaChanged>().size(), 2U);
  EXPECT_EQ(stage.published<ReplicaChanged>()[0].pool, "fast");
  EXPECT_TRUE(stage.ask(SetDrain{"pool:fast", true, {}}).applied);
}

TEST(PolicyChange, APoolDrainAppliesToDevicesThatTheNewPolicyAdds) {
  Fleet stage;
  stage.ask(SetDrain{"pool:a100", true, {}});
  EXPECT_TRUE(stage.published<DeviceChanged>().empty()) << "nothing is in it";
  const std::string text = replaced(text_of(2), "model = \"a100*\"", "model = \"h100*\"");
  ASSERT_TRUE(stage.ask(ApplyPolicy{text, "new.toml"}).applied);
  EXPECT_EQ(stage.published<DeviceChanged>().size(), 16U);
}

TEST(PolicyChange, CapsSetByUsersOverrideTheNewLimits) {
  Fleet stage;
  stage.ask(SetPowerCap{"site", 5000, seconds(30)});
  stage.ask(ApplyPolicy{text_of(2, "power_cap_w = { site = 9000 }\n"), "new.toml"});
  EXPECT_EQ(stage.published<PolicyChanged>().back().site_power_cap_w, 5000);
  stage.live(31, all_hosts);
  EXPECT_EQ(stage.published<PolicyChanged>().back().site_power_cap_w, 9000);
}

TEST(PolicyChange, WithAnErrorLeavesTheOldPolicyInForce) {
  struct Case {
    std::string text, problem;
  };
  const Case cases[] = {
      {replaced(text_of(2), "seed = 42", "seeed = 42"), "new.toml:"},
      {"", "new.toml"},
      {"[policy]\nversion = \"two\"\n", "new.toml:2: policy.version: "},
      {text_of(1) + "# other\n",
       "new.toml: policy.version: found 1, expected more than 1, the version in force with "
       "another text"},
      {text_of(0), "new.toml: policy.version: found 0, expected more than 1, the version in force"},
  };
  for (const Case& each : cases) {
    Fleet stage;
    const ActionReply reply = stage.ask(ApplyPolicy{each.text, "new.toml"});
    EXPECT_FALSE(reply.applied);
    EXPECT_EQ(reply.problem.substr(0, each.problem.size()), each.problem);
    EXPECT_FALSE(stage.published<Audit>().at(0).applied);
    EXPECT_EQ(in_force(stage).text, builtin_policy_text());
    EXPECT_EQ(policies_on_disk(stage), 0U);
  }
}

TEST(PolicyChange, ApplyingTheSameTextAgainChangesNothing) {
  Fleet stage;
  stage.ask(ApplyPolicy{text_of(2), "new.toml"});
  stage.ask(ApplyPolicy{text_of(2), "new.toml"});
  EXPECT_EQ(stage.published<Audit>().at(0).detail,
            "balanced version 2, hash " + policy_hash(text_of(2)) + ": it was already in force");
  EXPECT_EQ(policies_on_disk(stage), 1U);
  EXPECT_TRUE(stage.published<PolicyChanged>().empty());
}

TEST(PolicyChange, IsShownWithItsSource) {
  Fleet stage;
  const PolicyReply first = in_force(stage);
  EXPECT_EQ(first.text, builtin_policy_text());
  EXPECT_EQ(first.place, "");
  EXPECT_EQ(first.by, "");
  stage.ask(ApplyPolicy{text_of(7), "new.toml"});
  const PolicyReply second = in_force(stage);
  EXPECT_EQ(second.version, 7U);
  EXPECT_EQ(second.place, "new.toml");
  EXPECT_EQ(second.by, "ann");
  EXPECT_EQ(second.since, stage.now);
  EXPECT_EQ(second.hash, policy_hash(text_of(7)));
}

TEST(PolicyChange, ARestartUsesTheNewerOfTheAppliedAndNamedPolicies) {
  struct Case {
    std::string place;  // of the policy that the second start names; empty: the built-in one
    int version;
    std::uint64_t in_force;
  };
  for (const Case& each :
       {Case{"", 1, 5}, {"start.toml", 4, 5}, {"start.toml", 5, 5}, {"start.toml", 6, 6}}) {
    Fleet stage;
    stage.ask(ApplyPolicy{text_of(5), "new.toml"});
    stage.settings.policy_place = each.place;
    stage.policy = parsed(text_of(each.version));
    ASSERT_TRUE(stage.restart());
    EXPECT_EQ(in_force(stage).version, each.in_force) << each.place << ' ' << each.version;
    EXPECT_EQ(static_cast<std::uint64_t>(stage.router->policy().version), each.in_force);
  }
}

TEST(PolicyChange, AnAppliedPolicyThatNoLongerParsesBlocksStartupUnlessOneIsNamed) {
  Fleet stage;
  stage.ask(ApplyPolicy{text_of(5), "new.toml"});
  for (LedgerRow& row : stage.disk) {
    auto envelope = decode(row.payload);
    auto* applied = envelope.ok() ? std::get_if<PolicyReply>(&envelope->body) : nullptr;
    if (applied == nullptr) continue;
    applied->text = replaced(text_of(5), "seed = 42", "seeed = 42");
    row.payload = encode(*envelope);
  }
  const Status refused = stage.restart();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the policy that ann applied cannot be read: new.toml:"),
            std::string::npos)
      << refused.error().message;
  stage.settings.policy_place = "start.toml";
  ASSERT_TRUE(stage.restart());
  EXPECT_EQ(in_force(stage).version, 1U);
}

TEST(PolicyChange, APolicyReloadBySighupIsAuditedAsSighup) {
  Fleet stage;
  const auto tell = [&](Message body) {
    stage.forget();
    stage.router->receive(stage.now, publish_peer,
                          Envelope{"SIGHUP", 0, stage.now, std::move(body)});
    stage.tick();
    stage.commit();
  };
  tell(ApplyPolicy{text_of(2), "start.toml"});
  EXPECT_EQ(stage.published<Audit>().at(0).who, "SIGHUP");
  EXPECT_TRUE(stage.published<Audit>()[0].applied);
  EXPECT_EQ(in_force(stage).by, "SIGHUP");
  tell(ApplyPolicy{"[policy]\nversion = -1\n", "start.toml"});
  EXPECT_FALSE(stage.published<Audit>().at(0).applied);
  EXPECT_TRUE(stage.published<Audit>()[0].detail.starts_with("start.toml:2: policy.version"));
  tell(Audit{"SIGHUP", "apply policy", "start.toml", false, "start.toml: No such file"});
  EXPECT_EQ(stage.published<Audit>().at(0).detail, "start.toml: No such file");
  ASSERT_FALSE(stage.published<Event>().empty());
  EXPECT_EQ(in_force(stage).version, 2U);
}

TEST(PolicyChange, IsScaledBySpeedLikeTheStartupPolicy) {
  RouterSettings fast;
  fast.speed = 60;
  RouterHarness stage(fast, at_speed(builtin_policy(), 60));
  stage.receive(client, ApplyPolicy{text_of(2), "new.toml"});
  EXPECT_EQ(stage.router->policy().stale_after_s, 300);
}

TEST(PolicyChange, ViewersMayQueryAndOnlyClientsMayApply) {
  Fleet stage;
  stage.receive(8, Join{Role::viewer, "dashboard", "drover test"});
  stage.receive(8, PolicyRequest{});
  EXPECT_EQ(stage.told<PolicyReply>(8).size(), 1U);
  for (const Message& action : {Message(ApplyPolicy{text_of(2), "x"}), Message(CancelJobs{}),
                                Message(SetDrain{"site", true, {}})}) {
    stage.forget();
    stage.receive(8, action);
    EXPECT_EQ(stage.told<RequestError>(8).size(), 1U);
    for (const Audit& audit : stage.published<Audit>()) EXPECT_FALSE(audit.applied);
  }
}

}  // namespace
}  // namespace drover::router
