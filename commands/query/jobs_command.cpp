// `drover jobs`: lists the open jobs and the last ended ones.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/connection/filter_option.h"
#include "commands/connection/session.h"
#include "commands/query/job_listing.h"
#include "commands/query/repeated_output.h"
#include "commands/query/reports.h"
#include "commands/query/table_verb.h"
#include "commands/shell/clock.h"
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

struct JobQuery {
  std::optional<JobState> state;
  std::string state_name;
  std::uint32_t ended_max = ended_default;
  std::size_t limit = 0;  // 0: none
  JobSelection selection;
};

/// Requests page after page until there are `jobs_max` jobs of the selection. Returns how many the
/// router left out.
Result<std::uint64_t> add_pages(Session& session, const JobSelection& selection,
                                std::optional<JobsRequest> request, std::size_t jobs_max,
                                JobListing& all) {
  std::uint64_t left_out = 0;
  const std::size_t before = all.jobs.size();
  while (request && all.jobs.size() - before < jobs_max) {
    DROVER_ASSIGN(auto page, session.ask<JobsReply>(*request));
    left_out = page.left_out;
    all.ended_kept = page.ended_kept;
    all.ended_ever = page.ended_ever;
    request = next_page(*request, page);
    const Instant now = session.clock().now();
    for (JobChanged& job : page.jobs) {
      if (selection.all() || selection.contains(job, now)) all.jobs.push_back(std::move(job));
    }
  }
  return left_out;
}

/// The open jobs, and at most `ended_max` ended ones.
Result<JobListing> list(Session& session, const JobQuery& query) {
  JobListing all;
  all.selected = !query.selection.all();
  JobsRequest request;
  request.ended_max = 0;
  request.state = query.state;
  request.newest_first = true;
  DROVER_ASSIGN(all.open_left_out,
                add_pages(session, query.selection, request, open_shown_max, all));
  const std::size_t open = all.jobs.size();
  request.ended_only = true;
  // Of a selection it is not known how many ended jobs must be read to find so many that match.
  const bool search = all.selected && query.ended_max > 0;
  request.ended_max = search ? std::numeric_limits<std::uint32_t>::max() : query.ended_max;
  const std::size_t ended_max = std::max<std::size_t>(query.ended_max, 1);
  DROVER_TRY(add_pages(session, query.selection, request, ended_max, all));
  if (all.jobs.size() > open + query.ended_max) all.jobs.resize(open + query.ended_max);
  all.jobs = once_each(std::move(all.jobs));
  order_newest_first(all, query.limit);
  all.ended_shown = static_cast<std::uint64_t>(std::ranges::count_if(
      all.jobs, [](const JobChanged& job) { return is_terminal(job.state); }));
  return all;
}

JobQuery read_query(Arguments& arguments) {
  JobQuery query;
  query.ended_max = read_ended(arguments);
  query.state_name = arguments.one_of("state", state_names(), "");
  query.state = parse_job_state(query.state_name);
  query.limit = read_limit(arguments);
  query.selection = {read_filter(arguments, filter::jobs), arguments.text("tenant")};
  return query;
}

}  // namespace

CommandUsage jobs_usage() {
  return {"usage: drover jobs [options]",
          "Lists the open jobs and the last ended ones, the job that was submitted last first: "
          "their work, state, target and reason. With --filter (docs/filters.md) or --tenant, only "
          "those that match: all open ones, and the last ended ones of them.",
          {connect_option(),
           filter_option(),
           {"tenant", "NAME", "only jobs of this tenant"},
           {"ended", "N|all", "how many of the most recently ended jobs to list (default 20)"},
           Option::choice("state", "S",
                          "only queued, leased, running, finished, failed or cancelled jobs",
                          state_names()),
           {"limit", "N", "at most N jobs"},
           {"json", "", "one JSON object on stdout: jobs, and how many more have ended"},
           watch_option(),
           colour_option()},
          {},
          "  drover jobs\n"
          "  drover jobs --state failed --ended all\n"
          "  drover jobs --tenant research --limit 10 --watch\n"
          "  drover jobs --filter 'kind==train & waited>60'\n"
          "  drover jobs --json"};
}

CommandOutcome run_jobs(Arguments& arguments) {
  const JobQuery query = read_query(arguments);
  const TableStyle style = read_table_style(arguments);
  const auto every = read_watch(arguments);
  DROVER_TRY(arguments.status());
  RepeatedOutput output(every);
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "jobs"}));
  return output.print(*session, [&]() -> Result<std::string> {
    DROVER_ASSIGN(const auto listed, list(*session, query));
    const Instant now = session->clock().now();
    if (arguments.has("json")) return to_json(listed, now).dump() + "\n";
    return fleet_time_note(now, session->welcome().speed) +
           to_table(listed, query.state_name, now, style);
  });
}

}  // namespace drover::commands
