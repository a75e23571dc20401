// `drover demo`: runs a complete fleet on this machine.
#include <unistd.h>

#include "commands/demo/run.h"
#include "commands/subcommands.h"
#include "commands/submit/trace_source.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/text.h"
#include "fleet/socket/socket.h"

namespace drover::commands {

namespace {

/// Runs the story of 900 s in 90 s.
constexpr double story_speed = 10;

/// Detects invalid traces before anything is started: no such file, wrong format, no valid row.
Status check_trace(const TraceOptions& options) {
  std::string first_problem;
  DROVER_ASSIGN(auto trace, TraceSource::open(options, devices::Catalogue::embedded(),
                                              [&](const std::string& line) {
                                                if (first_problem.empty()) first_problem = line;
                                              }));
  if (trace->next()) return {};
  if (trace->skipped() == 0) return error("--trace {}: has no rows", printable(options.file));
  return error("--trace {}: {}; the first: {}", printable(options.file),
               all_bad_text(trace->skipped()), first_problem);
}

/// Beyond this machine the demo needs keys, as every router does.
std::string read_listen(Arguments& arguments) {
  const std::string listen = arguments.text("listen");
  if (listen.empty()) {
    if (arguments.has("keys")) arguments.add_problem(error("--keys works only with --listen E"));
    return listen;
  }
  const auto endpoint = parse_endpoint(listen, "--listen");
  if (!endpoint) {
    arguments.add_problem(endpoint.error());
  } else if (!endpoint->loopback() && !arguments.has("keys")) {
    arguments.add_problem(error(
        "--listen {}: is not loopback, and connections are not encrypted: anyone who can reach "
        "it could run work; use --keys DIR, where the demo makes the keys that it needs",
        printable(listen)));
  }
  return listen;
}

DemoOutput read_output(Arguments& arguments) {
  if (arguments.has("once") && arguments.has("headless")) {
    arguments.add_problem(error("--once prints a frame and --headless a summary: use one of them"));
  }
  if (arguments.has("json") && !arguments.has("headless")) {
    arguments.add_problem(error("--json works only with --headless"));
  }
  if (arguments.has("once")) return DemoOutput::frame;
  return arguments.has("headless") ? DemoOutput::summary : DemoOutput::dashboard;
}

}  // namespace

CommandUsage demo_usage() {
  CommandUsage usage{
      "usage: drover demo [options]",
      "Runs a complete fleet on this machine: a router, five agents with emulated H100, A100 and "
      "TPU v5e devices in two racks, chat requests and training jobs, and the dashboard. Without a "
      "trace, a captioned story plays: a cold slice, a burst, jobs that only some devices can run, "
      "heat, a lost host, a power cap. It takes a quarter of an hour of fleet time, sums up, and "
      "repeats. The screen follows the story until you press a key. All processes end with the "
      "demo. The router uses the default ports if they are free, otherwise others, or those of "
      "--listen. Other drover commands can query the fleet at the address in the title of the "
      "dashboard. With --once or --headless the demo prints that address.",
      {Option::choice("story", "on|off", "play the story (default on, off with a trace)",
                      {"on", "off"}),
       {"speed", "X", "fleet seconds per wall second (default 1, with a story 10)"},
       {"load", "X", "multiplies the arrival rate of work (default 1)"},
       {"seed", "N", "seed for the work and for device variation (default 1)"},
       {"listen", "E",
        "endpoint of the router for other programs; also the next two ports (default "
        "tcp://127.0.0.1:7700, or free ports); beyond this machine with --keys"},
       {"keys", "DIR",
        "encrypt connections with keys of this folder; the demo makes those that it needs"},
       {"model", "M", "the model of every row; required if the trace names none"},
       {"for", "DURATION", "stop submitting after this wall time; work gets up to 30 s to finish"},
       {"once", "", "print one frame of the busy fleet, and exit"},
       {"headless", "", "no dashboard; print a summary at the end"},
       {"json", "", "with --headless: print only the summary, as one JSON object on stdout"},
       size_option()},
      {},
      "  drover demo\n"
      "      press ? for the dashboard's keys, q to quit\n"
      "  drover demo --story off --speed 60 --load 2\n"
      "      only work, without a story: an hour per minute, and twice the load\n"
      "  drover demo --headless --for 30s --json\n"
      "  drover demo --listen tcp://127.0.0.1:9000\n"
      "      then: drover top --connect tcp://127.0.0.1:9000\n"
      "  drover demo --trace azure2023_code.csv --format azure --model llama-3.1-70b \\\n"
      "    --speed 60"};
  usage.add(settings_options());
  usage.add(trace_options());
  return usage;
}

CommandOutcome run_demo(Arguments& arguments) {
  DemoPlan plan;
  plan.output = read_output(arguments);
  plan.listen = read_listen(arguments);
  plan.fleet.keys = arguments.text("keys");
  plan.json = arguments.has("json");
  plan.fleet.work = read_trace_options(arguments, devices::Catalogue::embedded());
  const bool from_trace = arguments.has("trace");
  plan.fleet.story = arguments.one_of("story", {"on", "off"}, from_trace ? "off" : "on") == "on";
  if (plan.fleet.story && from_trace) {
    arguments.add_problem(error("--story on and --trace exclude each other"));
  }
  plan.fleet.speed = arguments.number("speed", 0.01, 10'000, plan.fleet.story ? story_speed : 1);
  if (arguments.has("for")) {
    plan.feed_for = arguments.duration("for", Duration{0});
    if (plan.feed_for == Duration{0}) {
      arguments.add_problem(error("--for: found {}, expected more than 0s", arguments.text("for")));
    }
  }
  plan.size = read_size(arguments);
  for (const char* option : {"model", "format", "columns", "throughputs", "measured-on"}) {
    if (from_trace || !arguments.has(option)) continue;
    arguments.add_problem(error("--{} works only with --trace FILE", option));
  }
  // Frames do not depend on a settings file.
  auto settings = plan.output == DemoOutput::dashboard
                      ? DashboardSettings::open(arguments)
                      : DashboardSettings(read_command_line_settings(arguments));
  DROVER_TRY(arguments.status());
  if (!settings) return settings.error();
  plan.settings = std::move(*settings);
  if (from_trace) {
    const Status fine = check_trace(plan.fleet.work);
    if (!fine) return fine.error();
  }
  // Checked before a fleet is started.
  if (plan.output == DemoOutput::dashboard && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
    return error(ErrorKind::io,
                 "no terminal to show the dashboard on: use --once for a frame or --headless for a "
                 "summary");
  }
  return DemoRun(std::move(plan)).run();
}

}  // namespace drover::commands
