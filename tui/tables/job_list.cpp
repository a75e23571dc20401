#include "tui/tables/job_list.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace drover::tui {
namespace {

constexpr int sections = 5;  // running, waiting, failed, cancelled, finished: no `all`

using Section = std::vector<const JobChanged*>;

std::array<Section, sections> sorted_sections(const Model& model, const Narrowing& narrowing) {
  std::array<Section, sections> jobs;
  for (const auto& [id, row] : model.jobs()) {
    if (!narrowing.shows(model, row.said)) continue;
    const JobState state = row.said.state;
    const int section = state == JobState::queued      ? 1
                        : state == JobState::failed    ? 2
                        : state == JobState::cancelled ? 3
                        : state == JobState::finished  ? 4
                                                       : 0;
    jobs[static_cast<std::size_t>(section)].push_back(&row.said);
  }
  // Long work first, then what began first: a running job keeps its line until it ends.
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

/// What the ledger counts, which may be more than the jobs that we were told of.
std::uint64_t count_of(const Model& model, const Narrowing& narrowing, int section,
                       std::size_t here) {
  const auto& summary = model.summary();
  if (!summary || narrowing.active()) return here;
  const std::array<std::uint64_t, sections> counts = {
      summary->running, summary->queued, summary->failed, summary->cancelled, summary->finished};
  return std::max<std::uint64_t>(counts[static_cast<std::size_t>(section)], here);
}

/// Lines for each section: all want their jobs, the room is dealt out one by one.
std::array<int, sections> deal_rows(const std::array<Section, sections>& jobs, int room) {
  std::array<int, sections> lines{};
  for (bool dealt = true; room > 0 && dealt;) {
    dealt = false;
    // Two for running at a time: it is what people look for first.
    for (const int section : {0, 1, 0, 2, 3, 4}) {
      const auto s = static_cast<std::size_t>(section);
      if (room > 0 && lines[s] < static_cast<int>(jobs[s].size())) {
        ++lines[s];
        --room;
        dealt = true;
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

std::string_view to_text(JobFilter filter) {
  static constexpr std::array<std::string_view, job_filter_count> names = {
      "all", "running", "waiting", "failed", "cancelled", "finished"};
  return names[static_cast<std::size_t>(filter)];
}

int index_of_chosen(const JobList& list) {
  if (!list.chosen) return -1;
  const auto at = std::find_if(list.lines.begin(), list.lines.end(), [&](const JobLine& line) {
    return line.kind == JobLine::Kind::job && line.job == *list.chosen;
  });
  return at == list.lines.end() ? -1 : static_cast<int>(at - list.lines.begin());
}

void choose_job(JobList& list, int index, int direction) {
  const auto is_job = [&](int i) {
    return list.lines[static_cast<std::size_t>(i)].kind == JobLine::Kind::job;
  };
  const int onward = direction < 0 ? -1 : 1;
  for (const int step : {onward, -onward}) {
    for (int i = index; i >= 0 && i < static_cast<int>(list.lines.size()); i += step) {
      if (!is_job(i)) continue;
      list.chosen = list.lines[static_cast<std::size_t>(i)].job;
      list.place.row = -1;
      return;
    }
  }
}

std::vector<JobLine> list_jobs(const Model& model, const Narrowing& narrowing, JobFilter filter,
                               int rows) {
  const std::array<Section, sections> jobs = sorted_sections(model, narrowing);
  std::array<std::uint64_t, sections> counts{};
  for (int section = 0; section < sections; ++section) {
    const auto s = static_cast<std::size_t>(section);
    counts[s] = count_of(model, narrowing, section, jobs[s].size());
  }
  // What is rare takes no heading of a list of everything while there is none.
  const bool none_cancelled = counts[static_cast<int>(JobFilter::cancelled) - 1] == 0;
  const int headings = none_cancelled ? sections - 1 : sections;
  const std::array<int, sections> dealt = deal_rows(jobs, rows - headings);
  std::vector<JobLine> lines;
  for (int section = 0; section < sections; ++section) {
    const auto name = static_cast<JobFilter>(section + 1);
    if (filter != JobFilter::all && filter != name) continue;
    const Section& list = jobs[static_cast<std::size_t>(section)];
    const std::uint64_t count = counts[static_cast<std::size_t>(section)];
    if (filter == JobFilter::all && name == JobFilter::cancelled && none_cancelled) continue;
    const int shown = filter == JobFilter::all ? dealt[static_cast<std::size_t>(section)]
                                               : static_cast<int>(list.size());
    lines.push_back({JobLine::Kind::heading, name, {}, count, static_cast<std::uint64_t>(shown)});
    for (int i = 0; i < shown; ++i) {
      lines.push_back({JobLine::Kind::job, name, list[static_cast<std::size_t>(i)]->job.id, 0, 0});
    }
  }
  return lines;
}

std::vector<const JobRow*> running_jobs(const Model& model, const Narrowing& narrowing,
                                        std::size_t most) {
  std::vector<const JobRow*> jobs;
  for (const auto& [id, row] : model.jobs()) {
    const JobState state = row.said.state;
    if (state != JobState::running && state != JobState::leased) continue;
    if (narrowing.shows(model, row.said)) jobs.push_back(&row);
  }
  const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(std::min(most, jobs.size()));
  std::partial_sort(jobs.begin(), end, jobs.end(),
                    [](const JobRow* a, const JobRow* b) { return runs_before(a->said, b->said); });
  jobs.erase(end, jobs.end());
  return jobs;
}

}  // namespace drover::tui
