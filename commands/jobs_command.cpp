// `drover jobs`: the open jobs and the last ended ones.
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/clock.h"
#include "commands/job_listing.h"
#include "commands/output.h"
#include "commands/reports.h"
#include "commands/session.h"
#include "commands/verbs.h"

namespace drover::commands {
namespace {

constexpr std::chrono::milliseconds patience{5000};
constexpr std::uint32_t ended_usual = 20;
/// Asked for at once. A reply holds a few more, and leaves out what is too long for a message.
constexpr std::uint32_t page_jobs = 500;

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (int i = 0; i < job_state_count; ++i) names.emplace_back(to_text(static_cast<JobState>(i)));
  return names;
}

std::uint32_t read_ended(Arguments& arguments) {
  if (arguments.text("ended") == "all") return std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(arguments.integer("ended", 0, 10'000'000, ended_usual));
}

/// The open jobs, then as many ended ones as are wanted, page by page.
Result<JobListing> list(Session& session, std::optional<JobState> state, std::uint32_t ended_max) {
  JobsRequest request;
  request.ended_max = 0;
  request.state = state;
  auto open = session.ask<JobsReply>(request, patience);
  if (!open) return open.error();
  JobListing all{std::move(open->jobs), open->left_out, 0, open->ended_kept, open->ended_ever};
  request.ended_only = true;
  while (all.ended_shown < std::min<std::uint64_t>(ended_max, all.ended_kept)) {
    request.ended_max =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(page_jobs, ended_max - all.ended_shown));
    auto page = session.ask<JobsReply>(request, patience);
    if (!page) return page.error();
    if (page->jobs.empty()) break;  // the router has let the rest go meanwhile
    all.ended_shown += page->jobs.size();
    all.ended_kept = page->ended_kept;
    all.ended_ever = page->ended_ever;
    request.ended_before = page->jobs.back().job.id;
    all.jobs.insert(all.jobs.end(), std::make_move_iterator(page->jobs.begin()),
                    std::make_move_iterator(page->jobs.end()));
  }
  all.jobs = once_each(std::move(all.jobs));
  return all;
}

}  // namespace

Usage jobs_usage() {
  return {
      "usage: drover jobs [options]",
      "The open jobs and the last ended ones: what they are, where they run, what they wait for.",
      {connect_option(),
       {"ended", "N|all", "how many ended jobs besides, the last ones (default 20)"},
       {"state", "S", "only queued, leased, running, finished, failed or cancelled"},
       {"json", "", "one JSON object on stdout: jobs, and how many more have ended"}},
      {},
      "  drover jobs\n"
      "  drover jobs --state failed --ended all\n"
      "  drover jobs --json"};
}

Outcome run_jobs(Arguments& arguments) {
  const std::uint32_t ended = read_ended(arguments);
  const std::string state = arguments.one_of("state", state_names(), "");
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  auto session = Session::open({endpoint_of(arguments), Role::client, "jobs"});
  if (!session) return Outcome::failed(session.error());
  const auto listed = list(**session, parse_job_state(state), ended);
  if (!listed) return Outcome::failed(listed.error());
  if (arguments.has("json")) {
    put("{}\n", to_json(*listed).dump());
  } else {
    const Instant now = (*session)->clock().now();
    put_text(fleet_time_note(now, (*session)->welcome().speed));
    put_text(to_table(*listed, state, now));
  }
  return Outcome::done();
}

}  // namespace drover::commands
