// Router, agents and clients as real processes over loopback.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

/// A router on ports and a ledger of its own.
class ProcessFleet {
 public:
  explicit ProcessFleet(std::string speed) : speed_(std::move(speed)), endpoint_(free_endpoint()) {}

  bool start_router() {
    router_.reset();
    router_ = std::make_unique<DroverProcess>(
        std::vector<std::string>{"router", "--listen", endpoint_, "--ledger",
                                 folder_.file("ledger.sqlite"), "--speed", speed_});
    return router_->says("router ready");
  }
  DroverProcess& router() { return *router_; }

  std::unique_ptr<DroverProcess> agent(const std::string& name, const std::string& devices,
                                       const std::string& replicas) const {
    return std::make_unique<DroverProcess>(
        std::vector<std::string>{"agent", "--connect", endpoint_, "--name", name, "--devices",
                                 devices, "--replicas", replicas});
  }

  std::vector<std::string> with_connect(std::vector<std::string> words) const {
    words.insert(words.end(), {"--connect", endpoint_});
    return words;
  }
  ProcessResult ask(std::vector<std::string> words) const {
    return run_drover(with_connect(std::move(words)));
  }
  Json status() const { return only_object(ask({"status", "--json"}).out); }

  std::int64_t ready_replicas() const {
    const auto devices = Json::parse(ask({"devices", "--json"}).out);
    std::int64_t count = 0;
    for (std::size_t i = 0; devices && i < devices->size(); ++i) {
      count += (*devices)[i]["models"].size() > 0 ? 1 : 0;
    }
    return count;
  }

  /// A trace with so many rows, so many a second.
  std::string trace(int rows, int per_second) const {
    std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
    for (int i = 0; i < rows; ++i) {
      const int ms = i * 1000 / per_second;
      text += fmt::format("2023-11-16 18:{:02}:{:02}.{:03},{},{}\n", ms / 60'000, ms / 1000 % 60,
                          ms % 1000, 200 + i % 7, 20 + i % 5);
    }
    return folder_.write("trace.csv", text);
  }

 private:
  TestFolder folder_;
  std::string speed_;
  std::string endpoint_;
  std::unique_ptr<DroverProcess> router_;
};

void expect_all_ended(const Json& status, std::int64_t rows) {
  EXPECT_EQ(status["accepted"].integer(), rows) << status.dump();
  EXPECT_EQ(status["finished"].integer() + status["failed"].integer(), rows) << status.dump();
  EXPECT_EQ(status["queued"].integer() + status["running"].integer(), 0) << status.dump();
}

TEST(FleetOfProcesses, RunsAJobAndExplainsIt) {
  ProcessFleet fleet("20");
  ASSERT_TRUE(fleet.start_router()) << fleet.router().err();
  const auto agent = fleet.agent("h-1", "h100-sxm:2", "llama-3.1-8b:0");
  ASSERT_TRUE(eventually([&] { return fleet.ready_replicas() == 1; })) << agent->err();

  const ProcessResult done = fleet.ask({"submit", "--model", "llama-3.1-8b", "--input", "300",
                                        "--output", "30", "--wait", "--json"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const Json job = only_object(done.out);
  EXPECT_EQ(job["state"].text(), "finished") << done.out;
  EXPECT_EQ(job["outcome"]["output_tokens"].integer(), 30);
  EXPECT_GT(job["usage"]["energy_j"].number(), 0);
  EXPECT_FALSE(job.has("status")) << "one state, the last: " << done.out;

  const ProcessResult why = fleet.ask({"why", job["id"].text().substr(0, 10)});
  EXPECT_EQ(why.exit_code, 0) << why.err;
  EXPECT_NE(why.out.find("h-1/r0"), std::string::npos) << why.out;

  const ProcessResult train =
      fleet.ask({"submit", "--kind", "train", "--model", "bert-large", "--steps", "3", "--batch",
                 "8", "--seq-len", "128", "--wait"});
  EXPECT_EQ(train.exit_code, 0) << train.err;
  EXPECT_NE(train.out.find(" finished in "), std::string::npos) << train.out;
  EXPECT_NE(train.out.find(" on h-1/"), std::string::npos) << train.out;
  EXPECT_NE(train.out.find(" (waited "), std::string::npos) << train.out;

  const ProcessResult one = fleet.ask({"jobs", "--ended", "1"});
  EXPECT_NE(one.out.find("1 of 2 ended jobs; --ended N|all for more\n"), std::string::npos)
      << one.out;
  EXPECT_EQ(fleet.ask({"jobs", "--ended", "all"}).out.find("ended job"), std::string::npos);
  const Json said = only_object(fleet.ask({"jobs", "--ended", "1", "--json"}).out);
  EXPECT_EQ(said["jobs"].size(), 1u);
  EXPECT_EQ(said["ended_shown"].integer(), 1);
  EXPECT_EQ(said["ended_kept"].integer(), 2);

  const ProcessResult jobs = fleet.ask({"jobs"});
  EXPECT_NE(jobs.out.find("bert-large"), std::string::npos) << jobs.out;
  const ProcessResult frame = fleet.ask({"frame", "--view", "devices", "--ascii"});
  EXPECT_EQ(frame.exit_code, 0) << frame.err;
  EXPECT_NE(frame.out.find("h-1/0"), std::string::npos) << frame.out;
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ(fleet.ask({"frame"}).out.find('\xe2'), std::string::npos);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_NE(fleet.ask({"frame"}).out.find('\xe2'), std::string::npos);
  fleet.router().signal(SIGTERM);
  EXPECT_EQ(fleet.router().wait().exit_code, 0) << fleet.router().err();
}

TEST(FleetOfProcesses, KnowsAJobThatIsSubmittedTwice) {
  ProcessFleet fleet("20");
  ASSERT_TRUE(fleet.start_router()) << fleet.router().err();
  const std::vector<std::string> words = {
      "submit", "--model", "llama-3.1-8b", "--id", "0123456789abcdef0123456789abcdef", "--json"};
  EXPECT_EQ(only_object(fleet.ask(words).out)["status"].text(), "accepted");
  EXPECT_EQ(only_object(fleet.ask(words).out)["status"].text(), "exists");
  auto other = words;
  other.insert(other.end(), {"--input", "7"});
  const ProcessResult conflict = fleet.ask(other);
  EXPECT_EQ(conflict.exit_code, 1);
  EXPECT_NE(conflict.err.find("conflict"), std::string::npos) << conflict.err;
}

TEST(FleetOfProcesses, GivesTheWorkOfAKilledAgentToAnother) {
  ProcessFleet fleet("20");
  ASSERT_TRUE(fleet.start_router()) << fleet.router().err();
  auto doomed = fleet.agent("h-1", "h100-sxm:1", "llama-3.1-8b:0");
  const auto other = fleet.agent("h-2", "h100-sxm:1", "llama-3.1-8b:0");
  ASSERT_TRUE(eventually([&] { return fleet.ready_replicas() == 2; }));
  const int rows = 400;
  DroverProcess submit(fleet.with_connect(
      {"submit", "--trace", fleet.trace(rows, 5), "--model", "llama-3.1-8b", "--wait", "--json"}));
  ASSERT_TRUE(eventually([&] { return fleet.status()["finished"].integer() > 20; }))
      << submit.err();
  doomed->signal(SIGKILL);
  const ProcessResult ran = submit.wait(seconds(60));
  const Json said = only_object(ran.out);
  EXPECT_EQ(said["accepted"].integer(), rows) << ran.out << ran.err;
  expect_all_ended(fleet.status(), rows);
  EXPECT_GT(fleet.status()["finished"].integer(), rows * 9 / 10) << fleet.status().dump();
}

TEST(FleetOfProcesses, LosesNoAcknowledgedJobWhenTheRouterIsKilled) {
  ProcessFleet fleet("20");
  ASSERT_TRUE(fleet.start_router()) << fleet.router().err();
  const auto agent = fleet.agent("h-1", "h100-sxm:2", "llama-3.1-8b:0,llama-3.1-8b:1");
  ASSERT_TRUE(eventually([&] { return fleet.ready_replicas() == 2; })) << agent->err();
  const int rows = 600;
  DroverProcess submit(fleet.with_connect(
      {"submit", "--trace", fleet.trace(rows, 5), "--model", "llama-3.1-8b", "--json"}));
  std::int64_t acknowledged = 0;
  for (int life = 0; life < 4; ++life) {
    ASSERT_TRUE(eventually([&] { return fleet.status()["accepted"].integer() > acknowledged; }))
        << submit.err();
    acknowledged = fleet.status()["accepted"].integer();
    fleet.router().signal(SIGKILL);
    ASSERT_TRUE(fleet.router().ends());
    ASSERT_TRUE(fleet.start_router()) << fleet.router().err();
    EXPECT_GE(fleet.status()["accepted"].integer(), acknowledged);
  }
  const ProcessResult ran = submit.wait(seconds(60));
  const Json said = only_object(ran.out);
  EXPECT_EQ(said["accepted"].integer() + said["already_known"].integer(), rows)
      << ran.out << ran.err;
  EXPECT_EQ(said["unacknowledged"].integer(), 0);
  EXPECT_TRUE(eventually([&] {
    const Json status = fleet.status();
    return status["finished"].integer() + status["failed"].integer() == rows;
  })) << fleet.status().dump();
  expect_all_ended(fleet.status(), rows);
  EXPECT_EQ(fleet.status()["input_tokens"].number(), said["input_tokens"].number());
}

TEST(FleetOfProcesses, RejectsASecondRouterOnTheSameEndpointOrLedger) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  DroverProcess first({"router", "--listen", endpoint, "--ledger", folder.file("a.sqlite")});
  ASSERT_TRUE(first.says("router ready")) << first.err();
  const ProcessResult same_door =
      run_drover({"router", "--listen", endpoint, "--ledger", folder.file("b.sqlite")});
  EXPECT_EQ(same_door.exit_code, 1);
  EXPECT_NE(same_door.err.find("in use"), std::string::npos) << same_door.err;
  const ProcessResult same_ledger =
      run_drover({"router", "--listen", "tcp://127.0.0.1:0", "--ledger", folder.file("a.sqlite")});
  EXPECT_EQ(same_ledger.exit_code, 1);
  EXPECT_NE(same_ledger.err.find("a.sqlite"), std::string::npos) << same_ledger.err;
  std::filesystem::create_symlink(folder.file("a.sqlite"), folder.file("link.sqlite"));
  const ProcessResult by_link = run_drover(
      {"router", "--listen", "tcp://127.0.0.1:0", "--ledger", folder.file("link.sqlite")});
  EXPECT_EQ(by_link.exit_code, 1);
  EXPECT_NE(by_link.err.find("another router uses it"), std::string::npos) << by_link.err;
}

}  // namespace
}  // namespace drover::commands
