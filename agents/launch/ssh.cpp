#include "agents/launch/ssh.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::launch {

namespace {

constexpr std::size_t detail_max = 300;

struct SshError {
  std::string_view text;
  std::string_view meaning;
};
constexpr SshError ssh_errors[] = {
    {"IDENTIFICATION HAS CHANGED", "its host key has changed"},
    {"Host key verification failed", "its host key is unknown; connect once with ssh by hand"},
    {"Permission denied", "login refused; only ssh keys are used, never passwords"},
    {"Could not resolve hostname", "unknown host name"},
    {"Connection refused", "no ssh server there"},
    {"Connection timed out", "no answer from the host"},
    {"No route to host", "no route to the host"},
    {"not responding", "the connection went silent"},
};

}  // namespace

std::vector<std::string> ssh_words(const LaunchHost& host, std::string_view program,
                                   const std::string& command) {
  std::vector<std::string> words = {program.empty() ? "ssh" : std::string(program)};
  words.insert(words.end(), host.ssh_options.begin(), host.ssh_options.end());
  for (const char* option : {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5",
                             "ServerAliveCountMax=3", "ClearAllForwardings=yes"}) {
    words.insert(words.end(), {"-o", option});
  }
  words.emplace_back("-T");
  if (!host.user.empty()) words.insert(words.end(), {"-l", host.user});
  if (host.port > 0) words.insert(words.end(), {"-p", std::to_string(host.port)});
  words.insert(words.end(), {host.address, command});
  return words;
}

std::string last_line(const std::string& text) {
  std::string last;
  for (const std::string& line : split(text, '\n')) {
    if (!trimmed(line).empty()) last = trimmed(line);
  }
  return excerpt(last, detail_max);
}

std::string ssh_failure(const std::string& standard_error) {
  const auto* known = std::find_if(
      std::begin(ssh_errors), std::end(ssh_errors),
      [&](const SshError& one) { return standard_error.find(one.text) != std::string::npos; });
  const std::string line = last_line(standard_error);
  if (known == std::end(ssh_errors)) return line.empty() ? "ssh failed without output" : line;
  return fmt::format("{} ({})", known->meaning, line);
}

}  // namespace drover::launch
