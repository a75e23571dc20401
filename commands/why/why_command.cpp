// `drover why`: explains the decisions on one job, of a running router or reproduced from a
// router's journal; or why a device is slow.
#include <unistd.h>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/query/explanations.h"
#include "commands/query/fleet_client.h"
#include "commands/shell/journal_file.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "commands/why/idle_device.h"
#include "commands/why/journal_replay.h"
#include "commands/why/slow_device.h"
#include "fleet/base/text.h"
#include "tui/explain/idle_device.h"
#include "tui/tables/device_queries.h"

namespace drover::commands {
namespace {

/// The last decisions of a job whose candidates are kept.
constexpr std::size_t kept_decisions_max = 64;

struct ReplayedWhy {
  WhyReply reply;
  CandidatesByDecision candidates;
  Instant from{}, until{};
  JournalReplay::Counts counts;
};

struct WhyReplay {
  std::string journal;
  std::string job;
  std::optional<TimeArgument> at;
};

bool is_of(const Decision& decision, const std::string& job) {
  return !job.empty() && to_text(decision.job).starts_with(job);
}

/// Keeps the candidates of this turn's decisions on the job: they are known only at that moment.
void keep_candidates(JournalReplay& replay, const std::string& job,
                     CandidatesByDecision& candidates) {
  for (const Send& send : replay.outbox().sends) {
    const auto* decision = std::get_if<Decision>(&send.envelope.body);
    if (decision == nullptr || !is_of(*decision, job)) continue;
    candidates[decision->number] = replay.router()->candidates(decision->number);
    if (candidates.size() > kept_decisions_max) candidates.erase(candidates.begin());
  }
}

Result<ReplayedWhy> replay_why(const WhyReplay& request, const devices::Catalogue& catalogue) {
  DROVER_ASSIGN(auto journal, JournalReader::open(request.journal));
  JournalReplay replay(catalogue);
  ReplayedWhy found;
  bool more = false;  // the journal continues after the requested time
  while (true) {
    const std::uint64_t at = journal.at();
    DROVER_ASSIGN(auto record, journal.next());
    if (!record) break;
    const auto time = time_of(*record);
    more = request.at && time && *time > request.at->in(found.from);
    if (more) break;
    if (std::holds_alternative<JournalStart>(*record)) found.candidates.clear();
    if (const Status fed = replay.feed(*record); !fed) {
      return error(ErrorKind::io, "{}: byte {}: {}", printable(request.journal), at,
                   fed.error().message);
    }
    if (at == 0) found.from = replay.now();
    keep_candidates(replay, request.job, found.candidates);
  }
  if (const Status settled = replay.settle(); !settled) {
    return error(ErrorKind::io, "{}: {}", printable(request.journal), settled.error().message);
  }
  found.until = replay.now();
  found.counts = replay.counts();
  const Instant as_of = request.at ? request.at->in(found.from) : found.until;
  if (as_of < found.from || (as_of > found.until && !more)) {
    return error("--at {}: the journal covers {} to {}", to_iso8601(as_of), to_iso8601(found.from),
                 to_iso8601(found.until));
  }
  found.reply = replay.router()->why(found.until, request.job);
  return found;
}

/// For a queued job the current candidates, as a running router reports them, not those of the
/// decision that queued it.
CandidatesByDecision candidates_to_show(const ReplayedWhy& found) {
  CandidatesByDecision shown = found.candidates;
  if (found.reply.candidates_of_decision > 0 || found.reply.decisions.empty()) return shown;
  shown.erase(found.reply.decisions.back().number);
  shown[0] = found.reply.candidates;
  return shown;
}

std::string replay_text(const ReplayedWhy& found) {
  const JournalReplay::Counts& counts = found.counts;
  return fmt::format(
      "as of {}: replayed {} of {}; reproduced {}, and the\n"
      "output of {}, bit for bit\n",
      to_iso8601(found.until), counted(counts.inputs, "input"),
      counted(counts.router_runs, "router run"), counted(counts.decisions, "decision"),
      counted(counts.reproduced_turns, "turn"));
}

Json replay_json(const ReplayedWhy& found) {
  Json candidates = Json::object();
  for (const auto& [decision, all] : found.candidates) {
    candidates.set(std::to_string(decision), commands::to_json(all));
  }
  return commands::to_json(found.reply, found.until)
      .set("candidates_by_decision", std::move(candidates))
      .set("replay", Json::object()
                         .set("from", to_iso8601(found.from))
                         .set("until", to_iso8601(found.until))
                         .set("router_runs", found.counts.router_runs)
                         .set("inputs", found.counts.inputs)
                         .set("decisions", found.counts.decisions)
                         .set("reproduced_turns", found.counts.reproduced_turns));
}

/// The ids of jobs have no slash.
bool names_device(std::string_view text) { return text.find('/') != std::string_view::npos; }

CommandOutcome explain_device(const Arguments& arguments, const DeviceId& device) {
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "why"}));
  FleetClient fleet(*session);
  DROVER_TRY(fleet.sync());
  const tui::Model& model = fleet.model();
  const auto row = model.find(device);
  if (!row) {
    return error(ErrorKind::not_found, "{}; drover devices lists all",
                 tui::unknown_device_text(model, device));
  }
  std::vector<WhyReply> waiting;
  if (tui::is_idle(model, *row)) {
    for (const JobId& job : tui::waiting_jobs_to_ask(model)) {
      DROVER_ASSIGN(auto reply, session->ask<WhyReply>(WhyRequest{to_text(job)}));
      if (reply.job && reply.job->state == JobState::queued) waiting.push_back(std::move(reply));
    }
  }
  const Instant now = fleet.now();
  if (arguments.has("json")) {
    const Json json =
        slow_device_json(model, now, *row).set("idle", idle_json(model, *row, waiting));
    write_stdout("{}\n", json.dump());
    return CommandOutcome::done();
  }
  write_stdout_text(wrapped_for_terminal(
      slow_device_text(model, now, *row) + idle_text(model, *row, waiting), STDOUT_FILENO));
  return CommandOutcome::done();
}

CommandOutcome run_replay(Arguments& arguments) {
  WhyReplay request{arguments.text("replay"), arguments.text("JOB"), {}};
  if (arguments.has("connect")) {
    arguments.add_problem(error("--replay reads a file and --connect queries a router: use one"));
  }
  if (names_device(request.job)) {
    arguments.add_problem(
        error("--replay explains jobs, and {} is a device", excerpt(request.job)));
  }
  request.at = arguments.parsed("at", parse_time_argument, request.at);
  DROVER_TRY(arguments.status());
  DROVER_ASSIGN(const auto catalogue, load_catalogue(arguments.text("catalogue")));
  auto found = replay_why(request, catalogue);
  if (found && request.job.empty() && found->reply.job) {
    // Only now is the job known whose candidates must be kept.
    request.job = to_text(found->reply.job->job.id);
    found = replay_why(request, catalogue);
  }
  if (!found) return found.error();
  if (!found->reply.problem.empty()) {
    return error(ErrorKind::not_found, "{}", printable(found->reply.problem));
  }
  write_stdout_text(arguments.has("json")
                        ? replay_json(*found).dump() + "\n"
                        : wrapped_for_terminal(explain(found->reply, candidates_to_show(*found)) +
                                                   replay_text(*found),
                                               STDOUT_FILENO));
  return CommandOutcome::done();
}

}  // namespace

CommandUsage why_usage() {
  return {
      "usage: drover why [JOB|DEVICE] [options]",
      "Explains the placement of a job: every decision, each candidate with its score or all "
      "reasons against it, and what a fallback costs. For a queued job the smallest single changes "
      "that would place it come first. JOB is an id or its first digits; without it, the "
      "last job that fell back is explained. With --replay the decisions are reproduced from a "
      "router's journal (drover router --journal FILE), with all candidates of each, up to the "
      "time of --at. It fails unless the router's output is reproduced bit for bit. Of a DEVICE "
      "(HOST/N) it lists likely causes of slow work, most likely first, each with the reading that "
      "shows it, and what could not be checked. Of an idle device it says what waits, and why that "
      "does not run there.",
      {connect_option(),
       {"replay", "FILE", "read the journal of a router instead of querying a running one"},
       {"at", "TIME", "with --replay: stop at this time, from the start (30s, 5m) or in UTC"},
       {"catalogue", "DIR",
        "with --replay: the folder of specs that the router was started with (its --catalogue)"},
       {"json", "", "one JSON object on stdout"}},
      {"JOB"},
      "  drover why\n"
      "  drover why 3f2a91c0\n"
      "  drover why gpu-a/3\n"
      "  drover why 3f2a --json\n"
      "  drover why 3f2a --replay router.journal --at 10m"};
}

CommandOutcome run_why(Arguments& arguments) {
  if (arguments.has("replay")) return run_replay(arguments);
  for (const char* option : {"at", "catalogue"}) {
    if (arguments.has(option)) {
      arguments.add_problem(error("--{} works only with --replay", option));
    }
  }
  const std::string about = arguments.text("JOB");
  DROVER_TRY(arguments.status());
  if (names_device(about)) {
    DROVER_ASSIGN(const auto device, parse_device_id(about));
    return explain_device(arguments, device);
  }
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "why"}));
  DROVER_ASSIGN(const auto reply, session->ask<WhyReply>(WhyRequest{about}));
  if (!reply.problem.empty()) return error(ErrorKind::not_found, "{}", printable(reply.problem));
  const Instant now = session->clock().now();
  write_stdout_text(arguments.has("json") ? to_json(reply, now).dump() + "\n"
                                          : wrapped_for_terminal(explain(reply), STDOUT_FILENO));
  return CommandOutcome::done();
}

}  // namespace drover::commands
