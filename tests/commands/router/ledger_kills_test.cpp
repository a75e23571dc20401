// A router that is killed a hundred times, at the moment an acknowledgement arrives and at every
// stage of a commit: what a client was told stands in the ledger once, and ends once.
#include <csignal>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "commands/connection/session.h"
#include "fleet/codec/journal.h"
#include "router/ledger/store.h"
#include "tests/commands/program.h"
#include "tests/fleet/codec/decode_journal.h"
#include "tests/router/ledger/stored_rows.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Half of the kills come with an acknowledgement, the others in turn at each stage. A sanitized
// router takes five times as long to start, so it dies less often.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kills = 20;
constexpr int lives_least = 1;  // an agent has hardly joined when its router dies again
constexpr int compaction_kills = 3;
#else
constexpr int kills = 100;
constexpr int lives_least = 5;
constexpr int compaction_kills = 12;
#endif
const std::vector<std::string> stages = {"ledger.before_writes", "ledger.before_commit",
                                         "ledger.after_commit", "ledger.after_acknowledgement"};
const std::vector<std::string> compaction_stages = {
    "compaction.before_writes", "compaction.before_commit", "compaction.after_commit"};

Job chat(std::uint64_t number) {
  Job job;
  job.id = {0xC1A7, number};
  job.work.model = "llama-3.1-8b";
  job.work.input_tokens = 64;
  job.work.output_tokens = 8;
  return job;
}

/// Runs for many of the router's lives.
Job training(std::uint64_t number) {
  Job job;
  job.id = {0x7EA1, number};
  job.work.kind = WorkKind::train;
  job.work.model = "bert-large";
  job.work.steps = 4'000;
  job.work.batch = 32;
  job.work.sequence = 512;
  job.work.devices = 1;
  return job;
}

/// A client that notes each job before it sends it, and each answer.
class Client {
 public:
  explicit Client(std::string endpoint) : endpoint_(std::move(endpoint)) {}

  bool connect(seconds patience = seconds(20)) {
    SessionOptions options;
    options.router.endpoint = endpoint_;
    options.timeout = patience;
    auto session = Session::open(options);
    if (session) session_ = std::move(*session);
    return session.ok();
  }

  /// New jobs, all that were never answered, and two that were: one as it was, one changed. To be
  /// called again when that has been answered, or by a new connection.
  void submit(std::vector<Job> fresh) {
    expected_.clear();
    for (Job& job : fresh) made_.emplace(job.id, std::move(job));
    Submit submit;
    for (const auto& [id, job] : made_) {
      if (!acknowledged_.contains(id)) submit.jobs.push_back(job);
    }
    if (acknowledged_.size() > 1) {
      const JobId repeated = *acknowledged_.begin();
      submit.jobs.push_back(made_.at(repeated));
      expected_[repeated] = SubmitStatus::exists;
      const JobId changed = *acknowledged_.rbegin();
      submit.jobs.push_back(made_.at(changed));
      submit.jobs.back().priority += 1;
      expected_[changed] = SubmitStatus::conflict;
    }
    session_->send(std::move(submit));
  }

  /// Whether an answer came within this time; it is noted.
  bool hear(milliseconds longest) {
    bool answered = false;
    for (const auto& [from, envelope] : session_->wait(longest).messages) {
      const auto* reply = std::get_if<SubmitReply>(&envelope.body);
      if (reply == nullptr) continue;
      answered = true;
      for (const SubmitResult& result : reply->results) note(result);
    }
    return answered;
  }

  /// A job that was acknowledged, as it was or changed, is answered like this.
  bool ask_again(const JobId& id, SubmitStatus expected) {
    expected_ = {{id, expected}};
    Job job = made_.at(id);
    if (expected == SubmitStatus::conflict) job.priority += 1;
    return session_->send(Submit{{job}}) && hear(seconds(5));
  }

  Result<Summary> summary() { return session_->ask<Summary>(SummaryRequest{}, seconds(5)); }
  const std::map<JobId, Job>& made() const { return made_; }
  const std::set<JobId>& acknowledged() const { return acknowledged_; }

 private:
  void note(const SubmitResult& result) {
    const auto expected = expected_.find(result.job);
    if (expected != expected_.end()) {
      EXPECT_EQ(result.status, expected->second) << to_text(result.job) << " " << result.detail;
    } else {
      EXPECT_TRUE(result.status == SubmitStatus::accepted || result.status == SubmitStatus::exists)
          << to_text(result.job) << " " << to_text(result.status) << " " << result.detail;
      acknowledged_.insert(result.job);
    }
  }

  std::string endpoint_;
  std::unique_ptr<Session> session_;
  std::map<JobId, Job> made_;
  std::set<JobId> acknowledged_;
  std::map<JobId, SubmitStatus> expected_;  // of jobs acknowledged before they were sent again
};

class KilledRouter : public testing::Test {
 protected:
  void start(const std::string& fail_at) {
    setenv("DROVER_FAIL_AT", fail_at.c_str(), 1);
    router = std::make_unique<DroverProcess>(
        std::vector<std::string>{"router", "--listen", endpoint, "--ledger", ledger, "--speed",
                                 "20", "--retain-ended-jobs", keep_jobs});
    unsetenv("DROVER_FAIL_AT");
    const bool up = router->says("router ready") || !fail_at.empty();
    ASSERT_TRUE(up) << router->err();
  }

  std::vector<Job> fresh_jobs() {
    std::vector<Job> jobs;
    for (int i = 0; i < 4; ++i) jobs.push_back(chat(++chats));
    if (trainings < 4) jobs.push_back(training(++trainings));
    return jobs;
  }

  /// Until samples of the agent are there, or the router has died.
  void await_agent() {
    const auto patience = wall_now() + seconds(30);
    while (wall_now() < patience && !router->ends(seconds(0))) {
      const auto summary = client.summary();
      if (summary && summary->power_w > 0) {
        agent_seen = wall_now();
        return;
      }
      std::this_thread::sleep_for(milliseconds(20));
    }
    ASSERT_TRUE(router->ends(seconds(0))) << "no agent";
  }

  /// One life: work until the kill. `stage` empty: the kill comes with the next acknowledgement.
  void live_and_die(const std::string& stage, int retryable) {
    start(stage.empty() ? "" : fmt::format("{}:{}", stage, retryable));
    if (HasFatalFailure()) return;
    while (!client.connect(seconds(1))) {
      if (router->ends(seconds(0))) return;  // killed by what it wrote of the agent
    }
    // However slow the machine is, leases must not end because no life lasts until the agent joins.
    if (wall_now() - agent_seen > seconds(3)) await_agent();
    if (HasFatalFailure()) return;
    const auto patience = wall_now() + seconds(30);
    bool answered = true;
    while (wall_now() < patience && !router->ends(seconds(0))) {
      if (answered) client.submit(fresh_jobs());
      answered = client.hear(milliseconds(20));
      if (answered && stage.empty()) router->signal(SIGKILL);
    }
    ASSERT_TRUE(router->ends()) << stage << ":" << retryable;
    EXPECT_EQ(router->wait().exit_code, -1) << router->err();
  }

  void answer_all() {
    while (client.acknowledged().size() < client.made().size()) {
      client.submit({});
      ASSERT_TRUE(client.hear(seconds(5)));
    }
  }
  bool all_ended(Summary& summary) {
    const auto answer = client.summary();
    if (answer) summary = *answer;
    return summary.finished + summary.failed == client.made().size();
  }

  TestFolder folder;
  std::string ledger = folder.file("ledger.sqlite");
  std::string journal = folder.file("agent.journal");
  std::string endpoint = free_endpoint();
  std::string keep_jobs = "100000";
  Client client{endpoint};
  std::unique_ptr<DroverProcess> router;
  std::uint64_t chats = 0, trainings = 0;
  WallTime agent_seen{};
};

/// What the ledger says of one job.
struct LedgerJob {
  int accepted = 0, leased = 0, ended = 0;
  int lives = 0;  // of the router, from the first lease to the end
};

struct Told {
  std::map<JobId, LedgerJob> jobs;
  drover::Usage charged;
  std::uint64_t input_tokens = 0;
};

Told read_ledger(const std::string& path) {
  Told told;
  const auto store = router::LedgerStore::open(path);
  EXPECT_TRUE(store) << store.error().message;
  if (!store) return told;
  const auto rows = router::stored_rows(**store);
  EXPECT_TRUE(rows) << rows.error().message;
  for (const LedgerRow& row : rows ? *rows : std::vector<LedgerRow>{}) {
    if (row.transition == Transition::started) {
      for (auto& [id, job] : told.jobs) job.lives += job.leased > 0 && job.ended == 0;
      continue;
    }
    if (row.job.empty() || row.transition == Transition::known) continue;
    LedgerJob& job = told.jobs[row.job];
    job.accepted += row.transition == Transition::accepted;
    job.leased += row.transition == Transition::leased;
    job.ended += row.transition == Transition::finished || row.transition == Transition::failed;
    if (row.transition == Transition::finished) {
      told.charged += std::get<Finished>(decode(row.payload)->body).usage;
    }
    if (row.transition == Transition::accepted) {
      const Job accepted = std::get<Submit>(decode(row.payload)->body).jobs.at(0);
      if (accepted.work.kind != WorkKind::train) told.input_tokens += accepted.work.input_tokens;
    }
  }
  return told;
}

/// How often an agent was told to run each attempt.
std::map<JobId, std::map<std::uint32_t, int>> read_starts(const std::string& bytes) {
  std::map<JobId, std::map<std::uint32_t, int>> starts;
  const auto records = decode_journal(bytes);
  EXPECT_TRUE(records) << records.error().message;
  if (!records) return starts;
  for (const JournalRecord& record : *records) {
    const auto* received = std::get_if<JournalReceive>(&record);
    if (received == nullptr) continue;
    const auto envelope = decode(received->bytes);
    if (!envelope) continue;
    if (const auto* assign = std::get_if<Assign>(&envelope->body)) {
      ++starts[assign->job.id][assign->attempt];
    }
  }
  return starts;
}

TEST_F(KilledRouter, KeepsEachAcknowledgedJobOnceAndEndsItOnce) {
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "h100-sxm:6",
                       "--replicas", "llama-3.1-8b:0,llama-3.1-8b:1", "--journal", journal});
  for (int kill = 0; kill < kills; ++kill) {
    const bool with_answer = kill % 2 == 0;
    const auto stage = static_cast<std::size_t>(kill / 2) % stages.size();
    live_and_die(with_answer ? "" : stages[stage], 2 + kill * 7 % 23);
    if (HasFatalFailure()) return;
  }
  start("");
  ASSERT_TRUE(client.connect());
  answer_all();
  Summary summary;
  ASSERT_TRUE(eventually([&] { return all_ended(summary); }))
      << summary.finished << " + " << summary.failed << " of " << client.made().size()
      << agent.err();
  router->signal(SIGTERM);
  EXPECT_EQ(router->wait().exit_code, 0) << router->err();
  agent.signal(SIGTERM);
  EXPECT_TRUE(agent.ends());

  const Told told = read_ledger(ledger);
  const auto starts = read_starts(folder.read("agent.journal"));
  int lives_outlived = 0;
  for (const auto& [id, made] : client.made()) {
    SCOPED_TRACE(to_text(id));
    ASSERT_TRUE(told.jobs.contains(id)) << "acknowledged and lost";
    const LedgerJob& job = told.jobs.at(id);
    EXPECT_EQ(job.accepted, 1);
    EXPECT_EQ(job.ended, 1);
    ASSERT_TRUE(starts.contains(id));
    EXPECT_EQ(starts.at(id).size(), 1u) << "attempts that reached the agent";
    EXPECT_EQ(starts.at(id).begin()->second, 1);
    lives_outlived = std::max(lives_outlived, job.lives);
  }
  EXPECT_EQ(told.jobs.size(), client.made().size());
  EXPECT_EQ(summary.accepted, client.made().size());
  EXPECT_EQ(summary.failed, 0u);
  EXPECT_GE(lives_outlived, lives_least) << "no attempt ran through several lives of the router";
  EXPECT_EQ(summary.input_tokens, told.input_tokens);
  EXPECT_NEAR(summary.charged.device_s, told.charged.device_s, 1e-6 * told.charged.device_s);
  EXPECT_NEAR(summary.charged.energy_j, told.charged.energy_j, 1e-6 * told.charged.energy_j);
}

TEST_F(KilledRouter, KnowsEveryJobWhileOldOnesAreCompacted) {
  keep_jobs = "8";
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "h100-sxm:6",
                       "--replicas", "llama-3.1-8b:0,llama-3.1-8b:1"});
  for (int kill = 0; kill < compaction_kills; ++kill) {
    const auto stage = static_cast<std::size_t>(kill) % compaction_stages.size();
    live_and_die(compaction_stages[stage], 1 + kill % 4);
    if (HasFatalFailure()) return;
  }
  start("");
  ASSERT_TRUE(client.connect());
  answer_all();
  Summary summary;
  ASSERT_TRUE(eventually([&] { return all_ended(summary); })) << agent.err();
  EXPECT_EQ(summary.accepted, client.made().size());
  EXPECT_EQ(summary.failed, 0u);
  for (const auto& [id, job] : client.made()) {
    for (const SubmitStatus expected : {SubmitStatus::exists, SubmitStatus::conflict}) {
      ASSERT_TRUE(client.ask_again(id, expected));
    }
  }
  router->signal(SIGTERM);
  EXPECT_EQ(router->wait().exit_code, 0) << router->err();
  const auto in_full = read_ledger(ledger).jobs.size();
  EXPECT_LT(in_full, client.made().size() / 2) << "old jobs were not let go";
  EXPECT_GE(in_full, 8u);
}

TEST(FailAt, SaysWhatItExpected) {
  setenv("DROVER_FAIL_AT", "ledger.before_lunch:1", 1);
  const ProcessResult ran = run_drover({"router", "--listen", "tcp://127.0.0.1:0"});
  unsetenv("DROVER_FAIL_AT");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("ledger.before_lunch:1"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("ledger.before_commit"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace drover::commands
