// FLEET.toml: which hosts run agents, how to reach them, and what each emulates.
//
//   [router]
//   connect = "tcp://10.0.0.1:7700"     # where the agents find the router
//   keys = "keys"                       # a folder of keys to carry to the hosts; optional
//   [defaults]                          # any key of [[hosts]] but hosts and addresses
//   [[hosts]]
//   hosts = "node[01-20]"               # names: of the agents, and of the ssh hosts
//   addresses = "10.0.0.[11-30]"        # where ssh connects, one for each; else the name
//   devices = "h100-sxm:8"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover::launch {

enum class Via : std::uint8_t { local, ssh };

struct LaunchHost {
  std::string name;
  Via via = Via::ssh;
  std::string address;  // address for ssh
  std::string user;     // empty: ssh decides
  std::int64_t port = 0;
  std::vector<std::string> ssh_options;  // options before all others
  std::string root;                      // folder on the host; "~/" is the user's home there
  std::string devices;
  std::string replicas;
  std::string rack;
  std::string site;
  std::map<std::string, std::string> labels;
  double ambient_c = 22;
  double rate_hz = 1;
  std::int64_t seed = 1;
  std::string place;  // "fleet.toml:7: hosts[1].hosts", for messages
};

struct LaunchFleet {
  std::string connect;
  std::string keys;  // empty: none
  std::vector<LaunchHost> hosts;
};

/// `place` is the file's name for messages.
Result<LaunchFleet> parse_fleet_file(std::string_view text, const std::string& place);

/// The hosts of the fleet that `nodeset` names, in its order; all when it is empty.
Result<std::vector<LaunchHost>> chosen_hosts(const LaunchFleet& fleet, std::string_view nodeset);

/// The agent's command line, without parts that only its host knows (folders there).
std::vector<std::string> agent_words(const LaunchFleet& fleet, const LaunchHost& host);

}  // namespace drover::launch
