// The lines of the jobs view: jobs in sections by their state. And why jobs fell back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "tui/model/model.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/list_viewport.h"

namespace drover::tui {

enum class JobFilter : std::uint8_t { all, running, waiting, failed, cancelled, finished };
inline constexpr int job_filter_count = 6;
std::string_view to_text(JobFilter filter);
const std::vector<std::string>& job_filter_names();  // in the order of JobFilter

/// A line of the jobs view: a heading or a job.
struct JobLine {
  enum class Kind : std::uint8_t { heading, job };
  Kind kind = Kind::heading;
  JobFilter section = JobFilter::running;
  JobId job;                // of a job
  std::uint64_t count = 0;  // of a heading: all jobs of the section
  std::uint64_t shown = 0;  // of a heading: the jobs listed below it
};

struct JobList {
  JobFilter filter = JobFilter::all;
  std::optional<JobId> chosen;
  bool open = false;         // the selected job's details are shown
  std::string work_class{};  // whose histogram is shown; empty: none is chosen
  std::vector<JobLine> lines;
  ListViewport place;
};

/// The lines. With JobFilter::all, each section gets a share of `rows`, so that one screen shows
/// all sections; else the section is complete.
std::vector<JobLine> list_jobs(const Model& model, const FleetFilter& fleet_filter,
                               JobFilter filter, int rows);
void step_job_filter(JobList& list);
/// The line of the selected job; -1 if it is not in the list.
int index_of_chosen(const JobList& list);
/// Selects the job at `index`; if that is a heading, the next job in `direction`, else the one
/// before.
void choose_job(JobList& list, int index, int direction);

/// The order of running jobs: training and batch jobs before requests, then by start time.
bool runs_before(const JobChanged& a, const JobChanged& b);
/// At most `jobs_max` running jobs, in the order of the jobs view.
std::vector<const JobRow*> running_jobs(const Model& model, const FleetFilter& fleet_filter,
                                        std::size_t jobs_max);

struct FallbackLine {
  Reason reason;
  std::uint64_t jobs = 0;
  const FallbackCost* sum = nullptr;  // null: this version of the router does not report it
  /// False if the preferred pool could not have run the jobs at all; the router sums up no costs
  /// for these.
  bool compared() const;
};
/// Ordered by the number of jobs. The lines point into `sums`.
std::vector<FallbackLine> fallback_lines(const Summary& sums);

}  // namespace drover::tui
