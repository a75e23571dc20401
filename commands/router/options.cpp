#include "commands/router/options.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/shell/files.h"
#include "commands/shell/parent_watchdog.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

namespace {

Result<std::string> default_ledger() {
  const auto folder = user_folder("XDG_STATE_HOME", ".local/state");
  if (!folder)
    return error(ErrorKind::not_found, "no HOME to keep the ledger in: name a file with --ledger");
  std::error_code problem;
  std::filesystem::create_directories(*folder, problem);
  if (problem) return error(ErrorKind::io, "{}: {}", *folder, problem.message());
  return *folder + "/ledger.sqlite";
}

router::Retention read_retention(Arguments& arguments) {
  constexpr std::int64_t jobs_max = 100'000'000;  // more than fits into memory
  router::Retention kept;
  kept.ended_jobs = static_cast<std::size_t>(arguments.integer(
      "retain-ended-jobs", 1, jobs_max, static_cast<std::int64_t>(kept.ended_jobs)));
  kept.ids = static_cast<std::size_t>(
      arguments.integer("remember-ids", 0, jobs_max, static_cast<std::int64_t>(kept.ids)));
  kept.ended_for = arguments.duration("retain-ended-for", kept.ended_for);
  return kept;
}

Status check_listen(const std::string& listen, const std::string& keys, bool insecure) {
  DROVER_ASSIGN(const auto endpoint, parse_endpoint(listen, "--listen"));
  if (endpoint.loopback() || !keys.empty() || insecure) return {};
  return error(
      "--listen {}: is not loopback, and connections are not encrypted: anyone who can reach it "
      "could run work; use --keys DIR (drover keys --help), or --insecure to listen there anyway",
      printable(listen));
}

Result<std::string> keys_folder(const Arguments& arguments) {
  if (arguments.has("insecure")) {
    if (!arguments.has("keys")) return std::string();
    return error("--insecure and --keys exclude each other");
  }
  const char* from_environment = std::getenv("DROVER_KEYS");
  return arguments.text("keys", from_environment == nullptr ? "" : from_environment);
}

}  // namespace

Result<std::vector<std::string>> endpoints_of(const std::string& listen) {
  DROVER_ASSIGN(auto endpoint, parse_endpoint(listen, "--listen"));
  std::vector<std::string> endpoints{endpoint.to_text()};
  if (endpoint.port > 65533) {
    return error("--listen {}: the next two port numbers would be above 65535", listen);
  }
  for (int more = 0; more < 2; ++more) {
    if (endpoint.port != 0) ++endpoint.port;
    endpoints.push_back(endpoint.to_text());
  }
  return endpoints;
}

std::optional<CommandOutcome> read_router_options(Arguments& arguments, RouterOptions& options) {
  options.listen = arguments.text("listen", default_endpoint);
  options.start.speed = arguments.number("speed", speed_min, speed_max, 1);
  options.start.seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, INT64_MAX, 1));
  options.start.control = arguments.has("control");
  options.journal = arguments.text("journal");
  options.on_alert = arguments.text("on-alert");
  options.start.retention = read_retention(arguments);
  if (arguments.has("record")) {
    options.record = read_recorder(arguments, arguments.text("record"), arguments.has("force"));
  } else if (arguments.has("force") || arguments.has("min-free")) {
    arguments.add_problem(error("--force and --min-free work only with --record"));
  }
  options.metrics = read_metrics_options(arguments);
  DROVER_TRY(arguments.status());
  DROVER_ASSIGN(options.keys, keys_folder(arguments));
  const bool insecure = arguments.has("insecure");
  DROVER_TRY(check_listen(options.listen, options.keys, insecure));
  if (const std::string file = arguments.text("policy"); !file.empty()) {
    DROVER_ASSIGN(options.start.policy_text, read_file(file, policy_bytes_max));
    options.start.policy_place = file;
  }
  // Checked before the ledger is opened: with an invalid policy nothing is started.
  DROVER_TRY(read_policy(options.start));
  options.ledger = arguments.text("ledger");
  if (!options.ledger.empty()) return std::nullopt;
  DROVER_ASSIGN(options.ledger, default_ledger());
  return std::nullopt;
}

CommandUsage router_usage() {
  CommandUsage usage{
      "usage: drover router [options]",
      "Routes jobs to the agents that connect to it, keeps them in a durable ledger, and publishes "
      "the state of the fleet. A router that is restarted on the same ledger loses no acknowledged "
      "job. It prints its endpoints when it is ready; SIGTERM or Ctrl-C ends it.",
      {{"policy", "FILE",
        "the routing policy (default: the built-in one); SIGHUP reloads it (drover policy)"},
       {"listen", "E",
        "control endpoint; samples and publishing use the next two ports (port 0: free "
        "ones; default tcp://127.0.0.1:7700)"},
       {"ledger", "FILE", "the ledger (default: ~/.local/state/drover/ledger.sqlite)"},
       {"retain-ended-jobs", "N", "ended jobs whose details the ledger keeps (default 100000)"},
       {"retain-ended-for", "T", "maximum age of those details (fleet time; default 7d)"},
       {"remember-ids", "N",
        "further ended jobs whose ids are kept to recognise resubmissions (default 4000000)"},
       {"speed", "X", "fleet seconds per wall second (default 1)"},
       {"seed", "N", "seed for ties between candidates (default 1)"},
       {"catalogue", "DIR",
        "more models: a folder of *.toml specs (the agents report their devices)"},
       {"journal", "FILE",
        "append every input to FILE, to reproduce the decisions with drover why --replay"},
       {"keys", "DIR",
        "encrypt, and accept only keys allowed in DIR (default: $DROVER_KEYS; drover keys)"},
       {"on-alert", "PROGRAM",
        "run PROGRAM for each alert that is raised, cleared or acknowledged (docs/actions.md)"},
       {"record", "FILE", "record the published stream to FILE, like `drover record`"},
       {"force", "", "with --record: overwrite an existing FILE"},
       min_free_option(),
       {"control", "", "set power caps on real devices too, where their agents allow it"},
       {"insecure", "", "allow --listen beyond loopback, unencrypted"},
       parent_pipe_option()},
      {},
      "  drover router\n"
      "      listens on tcp://127.0.0.1:7700 and the next two ports\n"
      "  drover router --listen tcp://127.0.0.1:9000 \\\n"
      "    --ledger /var/lib/drover/ledger.sqlite\n"
      "  drover router --policy my.toml --speed 60\n"
      "      an hour of fleet time passes in a minute\n"
      "  drover router --metrics 127.0.0.1:9400\n"
      "      Prometheus scrapes http://127.0.0.1:9400/metrics (docs/metrics.md)"};
  usage.add(metrics_options());
  return usage;
}

}  // namespace drover::commands
