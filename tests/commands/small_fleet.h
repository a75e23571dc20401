// A router and one agent as real processes, for tests of what reads from them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/commands/program.h"

namespace drover::commands {

class SmallFleet {
 public:
  /// More words for the router's command line.
  explicit SmallFleet(std::vector<std::string> router_words = {}, const std::string& speed = "5");

  /// The router is ready and the agent, host h-1 with two l4, has reported.
  bool start();
  const std::string& endpoint() const { return endpoint_; }
  std::string publish_endpoint() const;
  std::string file(const std::string& name) const { return folder_.file(name); }
  DroverProcess& router() { return *router_; }
  DroverProcess& agent() { return *agent_; }

  std::vector<std::string> with_connect(std::vector<std::string> words) const;
  ProcessResult ask(std::vector<std::string> words) const;
  /// What the two have said on standard error.
  std::string trouble() const;

 private:
  TestFolder folder_;
  std::string endpoint_ = free_endpoint();
  std::vector<std::string> router_words_;
  std::unique_ptr<DroverProcess> router_, agent_;
};

}  // namespace drover::commands
