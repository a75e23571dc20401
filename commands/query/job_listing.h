// The jobs that `drover jobs` lists, and the numbers of those that it leaves out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

struct JobListing {
  std::vector<JobChanged> jobs;  // open jobs, then ended ones, newest first
  std::uint64_t open_left_out = 0;
  std::uint64_t ended_shown = 0;
  std::uint64_t ended_kept = 0;
  std::uint64_t ended_ever = 0;
};

/// The request for the jobs that this page left out; no value if it left out none.
std::optional<JobsRequest> next_page(JobsRequest request, const JobsReply& page);

Json to_json(const JobListing& listing, Instant now);
/// A row for each job, and how many more there are. `state`: the state that was requested; empty:
/// all states.
std::string to_table(const JobListing& listing, const std::string& state, Instant now);

}  // namespace drover::commands
