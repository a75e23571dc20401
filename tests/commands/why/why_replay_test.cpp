// `drover why --replay`: the decisions of a real router, made again from its journal.
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commands/shell/journal_file.h"
#include "commands/why/journal_replay.h"
#include "fleet/codec/codec.h"
#include "tests/commands/program.h"
#include "tests/fleet/codec/decode_journal.h"

namespace drover::commands {
namespace {

/// What stands before the lines on the replay itself, which begin with a moment.
std::string answer_of(const std::string& text) {
  return text.substr(0, text.find("\nas of 20") + 1);
}

class WhyReplay : public testing::Test {
 protected:
  void SetUp() override {
    start();
    agent = std::make_unique<DroverProcess>(
        std::vector<std::string>{"agent", "--connect", endpoint, "--name", "h-1", "--devices",
                                 "h100-sxm:2", "--replicas", "llama-3.1-8b:0"});
    // The first decision has candidates.
    ASSERT_TRUE(eventually([&] {
      const ProcessResult devices = run_drover({"devices", "--connect", endpoint});
      return devices.out.find("h-1/0") != std::string::npos;
    })) << agent->err();
    serves = submit({"--model", "llama-3.1-8b", "--input", "100", "--output", "20", "--wait"});
    ASSERT_EQ(serves.size(), 32u) << agent->err();
    waits = submit({"--kind", "train", "--model", "bert-large", "--devices", "16", "--batch", "64",
                    "--seq-len", "128"});
    ASSERT_EQ(waits.size(), 32u);
    ASSERT_TRUE(eventually([&] { return ask({waits}).exit_code == 0; }));
  }
  void start() {
    router = std::make_unique<DroverProcess>(std::vector<std::string>{
        "router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite"), "--speed", "20",
        "--journal", journal});
    ASSERT_TRUE(router->says("router ready")) << router->err();
  }
  /// Answers the job's id.
  std::string submit(std::vector<std::string> words) const {
    words.insert(words.begin(), {"submit", "--connect", endpoint});
    return run_drover(words).out.substr(0, 32);
  }
  ProcessResult ask(std::vector<std::string> words) const {
    words.insert(words.begin(), "why");
    words.insert(words.end(), {"--connect", endpoint});
    return run_drover(words);
  }
  ProcessResult again(std::vector<std::string> words) const {
    words.insert(words.begin(), {"why", "--replay", journal});
    return run_drover(words);
  }

  TestFolder folder;
  std::string journal = folder.file("router.journal");
  std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router, agent;
  std::string serves, waits;
};

TEST_F(WhyReplay, AnswersAsTheRouterDidAndReportsAnExactMatch) {
  for (const std::string& job : {serves, waits}) {
    const ProcessResult live = ask({job});
    ASSERT_EQ(live.exit_code, 0) << live.err;
    const ProcessResult replayed = again({job});
    ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
    EXPECT_EQ(answer_of(replayed.out), live.out);
    EXPECT_NE(replayed.out.find("of 1 router run;"), std::string::npos) << replayed.out;
    EXPECT_NE(replayed.out.find("bit for bit"), std::string::npos) << replayed.out;
  }
}

TEST_F(WhyReplay, GivesTheCandidatesOfEachDecisionAsJson) {
  const ProcessResult replayed = again({serves, "--json"});
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  for (const char* part : {"\"candidates_by_decision\":{\"1\":[{", "\"router_runs\":1", "h-1/r0"}) {
    EXPECT_NE(replayed.out.find(part), std::string::npos) << part << "\n" << replayed.out;
  }
}

TEST_F(WhyReplay, ContinuesAcrossARouterKill) {
  router->signal(SIGKILL);
  ASSERT_TRUE(router->ends());
  std::ofstream(journal, std::ios::app | std::ios::binary) << "torn";
  start();
  ASSERT_TRUE(eventually([&] { return ask({waits}).exit_code == 0; }));
  const ProcessResult replayed = again({waits});
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_NE(replayed.out.find("of 2 router runs;"), std::string::npos) << replayed.out;

  // A life that ended before its first turn knows what its ledger says.
  const auto records = decode_journal(folder.read("router.journal"));
  ASSERT_TRUE(records) << records.error().message;
  JournalReplay replay(devices::Catalogue::embedded());
  for (const JournalRecord& record : *records) {
    ASSERT_TRUE(replay.feed(record));
    if (replay.counts().router_runs == 2 && std::holds_alternative<JournalRestore>(record)) break;
  }
  ASSERT_TRUE(replay.settle());
  const WhyReply reply = replay.router()->why(replay.now(), waits);
  ASSERT_TRUE(reply.job) << reply.problem;
  EXPECT_EQ(reply.job->state, JobState::queued);
}

TEST_F(WhyReplay, LooksAtAnEarlierMoment) {
  const ProcessResult before = again({serves, "--at", "0s"});
  EXPECT_EQ(before.exit_code, 1);
  EXPECT_NE(before.err.find("no job id begins with"), std::string::npos) << before.err;
  const ProcessResult late = again({serves, "--at", "500h"});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_NE(late.err.find("the journal covers"), std::string::npos) << late.err;
}

TEST_F(WhyReplay, RefusesAnAlteredJournal) {
  router->signal(SIGTERM);
  ASSERT_TRUE(router->ends());
  const auto records = decode_journal(folder.read("router.journal"));
  ASSERT_TRUE(records) << records.error().message;
  std::string changed;
  for (const JournalRecord& record : *records) {
    const auto* receive = std::get_if<JournalReceive>(&record);
    const auto envelope = receive ? decode(receive->bytes) : Result<Envelope>(Envelope{});
    const bool submitted = envelope && std::holds_alternative<Submit>(envelope->body);
    if (!submitted) changed += encode_record(record);
  }
  std::ofstream(journal, std::ios::binary | std::ios::trunc) << changed;
  const ProcessResult replayed = again({serves});
  EXPECT_EQ(replayed.exit_code, 1);
  EXPECT_NE(replayed.err.find("a replay needs the same version of drover"), std::string::npos)
      << replayed.err;
}

TEST(WhyReplayOptions, ThatAreInvalidAreReported) {
  TestFolder folder;
  const std::string text = folder.write("text", "policy = 1\n and more than eight bytes");
  const std::string agents = folder.write("agents", encode_record(JournalStart{"agent", "{}"}));
  const struct {
    std::vector<std::string> words;
    int exit_code;
    const char* says;
  } cases[] = {
      {{"--replay", text}, 1, "not a journal"},
      {{"--replay", folder.file("none")}, 1, "none: No such file"},
      {{"--replay", agents}, 1, "the journal of an agent, expected a router's"},
      {{"--replay", text, "--connect", "tcp://127.0.0.1:1"}, 2, "use one"},
      {{"--replay", text, "--at", "soon"}, 2, "--at"},
      {{"--at", "3s"}, 2, "--at works only with --replay"},
  };
  for (const auto& each : cases) {
    std::vector<std::string> words = each.words;
    words.insert(words.begin(), "why");
    const ProcessResult ran = run_drover(words);
    EXPECT_EQ(ran.exit_code, each.exit_code) << each.says;
    EXPECT_NE(ran.err.find(each.says), std::string::npos) << ran.err;
  }
}

TEST(JournalWriter, KeepsRecordsOfEarlierRunsAndTruncatesATornOne) {
  TestFolder folder;
  const std::string path = folder.file("journal");
  const std::string first = encode_record(JournalStart{"router", "1"});
  folder.write("journal", first + encode_record(JournalTick{}).substr(0, 10));
  auto file = JournalWriter::open(path);
  ASSERT_TRUE(file) << file.error().message;
  file->write(JournalStart{"router", "2"});
  ASSERT_TRUE(file->flush());
  EXPECT_EQ(folder.read("journal"), first + encode_record(JournalStart{"router", "2"}));
}

TEST(JournalWriter, RefusesAFileThatIsNotAJournal) {
  TestFolder folder;
  const std::string path = folder.write("notes", "what I must not lose");
  const auto file = JournalWriter::open(path);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("not a journal"), std::string::npos);
  EXPECT_EQ(folder.read("notes"), "what I must not lose");
}

}  // namespace
}  // namespace drover::commands
