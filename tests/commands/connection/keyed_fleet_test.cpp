// An encrypted fleet of real processes.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "tests/commands/connection/key_folder.h"
#include "tests/commands/dashboard/screen.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

/// A router with keys, and people with keys of it.
struct KeyedFleet : KeyFolder {
  const std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router;

  void SetUp() override {
    ASSERT_TRUE(make_key(folder, "router", KeyRole::router));
    key("eve", KeyRole::view);
    key("sue", KeyRole::submit);
    key("ada", KeyRole::admin);
    router = std::make_unique<DroverProcess>(
        std::vector<std::string>{"router", "--listen", endpoint, "--ledger",
                                 parent.file("ledger.sqlite"), "--keys", folder});
    ASSERT_TRUE(router->says("router ready")) << router->err();
  }
  void key(const std::string& name, KeyRole role, bool allowed = true) {
    ASSERT_TRUE(make_key(folder, name, role));
    if (allowed) {
      ASSERT_TRUE(allow_key(folder, name));
    }
  }
  ProcessResult as(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.end(), {"--connect", endpoint, "--keys", folder, "--key", name});
    return run_drover(words);
  }
  std::unique_ptr<DroverProcess> agent(const std::string& name, const std::string& key) const {
    return std::make_unique<DroverProcess>(std::vector<std::string>{
        "agent", "--connect", endpoint, "--name", name, "--devices", "h100-sxm:1", "--replicas",
        "llama-3.1-8b:0", "--keys", folder, "--key", key});
  }
  std::size_t devices() const {
    const auto all = Json::parse(as("eve", {"devices", "--json"}).out);
    return all ? all->size() : 0;
  }
  std::uint64_t undecodable() const {
    const Json status = only_object(as("eve", {"status", "--json"}).out);
    return static_cast<std::uint64_t>(status["undecodable"].integer());
  }
};

const std::vector<std::string> one_job = {"submit", "--model", "llama-3.1-8b"};

TEST_F(KeyedFleet, EachRoleDoesItsPartAndNoMore) {
  key("h-1", KeyRole::agent);
  const auto host = agent("h-1", "h-1");
  ASSERT_TRUE(eventually([&] { return devices() == 1; })) << host->err();
  EXPECT_EQ(as("sue", one_job).exit_code, 0);
  EXPECT_EQ(as("ada", one_job).exit_code, 0);
  const ProcessResult refused = as("eve", one_job);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("the key eve (role view) may not send Submit"), std::string::npos)
      << refused.err;
  const ProcessResult watching = as("sue", {"frame"});
  EXPECT_EQ(watching.exit_code, 1);
  EXPECT_NE(watching.err.find("view or admin"), std::string::npos) << watching.err;
  EXPECT_EQ(as("eve", {"frame"}).exit_code, 0);
  EXPECT_EQ(as("h-1", {"status"}).exit_code, 1);
  EXPECT_GE(undecodable(), 3U);
}

TEST_F(KeyedFleet, AnAgentWithAnotherHostsNameIsRejectedAndNotified) {
  key("h-1", KeyRole::agent);
  const ProcessResult turned = agent("h-2", "h-1")->wait();
  EXPECT_EQ(turned.exit_code, 1);
  EXPECT_NE(turned.err.find("may not act for host h-2, only for h-1"), std::string::npos)
      << turned.err;
  EXPECT_EQ(devices(), 0U);
  EXPECT_GE(undecodable(), 1U);
}

TEST_F(KeyedFleet, EachMismatchIsReportedInOneClearLine) {
  const auto line = [](const ProcessResult& ran, const std::string& text) {
    EXPECT_EQ(ran.exit_code, 1) << ran.out;
    EXPECT_NE(ran.err.find(text), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  };
  line(run_drover({"status", "--connect", endpoint}), "accepts only encrypted connections");
  key("mallory", KeyRole::admin, false);
  line(as("mallory", {"status"}), "does not accept the key mallory");
  line(as("nobody", {"status"}), "no key named nobody");
  // A folder with the key of another router.
  const std::string other = parent.file("other");
  ASSERT_TRUE(make_key(other, "router", KeyRole::router));
  fs::copy(in("eve.key"), other + "/eve.key");
  line(run_drover({"status", "--connect", endpoint, "--keys", other}), "router.pub");
  const std::string plain = free_endpoint();
  DroverProcess open({"router", "--listen", plain, "--ledger", parent.file("open.sqlite")});
  ASSERT_TRUE(open.says("router ready")) << open.err();
  line(run_drover({"status", "--connect", plain, "--keys", folder, "--key", "eve"}),
       "started without --keys");
}

TEST_F(KeyedFleet, AnAgentThatIsAllowedLaterJoinsWithinTenSeconds) {
  key("h-1", KeyRole::agent, false);
  const auto host = agent("h-1", "h-1");
  ASSERT_TRUE(host->says("does not accept the key h-1")) << host->err();
  EXPECT_EQ(devices(), 0U);
  ASSERT_TRUE(allow_key(folder, "h-1"));
  EXPECT_TRUE(host->says("connected to", seconds(10))) << host->err();
  EXPECT_TRUE(eventually([&] { return devices() == 1; })) << host->err();
  EXPECT_FALSE(host->ends(seconds(0)));
}

TEST_F(KeyedFleet, ADashboardThatIsAllowedAgainShowsTheFleetWithinTenSeconds) {
  for (const char* host : {"h-1", "h-2"}) key(host, KeyRole::agent);
  const auto first = agent("h-1", "h-1");
  PseudoTerminal top({"top", "--connect", endpoint, "--keys", folder, "--key", "eve"}, 120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  ASSERT_TRUE(*revoke_key(folder, "eve"));
  ASSERT_TRUE(router->says("4 keys allowed")) << router->err();
  // What happens now nobody tells it.
  const auto second = agent("h-2", "h-2");
  ASSERT_TRUE(eventually([&] {
    const auto all = Json::parse(as("ada", {"devices", "--json"}).out);
    return all && all->size() == 2;
  })) << second->err();
  EXPECT_FALSE(top.shows("h-2", seconds(1))) << top.screen();
  ASSERT_TRUE(allow_key(folder, "eve"));
  EXPECT_TRUE(top.shows("h-2", seconds(10))) << top.screen();
  EXPECT_FALSE(top.ends(seconds(0)));
}

TEST_F(KeyedFleet, ARevokedAgentIsCutOffAndReconnectsOnceAllowedAgain) {
  key("h-1", KeyRole::agent);
  const auto host = agent("h-1", "h-1");
  ASSERT_TRUE(eventually([&] { return devices() == 1; })) << host->err();
  const std::uint64_t before = undecodable();
  ASSERT_TRUE(*revoke_key(folder, "h-1"));
  // Its heartbeats are dropped from now on; it finds out by the silence.
  EXPECT_TRUE(eventually([&] { return undecodable() > before; }));
  ASSERT_TRUE(host->says("does not accept the key h-1")) << host->err();
  ASSERT_TRUE(allow_key(folder, "h-1"));
  EXPECT_TRUE(host->says("connected to")) << host->err();
}

TEST_F(KeyedFleet, ATemporarilyUnreadableFolderCutsNoClientOff) {
  const std::string aside = parent.file("b");
  const auto ask = [&](const std::string& keys) {
    return run_drover({"status", "--connect", endpoint, "--keys", keys, "--key", "eve"});
  };
  fs::rename(parent.file("a"), aside);
  fs::create_symlink("a", parent.file("a"));
  ASSERT_TRUE(router->says("stays in force")) << router->err();
  EXPECT_EQ(ask(aside + "/keys").exit_code, 0);
  fs::remove(parent.file("a"));
  fs::rename(aside, parent.file("a"));
  // It goes by the files again.
  ASSERT_TRUE(*revoke_key(folder, "eve"));
  ASSERT_TRUE(router->says("2 keys allowed")) << router->err();
  EXPECT_EQ(ask(folder).exit_code, 1);
  const std::string said = router->err();
  EXPECT_EQ(said.find("stays in force"), said.rfind("stays in force")) << said;
}

TEST_F(KeyedFleet, SighupReloadsTheAllowListWithoutEndingTheRouter) {
  key("late", KeyRole::view);
  router->signal(SIGHUP);
  EXPECT_TRUE(router->says("4 keys allowed")) << router->err();
  EXPECT_EQ(as("late", {"status"}).exit_code, 0);
  router->signal(SIGTERM);
  EXPECT_EQ(router->wait().exit_code, 0);
}

}  // namespace
}  // namespace drover::commands
