// `drover completion`: prints a shell's script. `drover complete`: what those scripts ask.
#include <vector>

#include "commands/completion/running_fleet.h"
#include "commands/completion/scripts.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

template <typename Entries>
std::vector<std::string> ids_of(const Entries& entries) {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : entries) ids.push_back(id);
  return ids;
}

}  // namespace

CommandUsage completion_usage() {
  return {"usage: drover completion bash|zsh|fish",
          "Prints a script that completes drover's commands, options and values in a shell. With a "
          "running router it also completes devices, hosts, pools, racks and jobs.",
          {},
          {"SHELL"},
          "  drover completion bash > ~/.local/share/bash-completion/completions/drover\n"
          "  source <(drover completion zsh)\n"
          "      in ~/.zshrc, after compinit\n"
          "  drover completion fish > ~/.config/fish/completions/drover.fish"};
}

CommandOutcome run_completion(Arguments& arguments) {
  const std::string shell = arguments.text("SHELL");
  if (shell.empty()) return error("SHELL is required; {}", completion_usage().synopsis);
  for (const CompletionScript& script : completion_scripts()) {
    if (script.shell != shell) continue;
    write_stdout_text(script.text);
    return CommandOutcome::done();
  }
  return error("unknown shell '{}', expected bash, zsh or fish{}", excerpt(shell),
               suggestion(shell, {"bash", "zsh", "fish"}));
}

CommandUsage complete_usage() {
  return {"usage: drover complete LINE [options]",
          "Prints what may stand at the end of an unfinished command line, for the scripts of "
          "drover completion. LINE has a line feed behind each word. Each line is a candidate, "
          "with a tab and its help if there is one; :files and :folders mean names of those.",
          {connect_option()},
          {"LINE"},
          "  drover complete $'drover\\ntop\\n--th\\n'"};
}

CommandOutcome run_complete(Arguments& arguments) {
  std::vector<std::string> words = split(arguments.text("LINE"), '\n');
  // Behind the last line feed; and the program's own name.
  if (!words.empty() && words.back().empty()) words.pop_back();
  if (!words.empty()) words.erase(words.begin());
  RouterAddress address = endpoint_of(arguments);
  // The router that the unfinished command would ask: "--connect ENDPOINT" or "--connect=ENDPOINT".
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    parts.push_back(word.substr(0, equals));
    if (equals != std::string::npos) parts.push_back(word.substr(equals + 1));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i - 1] == "--connect" && check_connect(parts[i], "")) address.endpoint = parts[i];
    if (parts[i - 1] == "--keys") address.keys = parts[i];
    if (parts[i - 1] == "--key") address.key_name = parts[i];
  }
  const NameSources sources{[&] { return names_of_fleet(address); },
                            [] { return ids_of(devices::Catalogue::embedded().devices()); },
                            [] { return ids_of(devices::Catalogue::embedded().models()); }};
  const Candidates candidates = candidates_for(words, sources);
  for (const Candidate& each : candidates.list) {
    write_stdout("{}{}{}\n", each.text, each.help.empty() ? "" : "\t", each.help);
  }
  if (candidates.paths == PathKind::files) write_stdout(":files\n");
  if (candidates.paths == PathKind::folders) write_stdout(":folders\n");
  return CommandOutcome::done();
}

}  // namespace drover::commands
