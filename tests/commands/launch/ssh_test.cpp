// Real sshd, real ssh, three hosts that can be unplugged.
#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "tests/commands/launch/fixture.h"
#include "tests/commands/launch/ssh_test_network.h"

namespace drover::launch {
namespace {

namespace fs = std::filesystem;
using commands::DroverProcess;
using commands::eventually;
using commands::ProcessResult;

class LaunchBySsh : public LaunchFixture {
 protected:
  void SetUp() override {
    const Status possible = SshTestNetwork::possible();
    if (!possible) GTEST_SKIP() << possible.error().message;
    const auto fresh = SshTestNetwork::fresh_root();
    if (!fresh) GTEST_SKIP() << "no fresh Debian: " << fresh.error().message;
    fresh_folder = fmt::format("{}/root/{}", *fresh, fs::path(own_folder()).filename().string());
    network = std::make_unique<SshTestNetwork>(*fresh);
    const Status ready = network->ready();
    ASSERT_TRUE(ready) << ready.error().message;
    connect = fmt::format("tcp://{}:7700", network->router_address());
    for (const char* line : {"keys new router", "keys new eye --role view", "keys allow eye"}) {
      std::vector<std::string> words = split(line, ' ');
      words.insert(words.end(), {"--dir", keys});
      const ProcessResult ran = commands::run_drover(words);
      ASSERT_EQ(ran.exit_code, 0) << line << ": " << ran.err;
    }
    router = network->start(
        {"router", "--keys", keys, "--listen", connect, "--ledger", folder.file("ledger.sqlite")});
    ASSERT_TRUE(router->says("router ready")) << router->err();
    file = folder.write("fleet.toml", fleet_text());
  }
  void TearDown() override {
    router.reset();
    network.reset();
    std::error_code ignored;
    if (!fresh_folder.empty()) fs::remove_all(fresh_folder, ignored);
    LaunchFixture::TearDown();
  }
  std::string own_folder() const { return fs::path(folder.file("x")).parent_path().string(); }
  /// h1 and h2 share this machine's files, each with a folder of its own; h3 has its own root.
  std::string fleet_text() const {
    std::string text = fmt::format(
        "[router]\nconnect = \"{}\"\nkeys = \"{}\"\n[defaults]\nuser = \"root\"\ndevices = "
        "\"l4:1\"\n"
        "ssh_options = {}\n",
        connect, keys, network->ssh_options());
    for (int host = 1; host <= 3; ++host) {
      text += fmt::format("[[hosts]]\nhosts = \"h{}\"\naddresses = \"{}\"\nroot = \"{}\"\n", host,
                          network->address(host), root_of(host));
    }
    return text;
  }
  std::string root_of(int host) const {
    if (host == 3) return "~/" + fs::path(own_folder()).filename().string();
    return folder.file(fmt::format("h{}", host));
  }
  /// What the router says of a host's one device.
  std::string health(const std::string& host) const {
    const auto all = Json::parse(
        network->drover({"devices", "--json", "--connect", connect, "--keys", keys, "--key", "eye"})
            .out);
    if (!all) return "no answer";
    for (std::size_t i = 0; i < all->size(); ++i) {
      if ((*all)[i]["id"].text() == host + "/0") return (*all)[i]["health"].text();
    }
    return "unknown";
  }
  std::string states(const ProcessResult& ran) const {
    std::string text;
    for (const char* name : {"h1", "h2", "h3"}) text += host_in(ran, name)["state"].text() + " ";
    return text;
  }

  const std::string keys = folder.file("keys");
  std::string file;
  std::string connect;
  std::string fresh_folder;
  std::unique_ptr<SshTestNetwork> network;
  std::unique_ptr<DroverProcess> router;
};

TEST_F(LaunchBySsh, StartsThreeHostsIncludingAFreshOne) {
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult up = network->drover({"launch", "up", file, "--json"});
  const std::chrono::duration<double> cold = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(up.exit_code, 0) << up.out << up.err;
  EXPECT_EQ(states(up), "started started started ");
  for (const char* name : {"h1", "h2", "h3"}) {
    EXPECT_EQ(host_in(up, name)["router"].text(), "joined") << up.out;
    EXPECT_EQ(host_in(up, name)["program_copied"], Json(true)) << up.out;
  }
  // The fresh one had none of the libraries.
  EXPECT_TRUE(fs::exists(fresh_folder + "/versions"));
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult again = network->drover({"launch", "up", file, "--json"});
  const std::chrono::duration<double> warm = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(states(again), "already already already ") << again.out;
  std::printf("three hosts: up %.2f s, up again %.2f s\n", cold.count(), warm.count());
  EXPECT_TRUE(eventually([&] { return health("h3") == "ok"; })) << health("h3");
  const ProcessResult logs = network->drover({"launch", "logs", file, "h3"});
  EXPECT_EQ(logs.exit_code, 0) << logs.out;
  for (int host = 1; host <= 3; ++host) EXPECT_EQ(network->agents(host), 1) << host;
  const ProcessResult down = network->drover({"launch", "down", file, "--purge", "--json"});
  EXPECT_EQ(states(down), "stopped stopped stopped ") << down.out;
  for (int host = 1; host <= 3; ++host) EXPECT_EQ(network->agents(host), 0) << host;
  EXPECT_FALSE(fs::exists(fresh_folder));
}

TEST_F(LaunchBySsh, AnUnknownHostKeyIsRefusedAndNamed) {
  std::ofstream(network->known_hosts(), std::ios::trunc) << "";
  const ProcessResult up = network->drover({"launch", "up", file});
  EXPECT_EQ(up.exit_code, 1);
  EXPECT_NE(up.out.find("its host key is unknown"), std::string::npos) << up.out;
  EXPECT_EQ(lines_of(up.out).back(), "failed: h[1-3]");
}

TEST_F(LaunchBySsh, WatchRunsAnAgentOnEachHostForAsLongAsItLasts) {
  std::string hosts = network->address(1);
  for (int host = 2; host <= 3; ++host) hosts += "," + network->address(host);
  std::vector<std::string> words = {"watch", "--text", "--ssh", hosts};
  const auto options = Json::parse(network->ssh_options());
  ASSERT_TRUE(options);
  for (std::size_t i = 0; i < options->size(); ++i)
    words.push_back("--ssh-option=" + (*options)[i].text());
  const auto watching = network->start(words);
  for (int host = 1; host <= 3; ++host) {
    // Few machines that run tests have a device.
    const std::string none = network->address(host) + ": no device found on this machine";
    EXPECT_TRUE(eventually([&] {
      return watching->err().find(none) != std::string::npos ||
             watching->out().find(network->address(host) + "/0") != std::string::npos;
    })) << watching->err();
    EXPECT_EQ(network->agents(host), 1) << host;
  }
  watching->signal(SIGTERM);
  EXPECT_TRUE(watching->ends()) << watching->err();
  for (int host = 1; host <= 3; ++host)
    EXPECT_TRUE(eventually([&] { return network->agents(host) == 0; })) << host;
}

TEST_F(LaunchBySsh, AHostUnpluggedDuringUpIsReportedAndJoinsLater) {
  // The copy to h2 pauses in its midst: time to pull the cable.
  const std::string slow =
      program("ssh", "case \"$*\" in\n*" + network->address(2) +
                         "*) (dd bs=4096 count=64 2>/dev/null; sleep 5; cat) | ssh \"$@\" ;;\n"
                         "*) exec ssh \"$@\" ;;\nesac\n");
  auto ssh = std::make_unique<Environment>("DROVER_SSH", slow);
  auto up = network->start({"launch", "up", file, "--json"});
  ssh.reset();
  const std::string versions = root_of(2) + "/versions";
  const auto copying = [&] {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(versions, problem)) {
      if (entry.path().filename().string().starts_with(".new.")) return true;
    }
    return false;
  };
  ASSERT_TRUE(eventually(copying));
  ASSERT_TRUE(network->plug(2, false));
  const ProcessResult ended = up->wait();
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  // ssh notices the silence well before the launcher's own time limit.
  EXPECT_EQ(states(ended), "started unreachable started ") << ended.out;
  EXPECT_NE(host_in(ended, "h2")["detail"].text().find("went silent"), std::string::npos);
  EXPECT_EQ(commands::only_object(ended.out)["failed"].text(), "h2");
  ASSERT_TRUE(network->plug(2, true));
  const ProcessResult again = network->drover({"launch", "up", file, "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(states(again), "already started already ") << again.out;
  EXPECT_FALSE(copying());
}

TEST_F(LaunchBySsh, AHostUnpluggedDuringTheRunSurvivesAndReconnects) {
  ASSERT_EQ(network->drover({"launch", "up", file}).exit_code, 0);
  const ProcessResult before = network->drover({"launch", "status", file, "--json"});
  ASSERT_TRUE(eventually([&] { return health("h2") == "ok"; })) << health("h2");
  ASSERT_TRUE(network->plug(2, false));
  ASSERT_TRUE(eventually([&] { return health("h2") != "ok"; })) << health("h2");
  // Less than the 10 s after which ssh itself gives up connecting.
  const ProcessResult status =
      network->drover({"launch", "status", file, "--timeout", "8s", "--json"});
  EXPECT_EQ(status.exit_code, 3) << status.out;
  EXPECT_EQ(states(status), "running timed out running ") << status.out;
  ASSERT_TRUE(network->plug(2, true));
  ASSERT_TRUE(eventually([&] { return health("h2") == "ok"; })) << health("h2");
  const ProcessResult after = network->drover({"launch", "status", file, "--json"});
  EXPECT_EQ(states(after), "running running running ") << after.out;
  EXPECT_EQ(host_in(after, "h2")["pid"].integer(), host_in(before, "h2")["pid"].integer());
  EXPECT_EQ(network->drover({"launch", "down", file}).exit_code, 0);
}

}  // namespace
}  // namespace drover::launch
