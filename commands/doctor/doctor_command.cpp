// `drover doctor`: checks what Drover needs on this machine, and packs support bundles.
#include <fcntl.h>

#include "commands/connection/router_address.h"
#include "commands/doctor/checks.h"
#include "commands/doctor/support_bundle.h"
#include "commands/query/table_verb.h"
#include "commands/shell/file_descriptor.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

std::vector<std::string> names_given(const Arguments& arguments, const char* option) {
  if (!arguments.has(option)) return {};
  return split(arguments.text(option), ',');
}

/// Only this user can read the file. An existing one is not replaced.
Status write_new_file(const std::string& path, const std::string& bytes) {
  const FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.is_open()) return file_error(path);
  return write_all(file.get(), bytes) ? Status() : Status(file_error(path));
}

}  // namespace

CommandUsage doctor_usage() {
  std::string checks;
  for (const Check& check : check_table()) {
    checks += fmt::format("\n  {:<11}  {}", check.name, check.question);
  }
  return {
      "usage: drover doctor [options]",
      "Checks what Drover needs on this machine. A check that is not ok says what was found, "
      "what was expected and how to fix it. A note is worth knowing; a problem keeps something "
      "from working, and makes the exit code 1. Nothing is changed. The checks:" +
          checks,
      {connect_option(),
       Option::choice("only", "CHECKS", "only these checks, separated by commas", check_names()),
       Option::choice("skip", "CHECKS", "all checks but these", check_names()),
       {"bundle", "FILE",
        "write a support bundle (.tar.gz): the report, version, settings, policy, totals and "
        "last events, without names and addresses"},
       {"json", "", "one JSON object on stdout"},
       colour_option()},
      {},
      "  drover doctor\n"
      "  drover doctor --only ports,router --connect tcp://127.0.0.1:9000\n"
      "  drover doctor --skip drivers --json | jq '.checks[] | select(.fix)'\n"
      "  drover doctor --bundle drover-support.tar.gz"};
}

CommandOutcome run_doctor(Arguments& arguments) {
  const bool colour = read_table_style(arguments).colour;
  DROVER_TRY(arguments.status());
  DROVER_ASSIGN(const auto selected,
                selected_checks(names_given(arguments, "only"), names_given(arguments, "skip")));
  RouterProbe router = probe_router(endpoint_of(arguments));
  std::vector<CheckedItem> items;
  for (const Check* check : selected) items.push_back({check, check->run(router)});
  write_stdout_text(arguments.has("json") ? report_json(items).dump() + "\n"
                                          : report_text(items, colour));
  if (arguments.has("bundle")) {
    const std::string path = arguments.text("bundle");
    DROVER_TRY(write_new_file(path, packed(bundle_files(items, router), "drover-support")));
    write_stderr("{}: written; read it before you send it\n", printable(path));
  }
  const std::size_t problems = problems_in(items);
  if (problems > 0) return CommandOutcome::bad_result(counted(problems, "problem"));
  return CommandOutcome::done();
}

}  // namespace drover::commands
