// Three hosts for ssh on this machine: network namespaces behind a bridge, which lies in a
// namespace of its own, so that nothing of the machine's own network changes. One of them has a
// root file system of its own, a fresh Debian without any of our libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program.h"

namespace drover::launch {

class SshLab {
 public:
  /// Why it cannot be had here; empty: it can.
  static std::string missing();
  /// The fresh Debian, made once and kept in build/; empty when it cannot be made.
  static std::string fresh_root();

  explicit SshLab(const std::string& fresh_root);
  ~SshLab();
  SshLab(const SshLab&) = delete;
  SshLab& operator=(const SshLab&) = delete;

  /// Whether all of them answer.
  bool ready();
  /// Hosts are numbered from 1.
  std::string address(int host) const;
  std::string router_address() const;
  /// Pulls the cable of a host, or plugs it in again.
  void plug(int host, bool in) const;
  /// `drover` where the router and the launcher live.
  std::unique_ptr<commands::Program> start(const std::vector<std::string>& words) const;
  commands::Ran drover(const std::vector<std::string>& words) const;
  /// Words for a fleet file's ssh_options.
  std::string ssh_options() const;
  std::string known_hosts() const { return folder_.file("known"); }
  /// How many processes of a host are agents.
  int agents(int host) const;

 private:
  std::string space(int number) const;
  void start_host(int host, const std::string& root);

  commands::Folder folder_;
  std::string id_;
  std::string net_;
  std::vector<std::unique_ptr<commands::Program>> servers_;
};

}  // namespace drover::launch
