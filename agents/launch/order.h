// What a host is told to do, as text for its shell, and what it answers.
//
// The script travels on standard input, so that neither keys nor settings stand in any process
// list; after it, when the host asks for it, the cargo: a tar of the program and its libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/launch/fleet_file.h"

namespace drover::launch {

enum class Action : std::uint8_t { up, status, logs, down };

/// What the program needs of a host, and by which name its copy there is known.
struct Needs {
  std::string version;  // content_name of the program and its libraries
  std::string machine;  // as `uname -m` says it
  int glibc_major = 2;
  int glibc_minor = 0;
};

struct Order {
  Action action = Action::status;
  std::string name;
  std::string root;
  std::vector<std::string> words;  // the agent's command line
  Needs needs;
  std::string router_key;  // texts of key files; empty: none
  std::string agent_key;
  std::int64_t lines = 100;  // of the log
  bool purge = false;
  bool others = false;  // status, down: tell which other agents run there
};

/// One word for a POSIX shell, whatever stands in it.
std::string shell_quoted(std::string_view text);

/// The script that stays the same: agents/launch/on_host.sh.
std::string_view on_host_script();

/// The whole script for one host.
std::string script_of(const Order& order);

/// The command line that reads a script of so many bytes from its standard input and runs it, for
/// `limit_s` at most: what a launcher leaves behind ends by itself.
std::string reading_command(std::size_t script_bytes, std::int64_t limit_s);

/// The host asks for the cargo in this line.
inline constexpr std::string_view cargo_wanted = "@drover cargo";

struct Answer {
  /// started already restarted running suspended ended absent stopped killed shown; or ""
  std::string did;
  std::string failure;  // the host's own reason
  std::int64_t pid = 0;
  std::int64_t age_s = 0;
  std::string router;  // joined or waiting; empty: not known
  std::string version;
  bool differs = false;  // runs with other settings than the fleet file's
  bool copied = false;   // the program was sent
  std::string last;      // the last line of the log of one that ended
  std::vector<std::string> log;
  std::vector<std::string> also;  // other agents that run there
};

/// All texts are printable and short, whatever the host said.
Answer parse_answer(std::string_view output);

}  // namespace drover::launch
