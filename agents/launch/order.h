// The order for one host as a shell script, and the host's answer.
//
// The script is sent on standard input, so that neither keys nor settings appear in a process
// list; after it, if the host asks for it, the payload: a tar of the program and its libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/launch/fleet_file.h"

namespace drover::launch {

enum class LaunchAction : std::uint8_t { up, status, logs, down };
std::string_view to_text(LaunchAction action);
std::optional<LaunchAction> parse_launch_action(std::string_view word);

/// A short name for contents, 32 hexadecimal digits: equal contents have equal names, different
/// ones practically never. It does not protect against deliberate collisions; ssh authenticates
/// hosts. Parts are separate: {"ab", "c"} is not {"a", "bc"}.
std::string content_name(const std::vector<std::string_view>& parts);

/// What the program requires of a host, and the name of its copy there.
struct Needs {
  std::string version;  // content_name of the program and its libraries
  std::string machine;  // as from `uname -m`
  int glibc_major = 2;
  int glibc_minor = 0;
};

struct Order {
  LaunchAction action = LaunchAction::status;
  std::string name;
  std::string root;
  std::vector<std::string> words;  // the agent's command line
  Needs needs;
  std::string router_key;  // texts of key files; empty: none
  std::string agent_key;
  std::int64_t lines = 100;  // of the log
  bool purge = false;
  bool others = false;  // status, down: list other agents that run there
};

/// Quotes any text as one word for a POSIX shell.
std::string shell_quoted(std::string_view text);

/// The constant part of the script: agents/launch/on_host.sh.
std::string_view on_host_script();

/// The whole script for one host.
std::string script_of(const Order& order);

/// The command line that reads a script of `script_bytes` from standard input and runs it for at
/// most `limit_s`, so that nothing keeps running on the host if the launcher is killed. 0: as long
/// as it wants.
std::string reading_command(std::size_t script_bytes, std::int64_t limit_s);

/// The order to be read for as long as the connection lasts, as a script:
/// agents/launch/watch_host.sh. `payload_bytes`: of the tar.
std::string watch_script(const Needs& needs, std::size_t payload_bytes,
                         std::string_view nvidia_smi_query);
/// Its constant part.
std::string_view watch_host_script();

/// The line with which the host requests the payload.
inline constexpr std::string_view payload_request = "@drover payload";

struct Answer {
  /// started already restarted running suspended ended absent stopped killed shown; or ""
  std::string did;
  std::string failure;  // the host's own reason
  std::int64_t pid = 0;
  std::int64_t age_s = 0;
  std::string router;  // joined or waiting; empty: not known
  std::string version;
  bool differs = false;  // its settings differ from the fleet file
  bool copied = false;   // the program was sent
  std::string last;      // last log line of an ended agent
  std::vector<std::string> log;
  std::vector<std::string> unlisted_agents;  // other agents that run there
};

/// Parses the host's output; all texts are made printable and short.
Answer parse_answer(std::string_view output);

}  // namespace drover::launch
