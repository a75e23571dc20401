// The one binary. A verb is one row of the table below and one file beside this one.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "commands/shell/options.h"
#include "commands/shell/outcome.h"
#include "commands/shell/output.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"

namespace {

using drover::commands::Arguments;
using drover::commands::Exit;
using drover::commands::CommandOutcome;
using drover::commands::CommandUsage;

struct Verb {
  const char* name;
  const char* summary;  // empty: hidden
  CommandUsage (*usage)();
  CommandOutcome (*run)(Arguments&);
};

namespace commands = drover::commands;

constexpr Verb verbs[] = {
    {"demo", "a whole fleet on this machine, with work and the dashboard", commands::demo_usage,
     commands::run_demo},
    {"router", "routes jobs to the agents that connect to it", commands::router_usage,
     commands::run_router},
    {"agent", "emulates the devices of one host", commands::agent_usage, commands::run_agent},
    {"top", "the live dashboard", commands::top_usage, commands::run_top},
    {"frame", "one frame of the dashboard as text", commands::frame_usage, commands::run_frame},
    {"submit", "submits one job, or all of a trace", commands::submit_usage, commands::run_submit},
    {"status", "totals of the fleet and its work", commands::status_usage, commands::run_status},
    {"devices", "a table of all devices", commands::devices_usage, commands::run_devices},
    {"jobs", "a table of jobs", commands::jobs_usage, commands::run_jobs},
    {"why", "explains where a job went", commands::why_usage, commands::run_why},
    {"inject", "makes devices faulty for a while, for practice", commands::inject_usage,
     commands::run_inject},
    {"cap", "holds the power of the site or a pool under a limit", commands::cap_usage,
     commands::run_cap},
    {"drain", "keeps new work away from devices; what runs there ends", commands::drain_usage,
     commands::run_drain},
    {"resume", "lets work come again to what was drained", commands::resume_usage,
     commands::run_resume},
    {"cancel", "ends jobs", commands::cancel_usage, commands::run_cancel},
    {"alerts", "what is wrong now, and the rules that say so", commands::alerts_usage,
     commands::run_alerts},
    {"forget", "lets go a host that will not return", commands::forget_usage, commands::run_forget},
    {"acknowledge", "says that somebody cares for alerts", commands::acknowledge_usage,
     commands::run_acknowledge},
    {"policy", "checks, shows and changes how work is routed", commands::policy_usage,
     commands::run_policy},
    {"launch", "agents on many hosts, by ssh", commands::launch_usage, commands::run_launch},
    {"keys", "keys for encrypted connections: who may come in", commands::keys_usage,
     commands::run_keys},
    {"record", "writes everything that happens to a file", commands::record_usage,
     commands::run_record},
    {"recording", "looks into recordings, repairs, cuts and exports them",
     commands::recording_usage, commands::run_recording},
    {"catalogue", "the known devices and models", commands::catalogue_usage,
     commands::run_catalogue},
    {"estimate", "what a workload takes on a device: time, memory, power, cost",
     commands::estimate_usage, commands::run_estimate},
    {"compare", "the same work on several sets of devices: which one wins", commands::compare_usage,
     commands::run_compare},
    {"validate", "the device models against published measurements", commands::validate_usage,
     commands::run_validate},
    {"feed", "", commands::feed_usage, commands::run_feed},
    {"story", "", commands::story_usage, commands::run_story},
};

std::string overview() {
  std::string text =
      "drover: routes work over a mixed fleet of (emulated) GPUs and TPUs, and shows it live.\n\n"
      "usage: drover VERB [options]\n\nVerbs:\n";
  for (const Verb& verb : verbs) {
    if (*verb.summary != 0) text += fmt::format("  {:<11} {}\n", verb.name, verb.summary);
  }
  text +=
      "\nStart here:\n"
      "  drover demo               a router, four agents, work, and the dashboard\n"
      "  drover VERB --help        what a verb does, with examples\n\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 partly done.\n";
  return text;
}

/// What was not written has not been done, whatever the verb thinks of itself.
int end(const std::string& who, CommandOutcome outcome) {
  const drover::Status written = commands::flush_output();
  if (!written && (outcome.exit == Exit::done || outcome.exit == Exit::partly)) {
    outcome = CommandOutcome::failed(written.error());
  }
  if (!outcome.message.empty()) commands::put_error("{}: {}\n", who, outcome.message);
  return static_cast<int>(outcome.exit);
}

const Verb* verb_named(const std::string& word) {
  const auto* found = std::find_if(std::begin(verbs), std::end(verbs),
                                   [&](const Verb& v) { return word == v.name; });
  return found == std::end(verbs) ? nullptr : found;
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

CommandOutcome unknown_verb(const std::string& word) {
  std::vector<std::string> known;
  for (const Verb& verb : verbs) {
    if (*verb.summary != 0) known.emplace_back(verb.name);
  }
  return CommandOutcome::usage(
      drover::error("unknown verb '{}'{}", drover::excerpt(word), drover::suggestion(word, known)));
}

int run(const Verb& verb, const std::vector<std::string>& words) {
  const std::string who = fmt::format("drover {}", verb.name);
  const CommandUsage usage = commands::with_key_options(verb.usage());
  if (std::any_of(words.begin(), words.end(), asks_for_help)) {
    commands::put_text(help_text(usage));
    return end(who, CommandOutcome::done());
  }
  auto arguments = Arguments::parse(usage, words);
  if (!arguments) return end(who, CommandOutcome::usage(arguments.error()));
  return end(who, verb.run(*arguments));
}

}  // namespace

int main(int count, char** values) {
  commands::hold_standard_streams();
  std::vector<std::string> words(values + 1, values + count);
  // `drover help VERB` is `drover VERB --help`.
  if (words.size() > 1 && words[0] == "help") words = {words[1], "--help"};
  if (words.empty() || words[0] == "help" || asks_for_help(words[0])) {
    commands::put_text(overview());
    return end("drover", CommandOutcome::done());
  }
  if (words[0] == "--version") {
    commands::put("{}\n", commands::software_name);
    return end("drover", CommandOutcome::done());
  }
  const Verb* verb = verb_named(words[0]);
  if (verb == nullptr) return end("drover", unknown_verb(words[0]));
  return run(*verb, {words.begin() + 1, words.end()});
}
