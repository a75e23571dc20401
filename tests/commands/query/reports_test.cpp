// What is not known is null in JSON and N/A in tables, never 0. A dash: there is none.
#include "commands/query/reports.h"
#include "commands/query/explanations.h"
#include "commands/query/table_output.h"
#include "fleet/explanation/job_text.h"

#include <gtest/gtest.h>

namespace drover::commands {
namespace {

constexpr Instant asked_at{std::chrono::seconds(100)};

JobChanged job_in(JobState state, WorkKind kind) {
  JobChanged job;
  job.job.id = {1, 2};
  job.job.work.kind = kind;
  job.job.work.model = "m";
  job.submitted = asked_at - std::chrono::seconds(30);
  job.state = state;
  return job;
}

TEST(Reports, AnOpenJobHasNoResultsYet) {
  const Json queued = to_json(job_in(JobState::queued, WorkKind::serve), asked_at);
  for (const char* key : {"target", "pool", "reason", "detail", "progress", "remaining_s",
                          "latency_s", "usage", "outcome", "steps", "devices"}) {
    EXPECT_TRUE(queued.has(key) && queued[key].is_null()) << key << queued.dump();
  }
}

TEST(Reports, OnlyWorkThatReportsProgressShowsProgress) {
  JobChanged request = job_in(JobState::running, WorkKind::serve);
  request.remaining_s = 7;  // what was predicted when it was placed
  EXPECT_TRUE(to_json(request, asked_at)["progress"].is_null());
  EXPECT_TRUE(to_json(request, asked_at)["remaining_s"].is_null());
  EXPECT_EQ(to_table({request}, asked_at).find('%'), std::string::npos);
  JobChanged training = job_in(JobState::running, WorkKind::train);
  EXPECT_TRUE(to_json(training, asked_at)["progress"].is_null());
  training.progress = 0.25;
  EXPECT_EQ(to_json(training, asked_at)["progress"].number(), 0.25);
  EXPECT_NE(to_table({training}, asked_at).find("25%"), std::string::npos);
}

TEST(Reports, TablesDistinguishWhatIsNotKnownFromNone) {
  EXPECT_NE(to_table({job_in(JobState::running, WorkKind::train)}, asked_at).find(" N/A "),
            std::string::npos);
  const std::string request = to_table({job_in(JobState::running, WorkKind::serve)}, asked_at);
  EXPECT_EQ(request.find("N/A"), std::string::npos) << "it makes no progress: " << request;
  EXPECT_TRUE(request.ends_with(" -       -\n")) << "neither target nor reason: " << request;
  Decision decision;
  decision.top.resize(1);
  decision.top[0].estimate.wait_known = false;
  EXPECT_NE(explain(decision).find("  rule -, preferred pool -,"), std::string::npos);
  EXPECT_NE(explain(decision).find("starts in N/A, ends in N/A"), std::string::npos);
}

TEST(Reports, AJobThatEndsBetweenTwoQueriesIsListedOnceAsEnded) {
  const JobChanged open = job_in(JobState::running, WorkKind::serve);
  JobChanged other = open;
  other.job.id = {3, 4};
  const JobChanged ended = job_in(JobState::finished, WorkKind::serve);
  const auto once = once_each({open, other, ended});
  ASSERT_EQ(once.size(), 2U);
  EXPECT_EQ(once[0].job.id, other.job.id);
  EXPECT_EQ(once[1].state, JobState::finished);
}

TEST(Reports, AnEndedJobShowsItsAgeAndDuration) {
  JobChanged job = job_in(JobState::finished, WorkKind::serve);
  job.latency_s = 2;
  const std::string table = to_table({job}, asked_at);
  EXPECT_NE(table.find(" 30s     2.0s "), std::string::npos) << table;
  const Json json = to_json(job, asked_at);
  EXPECT_EQ(json["latency_s"].number(), 2);
  EXPECT_TRUE(json["outcome"]["first_token_s"].is_number());
  EXPECT_TRUE(json["outcome"]["steps"].is_null());
}

TEST(Reports, ATrainingJobShowsWhatIsCheckpointed) {
  struct Case {
    JobState state;
    std::uint32_t saved;
    double lost;
    const char* text;
    std::uint32_t checkpoint_steps = 100;
  };
  const std::vector<Case> cases{
      {JobState::queued, 0, 0, ""},
      {JobState::queued, 400, 37.4, "resumes at step 400 of 1000; 37 steps lost"},
      {JobState::queued, 400, 0, "resumes at step 400 of 1000"},
      {JobState::queued, 0, 50, "no checkpoint yet; 50 steps lost"},
      {JobState::running, 0, 276, "no checkpoint; 276 steps lost", 0},
      {JobState::running, 500, 1, "checkpointed at step 500 of 1000; 1 step lost"},
      {JobState::finished, 900, 37, ""},
      {JobState::cancelled, 900, 37, ""},
  };
  for (const Case& one : cases) {
    JobChanged job = job_in(one.state, WorkKind::train);
    job.job.work.steps = 1000;
    job.job.work.checkpoint_steps = one.checkpoint_steps;
    job.steps_saved = one.saved;
    job.steps_lost = one.lost;
    EXPECT_EQ(checkpoint_text(job), one.text);
    const bool told =
        *one.text == 0 || to_table({job}, asked_at).find(one.text) != std::string::npos;
    EXPECT_TRUE(told && (*one.text == 0 || explain(job).find(one.text) != std::string::npos));
    EXPECT_EQ(to_json(job, asked_at)["steps_saved"].integer(), one.saved);
  }
}

TEST(Reports, ACancelledJobShowsWhoCancelledItAndNoFailure) {
  JobChanged job = job_in(JobState::cancelled, WorkKind::serve);
  job.reason = drover::Reason::cancelled;
  job.detail = "cancelled by ann";
  EXPECT_EQ(to_json(job, asked_at)["state"].text(), "cancelled");
  const std::string table = to_table({job}, asked_at);
  EXPECT_EQ(table.find("cancelled: "), std::string::npos) << table;
  EXPECT_NE(table.find("cancelled by ann"), std::string::npos) << table;
  EXPECT_NE(explain(job).find(", cancelled\n"), std::string::npos) << explain(job);
  EXPECT_TRUE(explain(job).ends_with("\n  cancelled by ann\n")) << explain(job);
}

TEST(Reports, AnEndedJobShowsWhenWhereAndAtWhatCost) {
  JobChanged job = job_in(JobState::finished, WorkKind::serve);
  job.attempt = 1;
  job.target = "h100-1/r0";
  job.latency_s = 12.3;
  job.outcome.run_s = 11.9;
  job.usage = {1, 3400, 0.0012};
  EXPECT_EQ(ending_text(job, false),
            "finished in 12s on h100-1/r0 (waited 400ms), $0.0012, 3.40kJ");
  job.attempt = 2;
  EXPECT_NE(ending_text(job, false).find("(waiting and earlier attempts 400ms)"),
            std::string::npos);
  job.state = JobState::failed;
  EXPECT_EQ(ending_text(job, false), "failed in 12s");
}

TEST(Reports, ClassesShowHowFastTheyBurn) {
  struct Case {
    const char* about;
    double target;
    ClassOutcomes within_5min, within_1h;
    const char* text;
    bool fast;
  };
  for (const Case& c :
       {Case{"much", 2, {80, 25}, {900, 140}, "; burn rate 31 in 5m, 16 in 1h: fast!", true},
        Case{"too few jobs", 2, {9, 9}, {900, 140}, "; burn rate 100 in 5m, 16 in 1h", false},
        Case{"just enough", 2, {10, 10}, {10, 10}, "; burn rate 100 in 5m, 100 in 1h: fast!", true},
        Case{"not any more", 2, {}, {900, 140}, "; burn rate N/A in 5m, 16 in 1h", false},
        Case{"no job lately", 2, {}, {}, "within 2.0s", false},
        Case{"no target", 0, {80, 25}, {900, 140}, "p99 1.0s", false}}) {
    Summary summary;
    summary.classes = {{"chat", ClassMetric::first_token, c.target, 1, {3, 1, 1, 1, 1}}};
    summary.classes[0].short_window = c.within_5min;
    summary.classes[0].long_window = c.within_1h;
    EXPECT_NE(to_table(summary).find(std::string(c.text) + "\n"), std::string::npos)
        << c.about << ": " << to_table(summary);
    const Json json = to_json(summary)["classes"][0];
    EXPECT_EQ(json["burns_fast"].is_null(), c.target == 0) << c.about;
    EXPECT_EQ(json["burns_fast"] == Json(true), c.fast) << c.about;
    EXPECT_EQ(json["burn_5min"].is_null(), c.target == 0 || c.within_5min.judged == 0) << c.about;
  }
}

TEST(Reports, TheThreeBusiestSendersOfUndecodableMessagesAreNamed) {
  Summary summary;
  EXPECT_NE(to_table(summary).find("messages     0 undecodable, 0 sample gaps"), std::string::npos);
  for (std::uint64_t sender = 1; sender <= 60; ++sender) {
    summary.undecodable_by_sender.push_back({"s" + std::to_string(sender), sender});
    summary.undecodable += sender;
  }
  EXPECT_NE(to_table(summary).find(
                "1830 (60 from s60, 59 from s59, 58 from s58, 1653 from 57 others) undecodable"),
            std::string::npos)
      << to_table(summary);
  summary.undecodable_by_sender.resize(4);
  summary.undecodable = 10;
  EXPECT_NE(to_table(summary).find("(4 from s4, 3 from s3, 2 from s2, 1 from 1 other)"),
            std::string::npos);
}

TEST(Reports, ASummaryWithoutResultsHasNoPercentilesAndNoError) {
  Summary summary;
  const Json json = to_json(summary);
  EXPECT_EQ(json["latency_s"]["count"].integer(), 0);
  EXPECT_TRUE(json["latency_s"]["p50"].is_null());
  EXPECT_TRUE(json["estimate_error"].is_null());
  summary.estimate_error = 0.25;
  EXPECT_NE(to_table(summary).find("within a factor of 1.2"), std::string::npos);
}

TEST(Reports, ADeviceRejectedForTwoReasonsIsOneLine) {
  Decision decision;
  decision.rejections = {{"p", "l4", drover::Reason::memory, 1},
                         {"p", "l4", drover::Reason::framework, 1}};
  EXPECT_NE(
      explain(decision).find("    pool p\n      rejected l4: 1 for memory, 1 for framework\n"),
      std::string::npos)
      << explain(decision);
  JobChanged waiting = job_in(JobState::queued, WorkKind::serve);
  waiting.reason = drover::Reason::capacity;
  EXPECT_NE(explain(waiting).find("  waiting for capacity\n"), std::string::npos);
}

TEST(Reports, WhyShowsTheRequeuedAttemptAndWhatTheJobNowAwaits) {
  JobChanged waiting = job_in(JobState::queued, WorkKind::train);
  waiting.reason = drover::Reason::capacity;
  waiting.returned =
      "attempt 1 was requeued at 14:02:10 (preempted: its devices are reserved for 3fa1c2d4)";
  EXPECT_NE(explain(waiting).find("  " + waiting.returned + "\n  waiting for capacity\n"),
            std::string::npos)
      << explain(waiting);
  EXPECT_EQ(to_json(waiting, asked_at)["requeue_reason"].text(), waiting.returned);
}

TEST(Reports, CostsBasedOnAnAssumedPriceNameIt) {
  Decision decision;
  decision.top.resize(1);
  EXPECT_NE(explain(decision).find(", $0.00\n"), std::string::npos) << explain(decision);
  decision.top[0].price = "spot price of the catalogue";
  EXPECT_NE(explain(decision).find(", $0.00 (spot price of the catalogue)\n"), std::string::npos);
}

TEST(Reports, DroppingTheSloInThePreferredPoolShowsNoExtraCost) {
  Decision decision;
  decision.top.resize(1);
  decision.preferred_pool = decision.pool = "h100";
  decision.fallback_reason = drover::Reason::queue_slo;
  decision.change = "slo dropped: best effort";
  EXPECT_EQ(explain(decision).find("no device of the preferred pool can run it"), std::string::npos)
      << explain(decision);
  EXPECT_EQ(explain(decision).find("costs"), std::string::npos) << explain(decision);
  decision.pool = "l4";
  EXPECT_NE(explain(decision).find("no device of the preferred pool can run it"), std::string::npos)
      << explain(decision);
}

TEST(Reports, CandidatesAreLabelledAsOfNowOrOfTheirDecision) {
  WhyReply reply;
  reply.decisions.resize(1);
  reply.decisions[0].number = 7;
  reply.candidates.resize(1);
  reply.candidates[0].target = "fast/g0";
  EXPECT_NE(explain(reply).find("as of now: 1 candidate\n  pool -\n    fast/g0"), std::string::npos)
      << explain(reply);
  reply.candidates_of_decision = 7;
  EXPECT_NE(explain(reply).find("      pool -\n        fast/g0"), std::string::npos)
      << explain(reply);
}

TEST(Reports, WhyStartsWithWhatWouldRunAWaitingJobNow) {
  WhyReply reply;
  reply.job = job_in(JobState::queued, WorkKind::serve);
  reply.nearest.resize(2);
  reply.nearest[0] = {drover::Reason::power_cap, "h1/r0", "fast", 300, "+300W of power"};
  reply.nearest[1].change = "2 devices instead of 4";
  const std::string text = explain(reply);
  EXPECT_TRUE(
      text.starts_with("to run it now: +300W of power on h1/r0 in pool fast (now: power_cap)\n"
                       "           or: 2 devices instead of 4 (now: capacity)\n"
                       "job "))
      << text;
}

TEST(Reports, PoolsWithoutDevicesAreNamed) {
  Decision decision;
  EXPECT_EQ(explain(decision).find("no device"), std::string::npos);
  decision.empty_pools = {"tpu"};
  EXPECT_NE(explain(decision).find("    pool tpu: no device of the fleet is in it\n"),
            std::string::npos);
  decision.empty_pools.emplace_back("l4");
  EXPECT_NE(explain(decision).find("    pool l4: no device of the fleet is in it\n"),
            std::string::npos);
}

}  // namespace
}  // namespace drover::commands
