#include "commands/demo/fleet.h"

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

struct DemoHost {
  const char* name;
  const char* rack;
  const char* devices;
  const char* replicas;  // loaded at the start; empty: none
  const char* ambient_c;
};

// H100: two replicas of an 8B model, one of a 70B model in fp8, and four devices for what others
// overflow with. A100: four in each of two hosts, so that a gang of eight trains across them.
// v5e-1: the 70B model in int8, which fits into 8 x 16 GB. v5e-2: one slice for small jobs, with a
// small model on one chip, and one slice with a second replica of the large model.
constexpr DemoHost hosts[] = {
    {"h100-1", "rack-1", "h100-sxm:8", "llama-3.1-8b:4,llama-3.1-8b:5,llama-3.1-70b:6-7@fp8", "23"},
    {"a100-1", "rack-1", "a100-sxm-80gb:4", "", "24"},
    {"a100-2", "rack-1", "a100-sxm-80gb:4", "", "24"},
    {"v5e-1", "rack-2", "tpu-v5e:8@2x4", "llama-3.1-70b:0-7@int8", "22"},
    {"v5e-2", "rack-2", "tpu-v5e:8@2x4,tpu-v5e:8@2x4",
     "llama-3.1-8b:0@int8,llama-3.1-70b:8-15@int8", "22"},
};

/// Gives the process its key, if the demo has keys.
ChildCommand with_key(ChildCommand command, const DemoOptions& options, std::string_view key) {
  if (options.keys.empty()) return command;
  command.arguments.insert(command.arguments.end(), {"--keys", options.keys});
  if (!key.empty()) command.arguments.insert(command.arguments.end(), {"--key", std::string(key)});
  return command;
}

}  // namespace

ChildCommand demo_router(const DemoOptions& options, const std::string& listen,
                         const std::string& folder) {
  return with_key({"router",
                   {"router", "--listen", listen, "--ledger", folder + "/ledger.sqlite", "--speed",
                    fmt::format("{}", options.speed), "--seed", std::to_string(options.work.seed)}},
                  options, "");
}

std::vector<ChildCommand> demo_agents(const DemoOptions& options, const std::string& endpoint) {
  std::vector<ChildCommand> commands;
  for (const DemoHost& host : hosts) {
    ChildCommand command{host.name,
                         {"agent", "--connect", endpoint, "--name", host.name, "--rack", host.rack,
                          "--site", "demo", "--devices", host.devices, "--ambient", host.ambient_c,
                          "--seed", std::to_string(options.work.seed)}};
    if (*host.replicas != 0) {
      command.arguments.insert(command.arguments.end(), {"--replicas", host.replicas});
    }
    commands.push_back(with_key(std::move(command), options, host.name));
  }
  return commands;
}

ChildCommand demo_feeder(const DemoOptions& options, const std::string& endpoint) {
  ChildCommand command{"feeder", {"feed", "--connect", endpoint}};
  const std::vector<std::string> words = trace_words(options.work);
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return with_key(std::move(command), options, demo_key);
}

ChildCommand demo_story(const DemoOptions& options, const std::string& endpoint) {
  return with_key({"story",
                   {"story", "--connect", endpoint, "--load", fmt::format("{}", options.work.load),
                    "--seed", std::to_string(options.work.seed)}},
                  options, demo_key);
}

Result<std::string> control_endpoint_in(const std::string& ready_line) {
  const auto words = split(ready_line, ' ');
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "control") return words[i + 1];
  }
  return error(ErrorKind::io, "the router printed '{}', expected its endpoints",
               printable(ready_line));
}

}  // namespace drover::commands
