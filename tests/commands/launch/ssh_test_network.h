// Three hosts for ssh on this machine: network namespaces behind a bridge, which lies in a
// namespace of its own, so that nothing of the machine's own network changes. One of them has a
// root file system of its own, a fresh Debian without any of our libraries.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "fleet/base/result.h"
#include "tests/commands/program.h"

namespace drover::launch {

/// Runs a line of a shell, which also finds what only root is expected to run. The error holds the
/// line, how it ended, and its last words.
Status run_step(const std::string& line, std::chrono::seconds patience = commands::default_timeout);

class SshTestNetwork {
 public:
  /// Tries what the machine must allow: tests skip, with the error's words, where it does not. All
  /// that fails later is a failure.
  static Status possible();
  /// The fresh Debian, made once and kept in build/. Tests skip where it cannot be made: there may
  /// be no network.
  static Result<std::string> fresh_root();

  explicit SshTestNetwork(const std::string& fresh_root);
  ~SshTestNetwork();
  SshTestNetwork(const SshTestNetwork&) = delete;
  SshTestNetwork& operator=(const SshTestNetwork&) = delete;

  /// Whether all of them answer; else the step of the set-up that failed.
  Status ready();
  /// Hosts are numbered from 1.
  std::string address(int host) const;
  std::string router_address() const;
  /// Pulls the cable of a host, or plugs it in again.
  Status plug(int host, bool in) const;
  /// `drover` where the router and the launcher live.
  std::unique_ptr<commands::DroverProcess> start(const std::vector<std::string>& words) const;
  commands::ProcessResult drover(const std::vector<std::string>& words) const;
  /// Words for a fleet file's ssh_options.
  std::string ssh_options() const;
  std::string known_hosts() const { return folder_.file("known"); }
  /// How many processes of a host are agents.
  int agents(int host) const;

 private:
  std::string space(int number) const;
  Status build(const std::string& fresh_root);
  Status start_host(int host, const std::string& root);
  Status answers(int host);

  commands::TestFolder folder_;
  std::string id_;
  std::string net_;
  Status built_;
  std::vector<std::unique_ptr<commands::DroverProcess>> servers_;
};

}  // namespace drover::launch
