#include "router/policy/work_class.h"

#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "router/jobs/accounting.h"
#include "router/lint/policy_file.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

constexpr const char* classes = R"([network.data_set.images]
at = "here"
size = "1GB"
[class.chat]
when = { kind = "inference", model_family = "llama*", prompt_tokens = "<=1000" }
stage = "production"
metric = "ttft"
target = "500ms"
[[class.chat.mix]]
input = 500
output = 100
[class.named]
stage = "experiment"
framework = "jax"
versions = { cuda = "12.4" }
[class.vision]
when = { kind = "training" }
data = "images"
metric = "usd_per_kstep"
target = 3
[pool.any]
match = {}
[capability.any]
frameworks = ["pytorch", "jax"]
versions = { cuda = ">=11.8, <12.6", pytorch = ">=2" }
dynamic_shapes = false
max_context = 4000
[[rule]]
name = "production"
when = { stage = "production" }
pools = ["any"]
[[rule]]
name = "by-class"
when = { class = ["named", "vision"] }
pools = ["any"]
[[rule]]
name = "rest"
pools = ["any"]
)";

struct Classes : DecisionFixture {
  HostIndex host = add_host("h", "h100-sxm", 8);
  Classes() : DecisionFixture(classes) { add_replica(host, 0, "llama-3.1-8b", {0}); }
};

/// A router whose policy has a class with a target, and what it reports of it.
struct ClassStage : RouterHarness {
  explicit ClassStage(double target_s = 100)
      : RouterHarness(
            {}, *parse_policy(fmt::format("[pool.all]\nmatch = {{ kind = \"gpu\" }}\n[class.chat]\n"
                                          "metric = \"ttft\"\ntarget = {}\n"
                                          "[[rule]]\nname = \"r\"\npools = [\"all\"]\n",
                                          target_s),
                              "t.toml")) {}
  void finish(std::uint64_t number) {
    Job job = serve_job(number);
    job.work_class = "chat";
    receive(9, Submit{{job}});
    tick();
    commit();
    receive(1, finished_of(told<Assign>(1).back()));
    live(2, {{1, "h1"}});
  }
  ClassReport report() { return router->summary(now).classes.at(0); }
};

TEST(WorkClassCounts, ContinueAfterARouterRestart) {
  ClassStage stage;
  stage.add_host(1, "h1");
  stage.finish(1);
  stage.finish(2);
  const ClassReport before = stage.report();
  ASSERT_EQ(before.met, 2U);
  ASSERT_EQ(before.values.count, 2U);
  ASSERT_TRUE(stage.restart());
  ASSERT_FALSE(before.buckets.empty());
  ASSERT_EQ(before.long_window.judged, 2U);
  ClassReport kept = before;
  kept.short_window = kept.long_window = {};  // nobody knows what has ended while it was away
  EXPECT_EQ(stage.report(), kept) << "as it was shown last";
  stage.add_host(1, "h1");
  stage.finish(3);
  EXPECT_EQ(stage.report().met, 3U);
  const ClassReport after = stage.report();
  EXPECT_EQ(after.values.count, 3U);
  EXPECT_EQ(std::accumulate(after.buckets.begin(), after.buckets.end(), std::uint64_t{0}), 3U)
      << "the buckets add up to the count";
  EXPECT_EQ(after.long_window.judged, 1U);
}

TEST(WorkClassAlert, IsRaisedWhenTenJobsWereJudgedAndTooManyOfThemMissed) {
  for (const double target_s : {100.0, 0.001}) {
    ClassStage stage(target_s);
    stage.add_host(1, "h1");
    const auto raised = [&] {
      std::vector<std::string> texts;
      for (const Alert& alert : stage.published<Alert>()) {
        if (alert.rule == "slo_burn") texts.push_back(alert.subject + ": " + alert.text);
      }
      return texts;
    };
    for (std::uint64_t job = 1; job < 10; ++job) stage.finish(job);
    EXPECT_TRUE(raised().empty()) << "of nine jobs nothing can be said";
    stage.finish(10);
    stage.live(2, {{1, "h1"}});
    if (target_s == 100) {
      EXPECT_TRUE(raised().empty()) << "none missed";
    } else {
      ASSERT_FALSE(raised().empty());
      EXPECT_EQ(raised().front(),
                "class:chat: 100% of 10 jobs missed the target in 5 min, 100% of 10 jobs in 1 h");
    }
  }
}

TEST(WorkClass, AJobBelongsToTheClassItNamesOrTheFirstThatMatches) {
  Classes fleet;
  Job job = fleet.request();
  EXPECT_EQ(fleet.decide(job).decision.work_class, "chat");
  EXPECT_EQ(fleet.decide(job).decision.rule, "production") << "by its class's stage";
  job.stage = "experiment";
  EXPECT_EQ(fleet.decide(job).decision.rule, "rest") << "what it says itself counts";
  job.work_class = "named";
  EXPECT_EQ(fleet.decide(job).decision.rule, "by-class");
  job.work_class = "unheard-of";
  EXPECT_EQ(fleet.decide(job).decision.work_class, "");
  Job longer = fleet.request();
  longer.work.input_tokens = 1001;
  EXPECT_EQ(fleet.decide(longer).decision.work_class, "");
}

TEST(WorkClass, SuppliesWhatItsJobsLeaveUnset) {
  Classes fleet;
  Job job = fleet.request();
  job.work_class = "named";
  EXPECT_EQ(fleet.decide(job).decision.action, Action::assign) << "cuda 12.4";
  fleet.policy.classes[1].versions["cuda"] = "12.7";
  EXPECT_EQ(fleet.decide(job).decision.fallback_reason, Reason::framework);
  job.work.versions = {{"cuda", "12.2"}};
  EXPECT_EQ(fleet.decide(job).decision.action, Action::assign) << "what it says itself counts";
}

TEST(WorkClass, CapabilitiesAreCheckedAgainstVersionsShapesAndContext) {
  struct Case {
    void (*change)(Job&);
    std::optional<Reason> reason;
  };
  for (const Case& row :
       {Case{[](Job&) {}, std::nullopt},
        {[](Job& job) {
           job.work.versions = {{"pytorch", "1.13"}};
         },
         Reason::framework},
        {[](Job& job) {
           job.work.versions = {{"numpy", "1.13"}};
         },
         std::nullopt},
        {[](Job& job) { job.work.ops = {"dynamic_shape"}; }, Reason::op_unsupported},
        {[](Job& job) { job.work.input_tokens = 4001; }, Reason::context}}) {
    Classes fleet;
    Job job = fleet.request();
    row.change(job);
    EXPECT_EQ(fleet.decide(job).decision.fallback_reason, row.reason);
  }
}

TEST(WorkClass, MetricsAreInTheirUnits) {
  Job train;
  train.work.kind = WorkKind::train;
  Outcome trained;
  trained.steps = 500;
  trained.run_s = 100;
  const Usage usage{800, 1'000'000, 2};
  EXPECT_EQ(metric_of(ClassMetric::training_time, train, usage, trained, 130), 130);
  EXPECT_EQ(metric_of(ClassMetric::cost_per_unit, train, usage, trained, 130), 4) << "1,000 steps";
  EXPECT_EQ(metric_of(ClassMetric::energy_per_unit, train, usage, trained, 130), 2000);
  EXPECT_EQ(metric_of(ClassMetric::first_token, train, usage, trained, 130), std::nullopt);
  const Job chat;
  Outcome served;
  served.input_tokens = 900;
  served.output_tokens = 101;
  served.first_token_s = 0.25;
  served.run_s = 2.25;
  const Usage little{2, 1001, 0.001001};
  EXPECT_EQ(metric_of(ClassMetric::first_token, chat, little, served, 3.25), 1.25)
      << "a second of waiting included";
  EXPECT_DOUBLE_EQ(*metric_of(ClassMetric::per_token, chat, little, served, 3.25), 0.02);
  EXPECT_DOUBLE_EQ(*metric_of(ClassMetric::cost_per_unit, chat, little, served, 3.25), 1);
  EXPECT_DOUBLE_EQ(*metric_of(ClassMetric::energy_per_unit, chat, little, served, 3.25), 1);
  EXPECT_EQ(metric_of(ClassMetric::none, chat, little, served, 3.25), std::nullopt);
}

TEST(WorkClass, TrainingInFp16RequiresLossScalingOrVerification) {
  DecisionFixture fleet(
      "[pool.any]\nmatch = {}\n[[rule]]\nname = \"r\"\n"
      "require = { precision = [\"bf16\", \"fp16\"] }\npools = [\"any\"]\n");
  fleet.add_host("old", "v100-sxm2-16gb", 8);  // knows no bf16
  Job job = fleet.training(1, "resnet-50");
  job.work.sequence = 1;
  EXPECT_EQ(fleet.decide(job).decision.fallback_reason, Reason::precision);
  Job scaled = job;
  scaled.work.loss_scaling = true;
  EXPECT_EQ(fleet.decide(scaled).decision.action, Action::assign);
  Job verified = job;
  verified.work.precisions = {Precision::fp16};
  EXPECT_EQ(fleet.decide(verified).decision.action, Action::assign);
}

TEST(WorkClass, IsReportedInPolicyOrderFromTheStartAndResetByANewTarget) {
  WorkClass zeta, alpha, unmeasured;
  zeta.name = "zeta";
  alpha.name = "alpha";
  unmeasured.name = "unmeasured";
  zeta.metric = ClassMetric::first_token;
  zeta.target = 2;
  alpha.metric = ClassMetric::training_time;
  Accounting accounting{Instant{}};
  const std::vector<ClassReport> none_yet = {{"zeta", ClassMetric::first_token, 2, 0, {}},
                                             {"alpha", ClassMetric::training_time, 0, 0, {}}};
  EXPECT_EQ(accounting.reports_of({zeta, unmeasured, alpha}), none_yet);
  accounting.finished_in({}, zeta, 1);
  accounting.finished_in({}, zeta, 3);
  const std::vector<ClassReport> counted = accounting.reports_of({zeta, alpha});
  EXPECT_EQ(counted[0].values.count, 2u);
  EXPECT_EQ(counted[0].met, 1u);
  EXPECT_EQ(counted[1].values.count, 0u);
  WorkClass stricter = zeta;
  stricter.target = 1;
  EXPECT_EQ(accounting.reports_of({stricter})[0],
            (ClassReport{"zeta", ClassMetric::first_token, 1, 0, {}}));
  EXPECT_TRUE(accounting.reports_of({}).empty()) << "the policy knows it no more";
}

}  // namespace
}  // namespace drover::router
