// Draining, cancelling and changing the policy, as people do it, with a router that restarts.
#include <signal.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "router/policy/policy.h"
#include "tests/commands/folder.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

std::string policy_text(int version) {
  std::string text(router::builtin_policy_text());
  const std::string known = "version = 1";
  return text.replace(text.find(known), known.size(), "version = " + std::to_string(version));
}

/// A router on a ledger of its own, and one agent with four H100s and a loaded model.
class ActedOn : public testing::Test {
 protected:
  void SetUp() override {
    start({});
    agent = std::make_unique<DroverProcess>(
        std::vector<std::string>{"agent", "--name", "h1", "--devices", "h100-sxm:4", "--replicas",
                                 "llama-3.1-8b:0", "--connect", endpoint});
    ASSERT_TRUE(joined()) << router->err() << agent->err();
  }
  void start(std::vector<std::string> more) {
    std::vector<std::string> words{"router", "--listen", endpoint, "--ledger",
                                   folder.file("ledger.sqlite")};
    words.insert(words.end(), more.begin(), more.end());
    router = std::make_unique<DroverProcess>(words);
    ASSERT_TRUE(router->says("router ready")) << router->err();
  }
  void restart(std::vector<std::string> more) {
    router->signal(SIGKILL);
    ASSERT_TRUE(router->ends());
    start(std::move(more));
    ASSERT_TRUE(joined()) << router->err();
  }
  bool joined() const {
    return eventually([&] { return devices().find("h1/3") != std::string::npos; });
  }
  ProcessResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--connect", endpoint});
    return run_drover(words);
  }
  std::string devices() const { return run({"devices"}).out; }
  /// The id of a training job that takes hours.
  std::string submit_long_job() const {
    const ProcessResult ran =
        run({"submit", "--kind", "train", "--model", "bert-large", "--steps", "9000000", "--batch",
             "32", "--seq-len", "512", "--devices", "1", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return only_object(ran.out)["id"].text();
  }
  std::string state_of(const std::string& job) const {
    const Json jobs = only_object(run({"jobs", "--json"}).out)["jobs"];
    for (std::size_t index = 0; index < jobs.size(); ++index) {
      if (jobs[index]["id"].text() == job) return jobs[index]["state"].text();
    }
    return "";
  }

  TestFolder folder;
  std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router;
  std::unique_ptr<DroverProcess> agent;
};

TEST_F(ActedOn, ADrainKeepsWorkAwayUntilResumedEvenAcrossARouterRestart) {
  const ProcessResult drained = run({"drain", "host:h1"});
  EXPECT_EQ(drained.exit_code, 0) << drained.err;
  EXPECT_EQ(drained.out, "h1: drained 4 devices, nothing runs there\n");
  EXPECT_NE(devices().find("  drained  "), std::string::npos) << devices();
  restart({});
  EXPECT_NE(devices().find("  drained  "), std::string::npos) << devices();
  const std::string job = submit_long_job();
  EXPECT_EQ(state_of(job), "queued");
  const ProcessResult resumed = run({"resume", "h1/2", "--json"});
  EXPECT_EQ(resumed.out,
            "{\"applied\":true,\"targets\":[\"h1/2\"],\"error\":null,\"summary\":\"h1/2: resumed 1 "
            "device, 1 waiting job is re-evaluated\"}\n");
  EXPECT_TRUE(eventually([&] { return state_of(job) == "running"; }));
  const ProcessResult again = run({"resume", "h1/2"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.err, "drover resume: no device of device:h1/2 is drained\n");
}

TEST_F(ActedOn, ACancelledJobEndsAndAnAlreadyEndedOneIsReported) {
  const std::string job = submit_long_job();
  ASSERT_TRUE(eventually([&] { return state_of(job) == "running"; }));
  const ProcessResult first = run({"cancel", "job:" + job});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(first.out.starts_with(job + " cancelling: attempt 1 on h1/")) << first.out;
  ASSERT_TRUE(eventually([&] { return state_of(job) == "cancelled"; }));
  const ProcessResult again = run({"cancel", job});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, job + " cancelled: it had been cancelled already\n");

  const std::string table = run({"jobs", "--state", "cancelled"}).out;
  EXPECT_NE(table.find("cancelled by " + shown_user() + "\n"), std::string::npos) << table;

  run({"drain", "all"});
  const std::string waiting = submit_long_job();
  const ProcessResult some = run({"cancel", waiting, "ffffffff", "--json"});
  EXPECT_EQ(some.exit_code, 3);
  EXPECT_EQ(some.err, "drover cancel: not cancelled: 1 of 2 jobs\n");
  const Json said = only_object(some.out);
  EXPECT_EQ(said["jobs"][0]["status"].text(), "cancelled");
  EXPECT_EQ(said["jobs"][1]["status"].text(), "unknown");
  const ProcessResult none = run({"cancel", "ffffffff"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.err,
            "drover cancel: no job id begins with \"ffffffff\"; expected a job id (32 digits 0-9 "
            "a-f) or its first digits\n");
  restart({});
  EXPECT_EQ(state_of(waiting), "cancelled");
}

TEST_F(ActedOn, AnAppliedPolicySurvivesARestart) {
  const std::string file = folder.write("new.toml", policy_text(4));
  const ProcessResult applied = run({"policy", "apply", file});
  EXPECT_EQ(applied.exit_code, 0) << applied.err;
  EXPECT_TRUE(applied.out.starts_with("balanced version 4, hash ")) << applied.out;
  const ProcessResult shown = run({"policy", "show"});
  EXPECT_EQ(shown.out, policy_text(4));
  EXPECT_TRUE(shown.err.starts_with("balanced version 4, hash ")) << shown.err;
  std::string text = policy_text(5);
  const std::string known = "seed = 42";
  const std::size_t at = text.find(known);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  const std::string wrong = folder.write("wrong.toml", text.replace(at, known.size(), "sed = 42"));
  const ProcessResult refused = run({"policy", "apply", wrong});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(refused.err.starts_with("drover policy: " + wrong + ":" + std::to_string(line) +
                                      ": policy.sed: "))
      << refused.err;
  const std::string older = folder.write("older.toml", policy_text(3));
  restart({"--policy", older});
  EXPECT_NE(router->err().find("restored the policy balanced version 4 that was applied"),
            std::string::npos)
      << router->err();
  EXPECT_EQ(run({"policy", "show"}).out, policy_text(4));
}

TEST_F(ActedOn, AHangupReloadsThePolicyFile) {
  const std::string file = folder.write("own.toml", policy_text(2));
  restart({"--policy", file});
  folder.write("own.toml", policy_text(3));
  router->signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return run({"policy", "show"}).out == policy_text(3); }));
  const ProcessResult shown = run({"policy", "show", "--json"});
  EXPECT_EQ(only_object(shown.out)["applied_by"].text(), "SIGHUP");
  folder.write("own.toml", "[policy]\nversion = 4\ncolour = 1\n");
  router->signal(SIGHUP);
  EXPECT_EQ(run({"policy", "show"}).out, policy_text(3)) << "and it has not ended";
  router->signal(SIGTERM);
  EXPECT_EQ(router->wait().exit_code, 0);
}

TEST(PolicyVerb, ChecksAFileWithoutARouter) {
  const TestFolder folder;
  const std::string good = folder.write("good.toml", policy_text(2));
  EXPECT_EQ(run_drover({"policy", "check", good}).exit_code, 0);
  const std::string wrong = folder.write("wrong.toml", "[policy]\nversion = \"two\"\n");
  const ProcessResult ran = run_drover({"policy", "check", wrong});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find(wrong + ":2: error: policy.version: "), std::string::npos) << ran.out;
  const ProcessResult json = run_drover({"policy", "check", good, "--json"});
  EXPECT_EQ(run_drover({"policy", "show", "--table"}).exit_code, 2);
  EXPECT_NE(run_drover({"policy", "check", good, "--table"}).out.find("capacity"),
            std::string::npos);
  EXPECT_EQ(json.out, "{\"findings\":[]}\n");
  const std::string large = folder.write("large.toml", std::string(256 * 1024 + 1, '#'));
  EXPECT_EQ(run_drover({"policy", "check", large}).exit_code, 1);
}

TEST(DrainCancelPolicyVerbs, RejectBadArgumentsBeforeContactingTheRouter) {
  struct Case {
    std::vector<std::string> words;
    std::string said;
  };
  const Case cases[] = {
      {{"drain"}, "drover drain: TARGET is required; usage: drover drain TARGET [options]\n"},
      {{"drain", "moon"},
       "drover drain: target \"moon\": expected device:HOST/N, host:HOST, rack:RACK, pool:POOL or "
       "site\n"},
      {{"drain", "all", "--deadline", "soon"}, "drover drain: --deadline"},
      {{"resume"}, "drover resume: TARGET is required; usage: drover resume TARGET [options]\n"},
      {{"resume", "job:12"}, "drover resume: target \"job:12\": expected device:HOST/N"},
      {{"cancel"}, "drover cancel: JOB is required; usage: drover cancel JOB... [options]\n"},
      {{"cancel", "host:h1"},
       "drover cancel: found \"host:h1\", expected job:ID, or an id (32 digits 0-9 a-f) or its "
       "first "
       "digits\n"},
      {{"policy"}, "drover policy: usage: drover policy check FILE | show | apply FILE\n"},
      {{"policy", "aply", "x"}, "drover policy: unknown action 'aply'; did you mean apply?\n"},
      {{"policy", "apply"}, "drover policy: apply: FILE is required\n"},
      {{"policy", "show", "x"}, "drover policy: unexpected argument 'x'\n"},
  };
  for (const Case& each : cases) {
    const ProcessResult ran = run_drover(each.words);
    EXPECT_EQ(ran.exit_code, 2) << each.said;
    EXPECT_EQ(ran.err.substr(0, each.said.size()), each.said);
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace
}  // namespace drover::commands
