// `drover demo`: a whole fleet on this machine.
#include <unistd.h>

#include <fmt/format.h>

#include "commands/demo/demo_run.h"
#include "commands/submit/trace_source.h"
#include "commands/verbs.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

/// A story of 900 s is told in 90.
constexpr double story_speed = 10;

/// Wrong traces are found before anything is started: no such file, no such format, no good row.
Status check_trace(const TraceOptions& options) {
  std::string first_problem;
  auto trace =
      TraceSource::open(options, devices::Catalogue::embedded(), [&](const std::string& line) {
        if (first_problem.empty()) first_problem = line;
      });
  if (!trace) return trace.error();
  if ((*trace)->next()) return {};
  if ((*trace)->skipped() == 0) return error("--trace {}: holds no rows", printable(options.file));
  return error("--trace {}: {}; the first: {}", printable(options.file),
               all_bad_text((*trace)->skipped()), first_problem);
}

DemoShow read_show(Arguments& arguments) {
  if (arguments.has("once") && arguments.has("no-tui")) {
    arguments.complain(error("--once prints a frame and --no-tui a summary: give one of them"));
  }
  if (arguments.has("json") && !arguments.has("no-tui")) {
    arguments.complain(error("--json prints the summary alone: give --no-tui besides"));
  }
  if (arguments.has("once")) return DemoShow::frame;
  return arguments.has("no-tui") ? DemoShow::summary : DemoShow::dashboard;
}

}  // namespace

CommandUsage demo_usage() {
  CommandUsage usage{
      "usage: drover demo [options]",
      "A whole fleet on this machine: a router, four agents with emulated H100, A100 and TPU v5e "
      "in\n"
      "two racks, chat requests and training jobs, and the dashboard on top. Without a trace a\n"
      "story happens to the fleet and is told while it does: a cold slice, a burst, jobs that do\n"
      "not fit everywhere, heat, a lost host, a power cap. It takes a quarter of an hour of fleet\n"
      "time, and begins again. Everything ends with the demo. The router takes the usual ports, "
      "or\n"
      "free ones, which it prints: other drover commands can look at the same fleet.",
      {{"story", "on|off", "what happens to the fleet on purpose (default on, off with a trace)"},
       {"speed", "X", "fleet seconds per wall second (default 1, with a story 10)"},
       {"load", "X", "multiplies the arrivals of work (default 1)"},
       {"seed", "N", "draws the work and the differences between devices (default 1)"},
       {"model", "M", "what every row of the trace runs, where it names none"},
       {"for", "DURATION", "wall time: then feeding stops, and work gets up to 30 s to finish"},
       {"once", "", "print one frame of the fleet at work, and end"},
       {"no-tui", "", "no dashboard; print a summary at the end"},
       {"json", "", "with --no-tui: the summary as one JSON object, alone on stdout"},
       size_option()},
      {},
      "  drover demo\n"
      "      press ? for the dashboard's keys, q to end\n"
      "  drover demo --story off --speed 60 --load 2\n"
      "      nothing but work: an hour a minute, twice as much\n"
      "  drover demo --no-tui --for 30s --json\n"
      "  drover demo --trace azure2023_code.csv --format azure --model llama-3.1-70b --speed 60"};
  for (const std::vector<Option>& more : {settings_options(), trace_options()}) {
    usage.options.insert(usage.options.end(), more.begin(), more.end());
  }
  return usage;
}

CommandOutcome run_demo(Arguments& arguments) {
  DemoPlan plan;
  plan.show = read_show(arguments);
  plan.json = arguments.has("json");
  plan.fleet.work = read_trace_options(arguments, devices::Catalogue::embedded());
  const bool from_trace = arguments.has("trace");
  plan.fleet.story = arguments.one_of("story", {"on", "off"}, from_trace ? "off" : "on") == "on";
  if (plan.fleet.story && from_trace) {
    arguments.complain(error("--story on tells what happens to drawn work: leave out --trace"));
  }
  plan.fleet.speed = arguments.number("speed", 0.01, 10'000, plan.fleet.story ? story_speed : 1);
  if (arguments.has("for")) {
    plan.feed_for = arguments.duration("for", Duration{0});
    if (plan.feed_for == Duration{0}) {
      arguments.complain(
          error("--for: found {}, expected more than no time", arguments.text("for")));
    }
  }
  plan.size = read_size(arguments, {120, 40});
  for (const char* option : {"model", "format", "columns", "throughputs", "measured-on"}) {
    if (from_trace || !arguments.has(option)) continue;
    arguments.complain(error("--{} describes a trace: give --trace FILE", option));
  }
  // A frame is the same whatever the file of settings says.
  auto settings = plan.show == DemoShow::dashboard ? DashboardSettings::open(arguments)
                                                   : DashboardSettings(read_given(arguments));
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  if (!settings) return CommandOutcome::failed(settings.error());
  plan.settings = std::move(*settings);
  if (from_trace) {
    const Status fine = check_trace(plan.fleet.work);
    if (!fine) return CommandOutcome::failed(fine.error());
  }
  // Found out before a fleet is started for nothing.
  if (plan.show == DemoShow::dashboard && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
    return CommandOutcome::failed(
        error("no terminal to show the dashboard on: use --once for a frame or --no-tui for a "
              "summary"));
  }
  return DemoRun(std::move(plan)).run();
}

}  // namespace drover::commands
