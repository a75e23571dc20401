#include "commands/verb_table.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/router_address.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

#define DROVER_VERB_ROW(name, summary) {#name, summary, name##_usage, run_##name},
constexpr Verb verbs[] = {DROVER_VERBS(DROVER_VERB_ROW)};
#undef DROVER_VERB_ROW

constexpr ExitCode codes[] = {{0, "done"}, {1, "failed"}, {2, "wrong usage"}, {3, "partly done"}};

}  // namespace

const char* const program_summary =
    "drover routes work across a mixed fleet of emulated GPUs and TPUs and shows the fleet live.";

std::span<const Verb> verb_table() { return verbs; }

std::span<const ExitCode> exit_codes() { return codes; }

const Verb* find_verb(std::string_view name) {
  const auto* found = std::find_if(std::begin(verbs), std::end(verbs),
                                   [&](const Verb& verb) { return name == verb.name; });
  return found == std::end(verbs) ? nullptr : found;
}

CommandUsage full_usage(const Verb& verb) { return with_key_options(verb.usage()); }

std::string overview() {
  std::string text = fmt::format("{}\n\nusage: drover COMMAND [options]\n\nCommands:\n",
                                 wrapped(program_summary, help_columns, 0));
  for (const Verb& verb : verbs) {
    if (!verb.hidden()) text += fmt::format("  {:<11} {}\n", verb.name, verb.summary);
  }
  std::vector<std::string> meanings;
  for (const ExitCode& each : codes) {
    meanings.push_back(fmt::format("{} {}", each.code, each.meaning));
  }
  return text + fmt::format(
                    "\nStart here:\n"
                    "  drover demo               a router, five agents, work, and the dashboard\n"
                    "  drover COMMAND --help     what a command does, with examples\n\n"
                    "Exit codes: {}.\n",
                    joined(meanings, ", "));
}

}  // namespace drover::commands
