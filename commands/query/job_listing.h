// The jobs that `drover jobs` lists, those that it asks for, and the numbers of those that it
// leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/shell/table.h"
#include "fleet/filter/filter.h"
#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

struct JobListing {
  std::vector<JobChanged> jobs;
  std::uint64_t open_left_out = 0;
  std::uint64_t ended_shown = 0;
  std::uint64_t ended_kept = 0;
  std::uint64_t ended_ever = 0;
  bool selected = false;           // only jobs that match a filter or are of a tenant
  std::uint64_t beyond_limit = 0;  // would be listed without --limit
};

/// Which jobs are listed, besides their state.
struct JobSelection {
  filter::Filter filter;
  std::string tenant;  // empty: all
  bool all() const { return filter.empty() && tenant.empty(); }
  bool contains(const JobChanged& job, Instant now) const;
};

/// The job that was submitted last comes first. Leaves at most `limit` of them; 0: all.
void order_newest_first(JobListing& listing, std::size_t limit);

/// The request for the jobs that this page left out; no value if it left out none.
std::optional<JobsRequest> next_page(JobsRequest request, const JobsReply& page);

Json to_json(const JobListing& listing, Instant now);
/// A row for each job, and how many more there are. `state`: the state that was requested; empty:
/// all states.
std::string to_table(const JobListing& listing, const std::string& state, Instant now,
                     const TableStyle& style = {});

}  // namespace drover::commands
