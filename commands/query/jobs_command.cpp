// `drover jobs`: lists the open jobs and the last ended ones.
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/connection/session.h"
#include "commands/query/job_listing.h"
#include "commands/query/reports.h"
#include "commands/shell/clock.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"

namespace drover::commands {
namespace {

constexpr std::uint32_t ended_default = 20;
/// At most this many open jobs are listed; further ones are only counted.
constexpr std::size_t open_shown_max = 1'000;

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (int i = 0; i < job_state_count; ++i) names.emplace_back(to_text(static_cast<JobState>(i)));
  return names;
}

std::uint32_t read_ended(Arguments& arguments) {
  if (arguments.text("ended") == "all") return std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(arguments.integer("ended", 0, 10'000'000, ended_default));
}

/// Requests page after page until there are `jobs_max` jobs. Returns how many were left out.
Result<std::uint64_t> add_pages(Session& session, std::optional<JobsRequest> request,
                                std::size_t jobs_max, JobListing& all) {
  std::uint64_t left_out = 0;
  while (request && all.jobs.size() < jobs_max) {
    DROVER_ASSIGN(auto page, session.ask<JobsReply>(*request));
    left_out = page.left_out;
    all.ended_kept = page.ended_kept;
    all.ended_ever = page.ended_ever;
    request = next_page(*request, page);
    all.jobs.insert(all.jobs.end(), std::make_move_iterator(page.jobs.begin()),
                    std::make_move_iterator(page.jobs.end()));
  }
  return left_out;
}

/// The open jobs, then at most `ended_max` ended ones.
Result<JobListing> list(Session& session, std::optional<JobState> state, std::uint32_t ended_max) {
  JobListing all;
  JobsRequest request;
  request.ended_max = 0;
  request.state = state;
  DROVER_ASSIGN(all.open_left_out, add_pages(session, request, open_shown_max, all));
  const std::size_t open = all.jobs.size();
  request.ended_only = true;
  request.ended_max = ended_max;
  DROVER_TRY(add_pages(session, request, std::numeric_limits<std::size_t>::max(), all));
  all.ended_shown = all.jobs.size() - open;
  all.jobs = once_each(std::move(all.jobs));
  return all;
}

}  // namespace

CommandUsage jobs_usage() {
  return {"usage: drover jobs [options]",
          "Lists the open jobs and the last ended ones: their work, state, target and reason.",
          {connect_option(),
           {"ended", "N|all", "how many of the most recently ended jobs to list (default 20)"},
           Option::choice("state", "S",
                          "only queued, leased, running, finished, failed or cancelled jobs",
                          state_names()),
           {"json", "", "one JSON object on stdout: jobs, and how many more have ended"}},
          {},
          "  drover jobs\n"
          "  drover jobs --state failed --ended all\n"
          "  drover jobs --json"};
}

CommandOutcome run_jobs(Arguments& arguments) {
  const std::uint32_t ended = read_ended(arguments);
  const std::string state = arguments.one_of("state", state_names(), "");
  DROVER_TRY(arguments.status());
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "jobs"}));
  DROVER_ASSIGN(const auto listed, list(*session, parse_job_state(state), ended));
  const Instant now = session->clock().now();
  write_stdout_text(arguments.has("json") ? to_json(listed, now).dump() + "\n"
                                          : fleet_time_note(now, session->welcome().speed) +
                                                to_table(listed, state, now));
  return CommandOutcome::done();
}

}  // namespace drover::commands
