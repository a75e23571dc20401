// `drover man`: writes the pages that are installed for `man`.
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "commands/manual/manual_page.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

namespace fs = std::filesystem;

CommandOutcome write_pages(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return error(ErrorKind::io, "{}: {}", printable(folder), problem.message());
  for (const ManualPage& page : manual_pages()) {
    const fs::path path = fs::path(folder) / page.file;
    std::ofstream file(path, std::ios::binary);
    file << page.text << std::flush;
    if (!file) return error(ErrorKind::io, "{}: cannot be written", printable(path.string()));
  }
  return CommandOutcome::done();
}

}  // namespace

CommandUsage man_usage() {
  return {"usage: drover man [COMMAND] [options]",
          "Prints the page of a command, or of the program, as roff for man. With --all it writes "
          "all pages to a folder; the build installs them.",
          {{"all", "DIR", "write all pages to this folder"}},
          {"COMMAND"},
          "  drover man top | man -l -\n"
          "  drover man --all ~/.local/share/man/man1"};
}

CommandOutcome run_man(Arguments& arguments) {
  if (arguments.has("all")) return write_pages(arguments.text("all"));
  const std::string name = arguments.text("COMMAND");
  if (name.empty()) {
    write_stdout_text(program_page().text);
    return CommandOutcome::done();
  }
  const Verb* verb = find_verb(name);
  if (verb == nullptr) {
    std::vector<std::string> known;
    for (const Verb& each : verb_table()) {
      if (!each.hidden()) known.emplace_back(each.name);
    }
    return error("unknown command '{}'{}", excerpt(name), suggestion(name, known));
  }
  write_stdout_text(verb_page(*verb).text);
  return CommandOutcome::done();
}

}  // namespace drover::commands
