#include "agents/launch/fleet_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "agents/agent.h"

namespace drover::launch {
namespace {

const std::string head = "[router]\nconnect = \"tcp://10.0.0.1:7700\"\n";

LaunchFleet parsed(const std::string& text) {
  auto fleet = parse_fleet_file(text, "fleet.toml");
  if (!fleet) ADD_FAILURE() << fleet.error().message;
  return fleet ? *fleet : LaunchFleet{};
}

TEST(FleetFile, DefaultsApplyWhereAnEntrySetsNothing) {
  const LaunchFleet fleet = parsed(R"(
[router]
connect = "tcp://10.0.0.1:7700"
keys = "keys"
[defaults]
user = "ops"
devices = "h100-sxm:8"
site = "north"
labels = { owner = "team-a" }
ssh_options = ["-F", "none"]
[[hosts]]
hosts = "node[01-02]"
addresses = "10.0.0.[11-12]"
rack = "r1"
[[hosts]]
hosts = "here"
via = "local"
devices = "tpu-v5e:8@2x4"
replicas = "llama-3.1-8b:0@int8"
labels = { owner = "team-b", tier = "test" }
ambient = 30
rate = 2
seed = 7
port = 2222
root = "/opt/drover"
)");
  ASSERT_EQ(fleet.hosts.size(), 3U);
  EXPECT_EQ(fleet.keys, "keys");
  const LaunchHost& second = fleet.hosts[1];
  EXPECT_EQ(second.name, "node02");
  EXPECT_EQ(second.address, "10.0.0.12");
  EXPECT_EQ(second.user, "ops");
  EXPECT_EQ(second.via, Via::ssh);
  EXPECT_EQ(second.root, "~/.drover");
  EXPECT_EQ(second.ssh_options, (std::vector<std::string>{"-F", "none"}));
  EXPECT_EQ(agent_words(fleet, second),
            (std::vector<std::string>{"agent", "--connect", "tcp://10.0.0.1:7700", "--name",
                                      "node02", "--rack", "r1", "--site", "north", "--devices",
                                      "h100-sxm:8", "--label", "owner=team-a", "--ambient", "22",
                                      "--sample-rate", "1", "--seed", "1"}));
  const LaunchHost& here = fleet.hosts[2];
  EXPECT_EQ(here.via, Via::local);
  EXPECT_EQ(here.address, "here");
  EXPECT_EQ(here.port, 2222);
  EXPECT_EQ(here.labels.size(), 2U);
  EXPECT_EQ(here.labels.at("owner"), "team-b");
}

TEST(FleetFile, ProblemsNameFileLineAndKey) {
  const std::string host = "[[hosts]]\nhosts = \"a\"\ndevices = \"l4:1\"\n";
  const struct {
    std::string text;
    std::string problem;
  } rows[] = {
      {"", "fleet.toml:1: router: found nothing"},
      {"[router]\n", "fleet.toml:1: router.connect: found nothing"},
      {"[router]\nconnect = \"tcp://*:1\"\n" + host,
       "fleet.toml:2: router.connect: found 'tcp://*:1'"},
      {head, "fleet.toml: names no host"},
      {head + "[[hosts]]\ndevices = \"l4:1\"\n", "fleet.toml:3: hosts[1].hosts: found nothing"},
      {head + "[[hosts]]\nhosts = \"a\"\n",
       "hosts[1].devices: found nothing, expected the devices"},
      {head + "[[hosts]]\nhosts = \"a[1-\"\ndevices = \"l4:1\"\n",
       "fleet.toml:4: hosts[1].hosts: a[1-: found [ without its ]"},
      {head + host + "addresses = \"x[1-2]\"\n",
       "fleet.toml:6: hosts[1].addresses: found 2 addresses for 1 hosts"},
      {head + host + "addresses = \"-oProxyCommand=reboot\"\n", "hosts[1].addresses: "},
      {head + host + "via = \"rsh\"\n", "fleet.toml:6: hosts[1].via: found 'rsh', expected ssh or"},
      {head + host + "user = \"-oX\"\n", "fleet.toml:6: hosts[1].user: found '-oX'"},
      {head + host + "root = \"drover\"\n", "fleet.toml:6: hosts[1].root: found 'drover'"},
      {head + host + "root = \"~/../etc\"\n", "fleet.toml:6: hosts[1].root: found '~/../etc'"},
      {head + host + "port = 70000\n", "fleet.toml:6: hosts[1].port: found 70000"},
      {head + host + "rack = \"a b\"\n", "fleet.toml:6: hosts[1].rack: found 'a b'"},
      {head + host + "labels = { a = \"b c\" }\n", "labels.a: expected key and value of"},
      {head + host + "device = \"l4:1\"\n", "fleet.toml:6: hosts[1].device: unknown key"},
      {head + "colour = 1\n" + host, "fleet.toml:3: router.colour: unknown key"},
      {head + "[defaults]\nhosts = \"a\"\n" + host, "fleet.toml:4: defaults.hosts: unknown key"},
      {head + host + host, "fleet.toml:7: hosts[2].hosts: names a, which fleet.toml:4: hosts[1]"},
      {head + "[[hosts]]\nhosts = \"a[1-9999]\"\ndevices = \"l4:1\"\n" + host +
           "[[hosts]]\nhosts = \"b[1-9]\"\ndevices = \"l4:1\"\n",
       "hosts[3].hosts: over 10000 hosts"},
  };
  for (const auto& row : rows) {
    const auto fleet = parse_fleet_file(row.text, "fleet.toml");
    ASSERT_FALSE(fleet) << row.problem;
    EXPECT_NE(fleet.error().message.find(row.problem), std::string::npos) << fleet.error().message;
  }
}

TEST(FleetFile, ANodesetChoosesHosts) {
  const LaunchFleet fleet = parsed(head + "[[hosts]]\nhosts = \"n[1-9]\"\ndevices = \"l4:1\"\n");
  EXPECT_EQ(chosen_hosts(fleet, "")->size(), 9U);
  const auto some = chosen_hosts(fleet, "n[3,7]");
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 2U);
  EXPECT_EQ((*some)[1].name, "n7");
  const auto none = chosen_hosts(fleet, "n[9-11]");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--hosts: n[10-11] not in the fleet, which has n[1-9]");
}

TEST(FleetFile, TheExamplesAreValid) {
  std::size_t read = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(DROVER_SOURCE_DIR "/examples/fleets")) {
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    for (const LaunchHost& host : parsed(text.str()).hosts) {
      EXPECT_TRUE(agents::parse_device_list(host.devices, devices::Catalogue::embedded()))
          << entry.path() << " " << host.name;
    }
    ++read;
  }
  EXPECT_GE(read, 2U);
}

}  // namespace
}  // namespace drover::launch
