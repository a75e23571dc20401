// The lines of the jobs view: which jobs it lists, in sections by their state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "tui/model/model.h"
#include "tui/tables/list_place.h"
#include "tui/tables/narrowing.h"

namespace drover::tui {

enum class JobFilter : std::uint8_t { all, running, waiting, failed, cancelled, finished };
inline constexpr int job_filter_count = 6;
std::string_view to_text(JobFilter filter);

/// A line of the jobs view: a heading or a job.
struct JobLine {
  enum class Kind : std::uint8_t { heading, job };
  Kind kind = Kind::heading;
  JobFilter section = JobFilter::running;
  JobId job;                // of a job
  std::uint64_t count = 0;  // of a heading: all of them
  std::uint64_t shown = 0;  // of a heading: those below it
};

struct JobList {
  JobFilter filter = JobFilter::all;
  std::optional<JobId> chosen;
  bool open = false;  // the chosen one's details are shown
  std::vector<JobLine> lines;
  ListPlace place;
};

/// The lines in `rows` rows. With JobFilter::all every section gets a share, so that one screen
/// shows all of them; else the section is whole.
std::vector<JobLine> list_jobs(const Model& model, const Narrowing& narrowing, JobFilter filter,
                               int rows);
/// Where the chosen job stands; -1: nowhere.
int index_of_chosen(const JobList& list);
/// The job at `index`, or the next one in the direction of the move, or else before it: headings
/// cannot be selected.
void choose_job(JobList& list, int index, int direction);

/// The order of jobs that run: long work first, then what began first.
bool runs_before(const JobChanged& a, const JobChanged& b);
/// The jobs that run, at most so many, in the order of the jobs view.
std::vector<const JobRow*> running_jobs(const Model& model, const Narrowing& narrowing,
                                        std::size_t most);

}  // namespace drover::tui
