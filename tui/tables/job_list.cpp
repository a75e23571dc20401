#include "tui/tables/job_list.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace drover::tui {
namespace {

constexpr int sections = 5;  // running, waiting, failed, cancelled, finished: no `all`

using Section = std::vector<const JobChanged*>;

std::array<Section, sections> sorted_sections(const Model& model, const FleetFilter& fleet_filter) {
  std::array<Section, sections> jobs;
  for (const auto& [id, row] : model.jobs()) {
    if (!fleet_filter.shows(model, row.reported)) continue;
    const JobState state = row.reported.state;
    const int section = state == JobState::queued      ? 1
                        : state == JobState::failed    ? 2
                        : state == JobState::cancelled ? 3
                        : state == JobState::finished  ? 4
                                                       : 0;
    jobs[static_cast<std::size_t>(section)].push_back(&row.reported);
  }
  // Ordered so that a running job keeps its line until it ends.
  std::sort(jobs[0].begin(), jobs[0].end(),
            [](const JobChanged* a, const JobChanged* b) { return runs_before(*a, *b); });
  std::sort(jobs[1].begin(), jobs[1].end(), [](const JobChanged* a, const JobChanged* b) {
    const auto key = [](const JobChanged* job) {
      return std::tuple(-job->job.priority, job->submitted, job->job.id);
    };
    return key(a) < key(b);
  });
  for (const std::size_t ended : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
    std::sort(jobs[ended].begin(), jobs[ended].end(), [](const JobChanged* a, const JobChanged* b) {
      return std::tie(b->since, b->job.id) < std::tie(a->since, a->job.id);
    });
  }
  return jobs;
}

/// The ledger's count, which may be more than the jobs that the model has.
std::uint64_t count_of(const Model& model, const FleetFilter& fleet_filter, int section,
                       std::size_t here) {
  const auto& summary = model.summary();
  if (!summary || fleet_filter.active()) return here;
  const std::array<std::uint64_t, sections> counts = {
      summary->running, summary->queued, summary->failed, summary->cancelled, summary->finished};
  return std::max<std::uint64_t>(counts[static_cast<std::size_t>(section)], here);
}

/// The number of lines of each section: rows are assigned one by one while there is room.
std::array<int, sections> assign_rows(const std::array<Section, sections>& jobs, int room) {
  std::array<int, sections> lines{};
  for (bool assigned = true; room > 0 && assigned;) {
    assigned = false;
    // Running jobs get two at a time, as they are of most interest.
    for (const int section : {0, 1, 0, 2, 3, 4}) {
      const auto s = static_cast<std::size_t>(section);
      if (room > 0 && lines[s] < static_cast<int>(jobs[s].size())) {
        ++lines[s];
        --room;
        assigned = true;
      }
    }
  }
  return lines;
}

}  // namespace

bool runs_before(const JobChanged& a, const JobChanged& b) {
  const auto key = [](const JobChanged& job) {
    return std::tuple(job.job.work.kind == WorkKind::serve, job.since, job.job.id);
  };
  return key(a) < key(b);
}

const std::vector<std::string>& job_filter_names() {
  static const std::vector<std::string> names = {"all",    "running",   "waiting",
                                                 "failed", "cancelled", "finished"};
  return names;
}

std::string_view to_text(JobFilter filter) {
  return job_filter_names()[static_cast<std::size_t>(filter)];
}

int index_of_chosen(const JobList& list) {
  return index_where(list.lines, [&](const JobLine& line) {
    return line.kind == JobLine::Kind::job && line.job == list.chosen;
  });
}

void step_job_filter(JobList& list) {
  advance(list.filter, job_filter_count, 1);
  list.place = ListViewport{};
}

void choose_job(JobList& list, int index, int direction) {
  const JobLine* const line = nearest_line(list.lines, index, direction, [](const JobLine& it) {
    return it.kind == JobLine::Kind::job;
  });
  if (line == nullptr) return;
  list.chosen = line->job;
  list.place.row = -1;
}

std::vector<JobLine> list_jobs(const Model& model, const FleetFilter& fleet_filter,
                               JobFilter filter, int rows) {
  const std::array<Section, sections> jobs = sorted_sections(model, fleet_filter);
  std::array<std::uint64_t, sections> counts{};
  for (int section = 0; section < sections; ++section) {
    const auto s = static_cast<std::size_t>(section);
    counts[s] = count_of(model, fleet_filter, section, jobs[s].size());
  }
  // The list of all jobs has no heading for cancelled jobs while there are none.
  const bool none_cancelled = counts[static_cast<int>(JobFilter::cancelled) - 1] == 0;
  const int headings = none_cancelled ? sections - 1 : sections;
  const std::array<int, sections> assigned = assign_rows(jobs, rows - headings);
  std::vector<JobLine> lines;
  for (int section = 0; section < sections; ++section) {
    const auto name = static_cast<JobFilter>(section + 1);
    if (filter != JobFilter::all && filter != name) continue;
    const Section& list = jobs[static_cast<std::size_t>(section)];
    const std::uint64_t count = counts[static_cast<std::size_t>(section)];
    if (filter == JobFilter::all && name == JobFilter::cancelled && none_cancelled) continue;
    const int shown = filter == JobFilter::all ? assigned[static_cast<std::size_t>(section)]
                                               : static_cast<int>(list.size());
    lines.push_back({JobLine::Kind::heading, name, {}, count, static_cast<std::uint64_t>(shown)});
    for (int i = 0; i < shown; ++i) {
      lines.push_back({JobLine::Kind::job, name, list[static_cast<std::size_t>(i)]->job.id, 0, 0});
    }
  }
  return lines;
}

std::vector<const JobRow*> running_jobs(const Model& model, const FleetFilter& fleet_filter,
                                        std::size_t jobs_max) {
  std::vector<const JobRow*> jobs;
  for (const auto& [id, row] : model.jobs()) {
    if (!is_placed(row.reported.state)) continue;
    if (fleet_filter.shows(model, row.reported)) jobs.push_back(&row);
  }
  const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(std::min(jobs_max, jobs.size()));
  std::partial_sort(jobs.begin(), end, jobs.end(), [](const JobRow* a, const JobRow* b) {
    return runs_before(a->reported, b->reported);
  });
  jobs.erase(end, jobs.end());
  return jobs;
}

bool FallbackLine::compared() const {
  return sum != nullptr && (sum->cost_usd != 0 || sum->energy_j != 0 || sum->finish_s != 0);
}

std::vector<FallbackLine> fallback_lines(const Summary& sums) {
  std::vector<FallbackLine> lines;
  for (const auto& [reason, jobs] : sums.fallbacks) {
    lines.push_back({reason, jobs, nullptr});
    for (const FallbackCost& sum : sums.fallback_costs) {
      if (sum.reason == reason) lines.back().sum = &sum;
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const FallbackLine& a, const FallbackLine& b) { return a.jobs > b.jobs; });
  return lines;
}

}  // namespace drover::tui
