// A declared degradation stands wherever one looks for the job: decision, job, and, over a restart
// of the router, ledger.
#include <string>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

constexpr const char* degrading = R"([pool.gpu]
match = { kind = "gpu" }
[[rule]]
name = "chat"
require = { precision = ["bf16"] }
pools = ["gpu"]
[[rule.fallback]]
on = ["capacity", "precision"]
to = "gpu"
change = { precision = "int8" }
)";

TEST(Degradation, IsRecordedInDecisionJobAndLedger) {
  const std::string said = "degraded bf16 -> int8";
  auto policy = parse_policy(degrading, "test.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  RouterHarness stage({}, std::move(policy).value());
  Register registration = stage.registration("h1");
  registration.replicas = {RouterHarness::replica("h1", 0)};
  registration.replicas[0].precision = Precision::int8;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, registration);
  stage.receive_samples("h1", 1, RouterHarness::idle_samples(8));
  stage.receive(9, Submit{{serve_job(1)}});
  stage.tick();
  stage.commit();
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  EXPECT_EQ(stage.published<Decision>().back().change, said);
  EXPECT_EQ(stage.published<JobChanged>().back().change, said);

  ASSERT_TRUE(stage.restart());
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(1)));
  ASSERT_TRUE(why.job);
  EXPECT_EQ(why.job->change, said) << "read from the ledger";
}

}  // namespace
}  // namespace drover::router
