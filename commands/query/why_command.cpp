// `drover why`: the decisions on one job, with every reason; of a running router, or made again
// from the journal of one.
#include <fmt/format.h>

#include "commands/connection/session.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/query/explanations.h"
#include "commands/query/journal_replay.h"
#include "commands/shell/given_time.h"
#include "commands/shell/journal_file.h"
#include "commands/shell/output.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

/// Of one job, the last ones.
constexpr std::size_t standings_kept = 64;

struct ReplayedWhy {
  WhyReply reply;
  StandingsOf standings;
  Instant from{}, until{};
  JournalReplay::Counts counts;
};

struct WhyReplay {
  std::string journal;
  std::string job;
  std::optional<GivenTime> at;
};

bool is_of(const Decision& decision, const std::string& job) {
  return !job.empty() && to_text(decision.job).starts_with(job);
}

/// What every candidate was worth is known at the moment of the decision only.
void note_standings(JournalReplay& replay, const std::string& job, StandingsOf& standings) {
  for (const Send& send : replay.outbox().sends) {
    const auto* decision = std::get_if<Decision>(&send.envelope.body);
    if (decision == nullptr || !is_of(*decision, job)) continue;
    standings[decision->number] = replay.router()->standings(decision->number);
    if (standings.size() > standings_kept) standings.erase(standings.begin());
  }
}

Result<ReplayedWhy> why_again(const WhyReplay& asked, const devices::Catalogue& catalogue) {
  auto journal = JournalInput::open(asked.journal);
  if (!journal) return journal.error();
  JournalReplay replay(catalogue);
  ReplayedWhy found;
  bool more = false;  // the journal goes on after the moment that was asked for
  while (true) {
    const std::uint64_t at = journal->at();
    auto record = journal->next();
    if (!record) return record.error();
    if (!*record) break;
    const auto time = time_of(**record);
    more = asked.at && time && *time > asked.at->in(found.from);
    if (more) break;
    if (std::holds_alternative<JournalStart>(**record)) found.standings.clear();
    if (const Status fed = replay.feed(**record); !fed) {
      return error("{}: byte {}: {}", printable(asked.journal), at, fed.error().message);
    }
    if (at == 0) found.from = replay.now();
    note_standings(replay, asked.job, found.standings);
  }
  if (const Status settled = replay.settle(); !settled) {
    return error("{}: {}", printable(asked.journal), settled.error().message);
  }
  found.until = replay.now();
  found.counts = replay.counts();
  const Instant as_of = asked.at ? asked.at->in(found.from) : found.until;
  if (as_of < found.from || (as_of > found.until && !more)) {
    return error("--at {}: the journal is of {} to {}", to_iso8601(as_of), to_iso8601(found.from),
                 to_iso8601(found.until));
  }
  found.reply = replay.router()->why(found.until, asked.job);
  return found;
}

/// A job that waits has its candidates as they stand now, as a running router says, and not those
/// of the decision since which it waits.
StandingsOf standings_to_show(const ReplayedWhy& found) {
  StandingsOf shown = found.standings;
  if (found.reply.standings_of > 0 || found.reply.decisions.empty()) return shown;
  shown.erase(found.reply.decisions.back().number);
  shown[0] = found.reply.standings;
  return shown;
}

std::string replay_text(const ReplayedWhy& found) {
  const JournalReplay::Counts& counts = found.counts;
  return fmt::format(
      "as of {}, from {} in {} of the router: {} made again, and all that it\n"
      "said in {} said again bit for bit\n",
      to_iso8601(found.until), counted(counts.inputs, "input"),
      counted(counts.lives, "life", "lives"), counted(counts.decisions, "decision"),
      counted(counts.said, "turn"));
}

Json replay_json(const ReplayedWhy& found) {
  Json standings = Json::object();
  for (const auto& [decision, all] : found.standings) {
    standings.set(std::to_string(decision), to_json(all));
  }
  return to_json(found.reply)
      .set("standings_by_decision", std::move(standings))
      .set("replay", Json::object()
                         .set("from", to_iso8601(found.from))
                         .set("until", to_iso8601(found.until))
                         .set("lives", found.counts.lives)
                         .set("inputs", found.counts.inputs)
                         .set("decisions", found.counts.decisions)
                         .set("turns_said_again", found.counts.said));
}

CommandOutcome run_replay(Arguments& arguments) {
  WhyReplay asked{arguments.text("replay"), arguments.text("JOB"), {}};
  if (arguments.has("connect")) {
    arguments.complain(error("--replay reads a file and --connect asks a router: give one"));
  }
  if (arguments.has("at")) {
    const auto at = parse_given_time(arguments.text("at"), "--at");
    if (!at) arguments.complain(at.error());
    if (at) asked.at = *at;
  }
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  const auto catalogue = load_catalogue(arguments.text("catalogue"));
  if (!catalogue) return CommandOutcome::failed(catalogue.error());
  auto found = why_again(asked, *catalogue);
  if (found && asked.job.empty() && found->reply.job) {
    // Only now is it known whose candidates are wanted.
    asked.job = to_text(found->reply.job->job.id);
    found = why_again(asked, *catalogue);
  }
  if (!found) return CommandOutcome::failed(found.error());
  if (!found->reply.problem.empty()) {
    return CommandOutcome::failed(error("{}", printable(found->reply.problem)));
  }
  if (arguments.has("json")) {
    put("{}\n", replay_json(*found).dump());
  } else {
    put_text(explain(found->reply, standings_to_show(*found)));
    put_text(replay_text(*found));
  }
  return CommandOutcome::done();
}

}  // namespace

CommandUsage why_usage() {
  return {
      "usage: drover why [JOB] [options]",
      "Explains where a job went: every decision on it, each candidate with its score or all the\n"
      "reasons against it, and what a fallback costs. Of a job that waits: the smallest single\n"
      "changes that would place it. JOB is an id or its first digits; without it, the last job\n"
      "that fell back is explained. From the journal of a router (drover router --journal FILE)\n"
      "the decisions are made again, with all candidates of each, up to any moment; all that the\n"
      "router said then must come out again bit for bit.",
      {connect_option(),
       {"replay", "FILE", "the journal of a router instead of a running one"},
       {"at", "TIME", "with --replay: as of then, from the start (30s, 5m) or in UTC"},
       {"catalogue", "DIR", "with --replay: more model specs, as the router had"},
       {"json", "", "one JSON object on stdout"}},
      {"JOB"},
      "  drover why\n"
      "  drover why 3f2a91c0\n"
      "  drover why 3f2a --json\n"
      "  drover why 3f2a --replay router.journal --at 10m"};
}

CommandOutcome run_why(Arguments& arguments) {
  if (arguments.has("replay")) return run_replay(arguments);
  for (const char* option : {"at", "catalogue"}) {
    if (arguments.has(option)) arguments.complain(error("--{} goes with --replay", option));
  }
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  auto session = Session::open({endpoint_of(arguments), Role::client, "why"});
  if (!session) return CommandOutcome::failed(session.error());
  const auto reply =
      (*session)->ask<WhyReply>(WhyRequest{arguments.text("JOB")}, std::chrono::milliseconds(5000));
  if (!reply) return CommandOutcome::failed(reply.error());
  if (!reply->problem.empty())
    return CommandOutcome::failed(error("{}", printable(reply->problem)));
  if (arguments.has("json")) {
    put("{}\n", to_json(*reply).dump());
  } else {
    put_text(explain(*reply));
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
