// Agents that end gracefully, that share a name, and unknown peers at the router's doors: real
// processes.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "fleet/socket/socket.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

/// A router at the pace of the wall, and agents of it.
class AgentChurn : public testing::Test {
 protected:
  void SetUp() override {
    router = std::make_unique<DroverProcess>(std::vector<std::string>{
        "router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite")});
    ASSERT_TRUE(router->says("router ready")) << router->err();
  }
  std::unique_ptr<DroverProcess> agent(const std::string& name,
                                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"agent",     "--connect",  endpoint,     "--name",        name,
                                   "--devices", "h100-sxm:1", "--replicas", "llama-3.1-8b:0"};
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<DroverProcess>(words);
  }
  bool shows(const std::string& health) const {
    const auto all = Json::parse(run_drover({"devices", "--json", "--connect", endpoint}).out);
    return all && all->size() == 1 && (*all)[0]["health"].text() == health;
  }
  Json status() const {
    return only_object(run_drover({"status", "--json", "--connect", endpoint}).out);
  }
  Json jobs() const {
    const auto all = Json::parse(run_drover({"jobs", "--json", "--connect", endpoint}).out);
    return all ? (*all)["jobs"] : Json();
  }
  /// Whether the one job runs there.
  bool runs_on(const std::string& target) const {
    const Json all = jobs();
    return all.size() == 1 && all[0]["state"].text() == "running" &&
           all[0]["target"].text() == target;
  }
  /// Long enough to outlive the test.
  ProcessResult submit() const {
    return run_drover({"submit", "--connect", endpoint, "--model", "llama-3.1-8b", "--kind",
                       "batch", "--items", "100000", "--input", "500", "--output", "200"});
  }

  TestFolder folder;
  const std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router;
};

TEST_F(AgentChurn, AnAgentReturnsItsWorkAtOnceOnSigterm) {
  const auto first = agent("h-1");
  ASSERT_TRUE(eventually([&] { return status()["undecodable"].integer() == 0; }));
  EXPECT_TRUE(eventually([&] {
    return first->err().find("connected to " + endpoint + " as h-1") != std::string::npos;
  })) << first->err();
  const ProcessResult submitted = submit();
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  ASSERT_TRUE(eventually([&] { return runs_on("h-1/r0"); })) << jobs().dump();
  const auto second = agent("h-2");
  ASSERT_TRUE(eventually([&] {
    return Json::parse(run_drover({"devices", "--json", "--connect", endpoint}).out)->size() == 2;
  }));
  const auto told = std::chrono::steady_clock::now();
  first->signal(SIGTERM);
  EXPECT_EQ(first->wait().exit_code, 0) << first->err();
  EXPECT_LT(std::chrono::steady_clock::now() - told, seconds(3));
  // A host that only falls silent is suspect after 3 s, and lost after 12 s.
  EXPECT_TRUE(eventually([&] { return runs_on("h-2/r0"); }, seconds(9))) << jobs().dump();
  EXPECT_EQ(jobs()[0]["attempt"].integer(), 2);
  EXPECT_GT(status()["wasted"]["device_s"].number(), 0);
}

TEST_F(AgentChurn, ASecondAgentWithTheSameNameOnThisMachineIsRejected) {
  const auto first = agent("h-1");
  ASSERT_TRUE(eventually([&] {
    return Json::parse(run_drover({"devices", "--json", "--connect", endpoint}).out)->size() == 1;
  }));
  const auto second = agent("h-1");
  const ProcessResult refused = second->wait(seconds(20));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--name"), std::string::npos) << refused.err;
  EXPECT_FALSE(first->ends(seconds(0))) << first->err();
}

TEST_F(AgentChurn, AnAgentCanRestartAtOnceHoweverItEnded) {
  for (const int ending : {SIGKILL, SIGTERM}) {
    auto first = agent("h-1");
    ASSERT_TRUE(eventually([&] {
      return Json::parse(run_drover({"devices", "--json", "--connect", endpoint}).out)->size() == 1;
    }));
    first->signal(ending);
    const auto again = agent("h-1");
    first->wait();
    ASSERT_EQ(submit().exit_code, 0);
    EXPECT_TRUE(eventually([&] { return status()["running"].integer() > 0; })) << again->err();
    EXPECT_FALSE(again->ends(seconds(0))) << again->err();
  }
}

TEST_F(AgentChurn, AnAgentEndsWhenANewerOneWithItsNameJoinsFromElsewhere) {
  const auto older = agent("h-1");
  ASSERT_TRUE(eventually([&] {
    return Json::parse(run_drover({"devices", "--json", "--connect", endpoint}).out)->size() == 1;
  }));
  Sockets elsewhere;
  ASSERT_TRUE(elsewhere.connect_control(endpoint));
  Register registration;
  registration.host = "h-1";
  registration.incarnation = {7, 7};
  registration.specs.push_back({"l4", devices::Catalogue::embedded().device("l4").value()->text});
  registration.groups.push_back({0, 0, 1, "l4", "", 0});
  elsewhere.send(router_peer, encode({"h-1", 1, {}, Join{Role::agent, "h-1", "test"}}));
  elsewhere.send(router_peer, encode({"h-1", 2, {}, registration}));
  const ProcessResult ended = older->wait();
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_NE(ended.err.find("another agent named h-1"), std::string::npos) << ended.err;
}

TEST_F(AgentChurn, AnAgentOfRealDevicesWaitsForAnEarlierOneThatLeaves) {
  const std::vector<std::string> words{"agent", "--real", "--connect", endpoint, "--name", "h-1"};
  DroverProcess earlier(words);
  // It speaks of its devices, or that there are none, once it has the name.
  ASSERT_TRUE(earlier.says("drover agent: ")) << earlier.err();
  DroverProcess later(words);
  ASSERT_TRUE(later.says("another agent named h-1 runs on this machine; waiting")) << later.err();
  earlier.signal(SIGTERM);
  ASSERT_TRUE(earlier.ends());
  EXPECT_FALSE(later.ends(seconds(4))) << "longer than it waits: " << later.err();
}

TEST_F(AgentChurn, AnInjectedHostLossDoesNotTriggerTheAgentsSilenceExit) {
  const auto lonely = agent("h-1", {"--exit-after-silence", "3s"});
  ASSERT_TRUE(eventually([&] { return shows("ok"); })) << lonely->err();
  const ProcessResult lost =
      run_drover({"inject", "host:h-1", "lose", "--for", "7s", "--connect", endpoint});
  ASSERT_EQ(lost.exit_code, 0) << lost.err;
  ASSERT_TRUE(eventually([&] { return shows("suspect"); }));
  EXPECT_TRUE(eventually([&] { return shows("ok"); })) << "the fault's end is its next life";
  EXPECT_FALSE(lonely->ends(seconds(0))) << lonely->err();
}

TEST_F(AgentChurn, AnAgentThatCannotWriteItsStateKeepsWorking) {
  router.reset();
  const std::string state = folder.file("state");
  const auto only = agent("h-1", {"--state", state});
  ASSERT_TRUE(eventually([&] { return folder.read("state") == "waiting\n"; })) << only->err();
  // As good as a full disk: the file's next life cannot be written.
  std::filesystem::remove(state);
  std::filesystem::create_directory(state);
  SetUp();
  EXPECT_TRUE(eventually([&] { return shows("ok"); })) << only->err();
  EXPECT_FALSE(only->ends(seconds(0))) << only->err();
  EXPECT_TRUE(only->says("state: Is a directory")) << only->err();
}

TEST_F(AgentChurn, InvalidMessagesAreShownBySender) {
  Sockets stranger;
  ASSERT_TRUE(stranger.connect_control(endpoint));
  for (int number = 0; number < 100; ++number) stranger.send(router_peer, "rubbish");
  ASSERT_TRUE(eventually([&] { return status()["undecodable"].integer() == 100; }))
      << status().dump();
  const Json senders = status()["undecodable_by"];
  EXPECT_NE(senders.dump().find(" from 127.0.0.1\":100"), std::string::npos) << senders.dump();
  const ProcessResult people = run_drover({"status", "--connect", endpoint});
  EXPECT_NE(people.out.find("from 127.0.0.1"), std::string::npos) << people.out;
}

}  // namespace
}  // namespace drover::commands
