#include "commands/router_options.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "fleet/socket.h"
#include "fleet/text.h"

namespace drover::commands {

Result<std::string> default_ledger() {
  std::filesystem::path folder;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    folder = state;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    return error("no HOME to keep the ledger in: name a file with --ledger");
  }
  folder /= "drover";
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return error("{}: {}", folder.string(), problem.message());
  return (folder / "ledger.sqlite").string();
}

router::Retention read_retention(Arguments& arguments) {
  constexpr std::int64_t jobs_max = 100'000'000;  // what memory could hold, generously
  router::Retention kept;
  kept.ended_jobs = static_cast<std::size_t>(
      arguments.integer("keep-jobs", 1, jobs_max, static_cast<std::int64_t>(kept.ended_jobs)));
  kept.ids = static_cast<std::size_t>(
      arguments.integer("keep-ids", 0, jobs_max, static_cast<std::int64_t>(kept.ids)));
  kept.ended_for = arguments.duration("keep-ended", kept.ended_for);
  return kept;
}

Status check_listen(const std::string& listen, const std::string& keys, bool insecure) {
  const auto endpoint = parse_endpoint(listen, "--listen");
  if (!endpoint) return endpoint.error();
  if (endpoint->loopback() || !keys.empty() || insecure) return {};
  return error(
      "--listen {}: is not loopback, and connections are not encrypted: anyone who can reach it "
      "could run work; give --keys DIR (drover keys --help), or --insecure to listen there "
      "nevertheless",
      printable(listen));
}

Result<std::string> keys_folder(const Arguments& arguments) {
  if (arguments.has("insecure")) {
    if (!arguments.has("keys")) return std::string();
    return error("--insecure: is for a router without --keys");
  }
  const char* from_environment = std::getenv("DROVER_KEYS");
  return arguments.text("keys", from_environment == nullptr ? "" : from_environment);
}

}  // namespace drover::commands
