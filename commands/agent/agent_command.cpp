// `drover agent`: the options, and which kind of agent they ask for.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "commands/agent/dry_run.h"
#include "commands/agent/emulated_agent.h"
#include "commands/agent/options.h"
#include "commands/agent/stdio_agent.h"
#include "commands/agent/watched_agent.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/shell/parent_watchdog.h"
#include "commands/subcommands.h"

namespace drover::commands {

namespace {

/// Refuses what has no effect with the option `mode`.
void allow_only(Arguments& arguments, std::string_view mode,
                std::initializer_list<std::string_view> allowed) {
  for (const Option& option : agent_usage().options) {
    if (option.name == mode || std::ranges::find(allowed, option.name) != allowed.end()) continue;
    if (arguments.has(option.name)) {
      arguments.add_problem(error("--{} has no effect with --{}", option.name, mode));
    }
  }
}

}  // namespace

CommandUsage agent_usage() {
  CommandUsage usage{
      "usage: drover agent --devices LIST [options]\n"
      "       drover agent --real [options]\n"
      "       drover agent --scrape URL,.. [options]",
      "With --devices: emulates the devices of one host, reports samples to the router and runs "
      "the work that the router assigns. With --real or --scrape: reports real devices, which the "
      "router watches and gives no work. Retries while the router cannot be reached. `drover "
      "catalogue devices` and `drover catalogue models` list the names.",
      {connect_option(),
       {"devices", "LIST", "DEVICE:COUNT[@TOPOLOGY],..; each entry is one group of devices"},
       {"replicas", "LIST", "MODEL:FIRST[-LAST][@PRECISION],..: replicas loaded at the start"},
       {"name", "HOST", "the host's name (default: this machine's)"},
       {"rack", "R", "its rack (default rack-1)"},
       {"site", "S", "its site (default local)"},
       {"label", "K=V", "a label for policies; may be given several times", false, true},
       {"ambient", "C", "temperature of the inlet air in C (default 22)"},
       {"sample-rate", "HZ", "samples per fleet second (default 1)"},
       {"seed", "N", "seed for device variation and faults (default 1)"},
       {"faults", "RATE", "random faults: RATE times the published rates (default 0: none)"},
       {"sample-loss", "SHARE", "share of the device samples that are lost (default 0)"},
       {"sample-delay", "T", "delay of the samples, in fleet time (default 0s)"},
       {"catalogue", "DIR", "more devices and models: a folder of *.toml specs"},
       {"journal", "FILE", "write every input to FILE, for a replay"},
       {"exit-after-silence", "T", "exit after T without an answer from a router (default: never)"},
       {"log", "FILE", "append messages to FILE; over 1 MiB it is rotated to FILE.1"},
       {"fake-nvml", "[=FILE]",
        "serve the NVIDIA GPUs to programs that read NVML, on this machine"},
       {"state", "FILE", "write the connection state to FILE: joined or waiting"},
       parent_pipe_option(),
       {"control", "", "with --real: let the router set power caps (drover router --control)"},
       {"dry-run", "", "with --real: print what is found, and why each missing metric is missing"},
       {"json", "", "with --dry-run: as JSON"},
       {"stdio", "",
        "with --real: no router; readings on standard output, for drover watch --ssh"}},
      {},
      "  drover agent --devices h100-sxm:8\n"
      "      eight H100, no model loaded\n"
      "  drover agent --name h100-1 --devices h100-sxm:8 \\\n"
      "    --replicas llama-3.1-70b:0-3,llama-3.1-8b:4\n"
      "      a 70B model on devices 0 to 3, an 8B model on device 4\n"
      "  drover agent --name v5e-1 --devices tpu-v5e:8@2x4 \\\n"
      "    --replicas llama-3.1-70b:0-7@int8\n"
      "  drover agent --real --dry-run\n"
      "      what this machine has\n"
      "  drover agent --scrape http://node-7:9400/metrics,http://node-8:9400/metrics"};
  usage.add(source_options());
  usage.add(metrics_options());
  return usage;
}

CommandOutcome run_agent(Arguments& arguments) {
  DROVER_ASSIGN(auto catalogue, load_catalogue(arguments.text("catalogue")));
  const SourceOptions sources = read_source_options(arguments);
  if (arguments.has("dry-run")) {
    if (!sources.real) arguments.add_problem(error("--dry-run works only with --real"));
    allow_only(arguments, "dry-run", {"real", "json", "catalogue"});
    DROVER_TRY(arguments.status());
    return print_found_devices(catalogue, arguments.has("json"));
  }
  if (arguments.has("stdio")) {
    if (!sources.real) arguments.add_problem(error("--stdio works only with --real"));
    allow_only(arguments, "stdio", {"real", parent_pipe_option().name});
    DROVER_TRY(arguments.status());
    return run_stdio_agent();
  }
  if (arguments.has("json")) arguments.add_problem(error("--json works only with --dry-run"));
  if (sources.any()) {
    DROVER_ASSIGN(const auto watched, read_watched_options(arguments, sources));
    DROVER_TRY(check_connect(watched.endpoint, "DROVER_CONNECT"));
    return run_watched_agent(watched, catalogue);
  }
  if (arguments.has("control")) {
    arguments.add_problem(error("--control works only with --real"));
  }
  DROVER_ASSIGN(auto options, read_agent_options(arguments, catalogue));
  DROVER_TRY(check_connect(options.endpoint, "DROVER_CONNECT"));
  return run_emulated_agent(std::move(options), catalogue);
}

}  // namespace drover::commands
