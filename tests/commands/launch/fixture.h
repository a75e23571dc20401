// A fleet file, a router for it, and the agents that a launcher has left on this machine: found by
// their folder, and ended with the test.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "fleet/text/json.h"
#include "tests/commands/program.h"

namespace drover::launch {

/// Sets a variable of the environment as long as it lives.
class Environment {
 public:
  Environment(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    if (old_.empty()) {
      unsetenv(name_.c_str());
    } else {
      setenv(name_.c_str(), old_.c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
  std::string old_;
};

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Every process whose command line names the text; not this one.
inline std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> pids;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    if (file_text(entry.path() / "cmdline").find(text) != std::string::npos) pids.push_back(pid);
  }
  return pids;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

class LaunchFixture : public testing::Test {
 protected:
  void TearDown() override {
    for (const pid_t pid : processes_with(folder.file(""))) kill(pid, SIGKILL);
  }

  void start_router() {
    router = std::make_unique<commands::DroverProcess>(std::vector<std::string>{
        "router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite")});
    ASSERT_TRUE(router->says("router ready")) << router->err();
  }
  /// A fleet file with the head that all share, and these hosts.
  std::string fleet(const std::string& hosts) const {
    return folder.write("fleet.toml", "[router]\nconnect = \"" + endpoint +
                                          "\"\n[defaults]\nroot = \"" + root +
                                          "\"\ndevices = \"l4:1\"\n" + hosts);
  }
  static commands::ProcessResult launch(std::vector<std::string> words) {
    words.insert(words.begin(), "launch");
    return commands::run_drover(words, std::chrono::seconds(120));
  }
  /// What `--json` says of one host.
  static Json host_in(const commands::ProcessResult& ran, const std::string& name) {
    const Json answer = commands::only_object(ran.out);
    for (std::size_t i = 0; i < answer["hosts"].size(); ++i) {
      if (answer["hosts"][i]["host"].text() == name) return answer["hosts"][i];
    }
    return {};
  }
  std::vector<pid_t> agents() const { return processes_with(root + "/agents/"); }
  /// A program of the test's own, to stand in for ssh.
  std::string program(const std::string& name, const std::string& script) const {
    const std::string path = folder.write(name, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  commands::TestFolder folder;
  // A folder that wants to be quoted.
  const std::string root = folder.file("it's a root");
  const std::string endpoint = commands::free_endpoint();
  std::unique_ptr<commands::DroverProcess> router;
};

}  // namespace drover::launch
