#include "agents/launch/order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/text/nodeset.h"

namespace drover::launch {

namespace {

constexpr std::string_view mark = "@drover ";
constexpr std::size_t text_max = 400;
constexpr std::size_t log_line_max = 2000;

/// In the order of LaunchAction.
constexpr std::array<std::string_view, 4> action_words = {"up", "status", "logs", "down"};

struct Lanes {
  std::uint64_t left = 0x9e3779b97f4a7c15;
  std::uint64_t right = 0xd1b54a32d192ed03;

  // Each step is invertible, so two contents of equal length differ until a later step joins them.
  void take(std::uint64_t word) {
    left = std::rotl((left ^ word) * 0xff51afd7ed558ccd, 29);
    right = (std::rotl(right, 17) + word) * 0xc4ceb9fe1a85ec53;
    left ^= right >> 31;
  }
};

std::string variable(const char* name, std::string_view value) {
  return fmt::format("{}={}\n", name, shell_quoted(value));
}

std::string variables_of(const Needs& needs) {
  return variable("version", needs.version) + variable("machine", needs.machine) +
         variable("glibc_major", std::to_string(needs.glibc_major)) +
         variable("glibc_minor", std::to_string(needs.glibc_minor));
}

/// The agent's settings: any difference restarts it.
std::string settings_text(const Order& order) {
  std::string text = "version " + order.needs.version;
  for (const std::string& word : order.words) text += "\n" + word;
  if (!order.agent_key.empty()) {
    text += "\nkeys " + content_name({order.router_key, order.agent_key});
  }
  return text;
}

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct Field {
  std::string_view key;
  std::string Answer::*text;
};
constexpr Field fields[] = {
    {"did", &Answer::did},         {"failed", &Answer::failure}, {"router", &Answer::router},
    {"version", &Answer::version}, {"last", &Answer::last},
};

}  // namespace

std::string_view to_text(LaunchAction action) {
  return action_words[static_cast<std::size_t>(action)];
}

std::optional<LaunchAction> parse_launch_action(std::string_view word) {
  return enumerator_named<LaunchAction>(action_words, word);
}

std::string content_name(const std::vector<std::string_view>& parts) {
  Lanes lanes;
  for (const std::string_view part : parts) {
    lanes.take(part.size());
    for (std::size_t at = 0; at < part.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, part.data() + at, std::min(sizeof word, part.size() - at));
      lanes.take(word);
    }
  }
  for (int i = 0; i < 4; ++i) lanes.take(0);
  return fmt::format("{:016x}{:016x}", lanes.left, lanes.right);
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string watch_script(const Needs& needs, std::size_t payload_bytes,
                         std::string_view nvidia_smi_query) {
  return variables_of(needs) + variable("payload_bytes", std::to_string(payload_bytes)) +
         variable("fields", nvidia_smi_query) + std::string(watch_host_script());
}

std::string script_of(const Order& order) {
  std::string script;
  const auto set = [&](const char* name, std::string_view value) {
    script += variable(name, value);
  };
  set("action", to_text(order.action));
  set("name", order.name);
  set("root", order.root);
  script += variables_of(order.needs);
  set("settings", settings_text(order));
  // Secrets are only sent where they are stored.
  const bool carried = order.action == LaunchAction::up;
  set("router_key", carried ? order.router_key : "");
  set("agent_key", carried ? order.agent_key : "");
  set("lines", std::to_string(order.lines));
  set("purge", order.purge ? "yes" : "no");
  set("others", order.others ? "yes" : "no");
  script += "set --";
  for (const std::string& word : order.words) script += " " + shell_quoted(word);
  script += "\n";
  script += on_host_script();
  return script;
}

std::string reading_command(std::size_t script_bytes, std::int64_t limit_s) {
  // dd reads byte by byte: the input after the script is left for the script. Single quotes
  // without `!` mean the same to every login shell.
  const std::string limit = limit_s > 0 ? fmt::format("timeout {} ", limit_s) : "";
  return fmt::format("exec {}sh -c 'eval \"$(dd bs=1 count={} 2>/dev/null)\"'", limit,
                     script_bytes);
}

Answer parse_answer(std::string_view output) {
  Answer answer;
  std::int64_t since = 0;
  std::int64_t now = 0;
  for (const std::string& line : split(output, '\n')) {
    if (!line.starts_with(mark)) continue;
    const std::string_view said = std::string_view(line).substr(mark.size());
    const std::size_t blank = std::min(said.find(' '), said.size());
    const std::string_view key = said.substr(0, blank);
    const std::string_view value = said.substr(std::min(blank + 1, said.size()));
    if (key == "log") answer.log.push_back(excerpt(value, log_line_max));
    if (key == "also" && is_host_name(value)) answer.unlisted_agents.emplace_back(value);
    if (key == "pid") answer.pid = number_in(value);
    if (key == "since") since = number_in(value);
    if (key == "now") now = number_in(value);
    if (key == "differs") answer.differs = true;
    if (key == "copied") answer.copied = true;
    for (const Field& field : fields) {
      if (key == field.key) answer.*field.text = excerpt(value, text_max);
    }
  }
  answer.age_s = std::clamp<std::int64_t>(now - since, 0, 1'000'000'000);
  return answer;
}

}  // namespace drover::launch
