#include "commands/query/job_listing.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "commands/query/reports.h"
#include "commands/query/table_output.h"
#include "fleet/base/text.h"
#include "tui/tables/filter_subjects.h"

namespace drover::commands {
namespace {

/// The numbers of jobs that the table does not show: "20 of 104 ended jobs; --ended N|all for
/// more".
std::string left_out_text(const JobListing& listing, const std::string& state) {
  const std::string kind = state.empty() ? "ended job" : state + " job";
  std::string text;
  if (listing.open_left_out > 0) {
    text += fmt::format("{} more are not shown: too many for one answer\n",
                        counted(listing.open_left_out, state.empty() ? "open job" : kind));
  }
  if (listing.beyond_limit > 0) {
    text += fmt::format("{}: not shown because of --limit\n",
                        counted(listing.beyond_limit, "more job"));
  }
  if (listing.selected) return text;  // the router does not count those that match
  if (listing.ended_shown < listing.ended_kept) {
    text += fmt::format("{} of {}; --ended N|all for more\n", listing.ended_shown,
                        counted(listing.ended_kept, kind));
  }
  if (listing.ended_kept < listing.ended_ever) {
    text += fmt::format("{} older: the router no longer has the details\n",
                        counted(listing.ended_ever - listing.ended_kept, kind));
  }
  return text;
}

}  // namespace

std::optional<JobsRequest> next_page(JobsRequest request, const JobsReply& page) {
  if (page.left_out == 0 || page.jobs.empty()) return std::nullopt;
  const JobChanged& last = page.jobs.back();
  if (!is_terminal(last.state)) {
    request.open_after = last.job.id;
    return request;
  }
  const auto ended = std::count_if(page.jobs.begin(), page.jobs.end(),
                                   [](const JobChanged& job) { return is_terminal(job.state); });
  request.ended_only = true;
  request.ended_before = last.job.id;
  request.ended_max -= std::min(request.ended_max, static_cast<std::uint32_t>(ended));
  return request;
}

bool JobSelection::contains(const JobChanged& job, Instant now) const {
  if (!tenant.empty() && job.job.tenant != tenant) return false;
  // The fields of jobs need no fleet.
  static const tui::Model no_fleet(std::chrono::seconds(1));
  static const tui::JobsByDevice no_jobs;
  return filter.matches(tui::JobSubject({no_fleet, now, no_jobs}, job));
}

void order_newest_first(JobListing& listing, std::size_t limit) {
  std::ranges::stable_sort(listing.jobs, std::greater{}, &JobChanged::submitted);
  if (limit == 0 || listing.jobs.size() <= limit) return;
  listing.beyond_limit = listing.jobs.size() - limit;
  listing.jobs.erase(listing.jobs.begin() + static_cast<std::ptrdiff_t>(limit), listing.jobs.end());
}

Json to_json(const JobListing& listing, Instant now) {
  Json jobs = Json::array();
  for (const JobChanged& job : listing.jobs) jobs.add(commands::to_json(job, now));
  return Json::object()
      .set("jobs", std::move(jobs))
      .set("open_left_out", listing.open_left_out)
      .set("ended_shown", listing.ended_shown)
      .set("ended_kept", listing.ended_kept)
      .set("ended_ever", listing.ended_ever)
      .set("beyond_limit", listing.beyond_limit);
}

std::string to_table(const JobListing& listing, const std::string& state, Instant now,
                     const TableStyle& style) {
  return to_table(listing.jobs, now, style) + left_out_text(listing, state);
}

}  // namespace drover::commands
