// The jobs that `drover jobs` lists, and what it says of those that it leaves out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

struct JobListing {
  std::vector<JobChanged> jobs;  // the open ones, then ended ones, newest first
  std::uint64_t open_left_out = 0;
  std::uint64_t ended_shown = 0;
  std::uint64_t ended_kept = 0;
  std::uint64_t ended_ever = 0;
};

/// What to ask for what this page left out; none: it left out nothing.
std::optional<JobsRequest> next_page(JobsRequest asked, const JobsReply& page);

Json to_json(const JobListing& listing);
/// A row for each job, and how many more there are. `state`: the only one that was asked for, or
/// empty.
std::string to_table(const JobListing& listing, const std::string& state, Instant now);

}  // namespace drover::commands
