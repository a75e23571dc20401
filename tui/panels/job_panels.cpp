// Jobs as lines with their progress, and the details of one.
#include "tui/panels/panels.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {

std::string work_amount_text(const Workload& work) {
  switch (work.kind) {
    case WorkKind::serve:
      return fmt::format("{} > {} tok", work.input_tokens, work.output_tokens);
    case WorkKind::batch:
      return fmt::format("{} x {}>{}", work.items, work.input_tokens, work.output_tokens);
    case WorkKind::train:
      return fmt::format("{} dev, {} st", work.devices, work.steps);
  }
  return {};
}

std::string_view reason_prefix(JobState state) {
  if (state == JobState::queued) return "waits for ";
  return is_terminal(state) ? "" : "fell back: ";
}

CellStyle job_note_style(JobState state) {
  if (state == JobState::failed) return CellStyle::critical;
  return state == JobState::queued ? CellStyle::warm : CellStyle::faint;
}

namespace {

/// Columns of the list; the meaning of the last ones depends on the job's state.
struct JobColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
};
constexpr std::array<JobColumn, 10> job_columns = {{{"JOB", 8, Align::left, 0},
                                                    {"KIND", 5, Align::left, 1},
                                                    {"MODEL", 13, Align::left, 2},
                                                    {"WORK", 17, Align::left, 7},
                                                    {"TENANT", 10, Align::left, 9},
                                                    {"PRI", 4, Align::right, 8},
                                                    {"TRY", 3, Align::right, 6},
                                                    {"WHERE", 12, Align::left, 3},
                                                    {"PROGRESS", 8, Align::right, 4},
                                                    {"TIME", 6, Align::right, 5}}};

/// `left_out`: the title of a column to omit.
using JobColumns = std::vector<PlacedColumn<JobColumn>>;
JobColumns shown_columns(int width, std::string_view left_out = {}) {
  // The note at the end of the row keeps at least this width.
  const int room = width - 1 - std::max(15, width / 4);
  JobColumns columns = fit_columns<JobColumn>(job_columns, 1, room, left_out);
  // The devices of a job on several hosts.
  constexpr int place_more = 20;
  widen(columns, "WHERE", std::clamp(room - column_after(columns, 1), 0, place_more));
  return columns;
}

/// The progress of a job. Training jobs report it; for a request it is estimated from the begin and
/// the expected duration.
struct Progress {
  double share = absent;
  double remaining_s = 0;  // negative: longer than expected
  bool estimated = false;  // not reported
  bool late = false;
};

Progress progress_of(const FrameContext& frame, const JobRow& row) {
  const JobChanged& job = row.reported;
  Progress progress;
  progress.remaining_s = job.remaining_s;
  if (job.progress > 0) progress.share = job.progress;
  if (job.state != JobState::running || job.remaining_s <= 0) return progress;
  progress.estimated = job.progress <= 0;
  const double since_s = to_seconds(frame.now - (progress.estimated ? job.since : row.received_at));
  if (progress.estimated) progress.share = std::clamp(since_s / job.remaining_s, 0.0, 1.0);
  progress.remaining_s = job.remaining_s - since_s;
  progress.late = progress.remaining_s < 0;
  return progress;
}

/// A reported progress is a bar, an estimated one a number with a "~".
void draw_progress(DrawRegion& region, int at, int line, int width, const Progress& progress) {
  if (progress.late || progress.estimated) {
    region.field(at, line, width, progress.late ? "late" : "~" + percent_text(progress.share),
                 progress.late ? CellStyle::warm : CellStyle::faint, Align::right);
    return;
  }
  region.gauge(at, line, width, progress.share, percent_text(progress.share), CellStyle::fill_good);
}

std::string column_text(const FrameContext& frame, const JobRow& row, std::string_view title) {
  const JobChanged& job = row.reported;
  if (title == "JOB") return to_short_text(job.job.id);
  if (title == "KIND") return std::string(to_text(job.job.work.kind));
  if (title == "MODEL") return job.job.work.model;
  if (title == "WORK") return work_amount_text(job.job.work);
  if (title == "TENANT") return job.job.tenant;
  if (title == "PRI") return fmt::format("{}", job.job.priority);
  if (title == "TRY") return job.attempt == 0 ? "-" : fmt::format("{}", job.attempt);
  if (title == "WHERE") return job.target.empty() ? "-" : job.target;
  if (title == "TIME") {
    if (is_terminal(job.state)) return duration_text(job.latency_s);
    if (job.state == JobState::queued) return duration_text(to_seconds(frame.now - job.since));
    if (job.remaining_s <= 0) return std::string(not_known);
    const Progress progress = progress_of(frame, row);
    return progress.late ? "+" + duration_text(-progress.remaining_s)
                         : duration_text(progress.remaining_s);
  }
  return {};
}

/// The text at the end of a row: why the job waits or failed, or how it ended.
std::string note_of(const Model& model, const JobChanged& job) {
  if (job.state == JobState::finished) {
    std::string note =
        fmt::format("{} {}", joules_text(job.usage.energy_j), dollars_text(job.usage.cost_usd));
    if (job.outcome.first_token_s > 0) {
      note += fmt::format(" 1st {}", duration_text(job.outcome.first_token_s));
    }
    return note;
  }
  std::string note;
  // For a cancelled job, the detail says who cancelled it.
  if (job.reason && job.state != JobState::cancelled) {
    note = fmt::format("{}{}", job.state == JobState::queued ? "" : reason_prefix(job.state),
                       to_text(*job.reason));
  }
  if (!job.detail.empty()) note += note.empty() ? job.detail : ": " + job.detail;
  if (const Pause pause = pause_of(model, job); pause != Pause::none) {
    note += fmt::format("{}paused: {}", note.empty() ? "" : "; ", to_text(pause));
  }
  if (note.empty() && job.state == JobState::leased) note = "assigned";
  if (note.empty()) note = job.pool;
  // Such as the constraint that was dropped so that it could stay in its pool.
  if (!job.reason && is_placed(job.state)) add_part(note, ", ", job.change);
  return note;
}

void draw_job(const FrameContext& frame, DrawRegion& region, const JobColumns& columns, int line,
              const JobRow& row) {
  const JobChanged& job = row.reported;
  if (frame.ui.tagged_jobs.contains(job.job.id)) {
    region.text(0, line, region.ascii() ? "+" : "✓", CellStyle::badge);
  }
  for (const auto& [column, at, width] : columns) {
    if (column->title == "PROGRESS") {
      if (is_placed(job.state)) {
        draw_progress(region, at, line, width, progress_of(frame, row));
      } else {
        region.field(at, line, width, to_text(job.state),
                     job.state == JobState::finished ? CellStyle::good : job_note_style(job.state),
                     column->align);
      }
    } else {
      const std::string text = column_text(frame, row, column->title);
      const CellStyle style = text == "-" || text == not_known || column->title == "WORK"
                                  ? CellStyle::faint
                                  : CellStyle::plain;
      region.field(at, line, width, text, style, column->align);
    }
  }
  const int note = column_after(columns, 1);
  region.field(note, line, region.columns() - note, note_of(frame.model, job),
               job_note_style(job.state));
}

/// What TIME and NOTE mean in a section, and their titles where it is the only one.
struct SectionWords {
  JobFilter section;
  std::string_view time, note;
  std::string_view time_title, note_title;
};
constexpr std::array<SectionWords, job_filter_count> section_words = {{
    {JobFilter::all, "", "", "TIME", "NOTE"},
    {JobFilter::running, "expected left", "pool", "LEFT", "NOTE"},
    {JobFilter::waiting, "waited", "waits for", "WAITED", "WAITS FOR"},
    {JobFilter::failed, "in all", "why", "TOOK", "WHY"},
    {JobFilter::cancelled, "in all", "by whom", "TOOK", "BY"},
    {JobFilter::finished, "in all", "what it used", "TOOK", "USED"},
}};
static_assert(is_in_order(section_words, &SectionWords::section));

const PlacedColumn<JobColumn>* time_column_of(const JobColumns& columns) {
  const auto found = std::ranges::find_if(
      columns, [](const auto& placed) { return placed.column->title == "TIME"; });
  return found == columns.end() ? nullptr : &*found;
}

/// "newest first", "time: waited", "note: waits for": what a heading says of a section, the least
/// important last.
std::vector<std::string> section_notes(JobFilter section, const JobColumns& columns) {
  const SectionWords& words = row_at(section_words, section);
  const bool open = section == JobFilter::running || section == JobFilter::waiting;
  std::vector<std::string> notes;
  if (!open) notes.emplace_back("newest first");
  if (time_column_of(columns) != nullptr) notes.push_back(fmt::format("time: {}", words.time));
  notes.push_back(fmt::format("note: {}", words.note));
  return notes;
}

/// A heading with as many of the notes as fit.
void draw_job_heading(DrawRegion& row, const std::string& title, std::string note,
                      const std::vector<std::string>& more) {
  for (const std::string& part : more) {
    std::string longer = note;
    add_part(longer, ", ", part);
    if (columns_of(title) + columns_of(longer) + 3 > row.columns()) break;
    note = std::move(longer);
  }
  row.heading(0, title, note);
}

void draw_section(DrawRegion row, const JobColumns& columns, const JobLine& heading) {
  std::string name(to_text(heading.section));
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  name += " " + count_text(static_cast<double>(heading.count));
  if (heading.count == 0) return row.heading(0, name);
  draw_job_heading(row, name,
                   heading.shown < heading.count ? fmt::format("{} shown", heading.shown) : "",
                   section_notes(heading.section, columns));
}

/// The titles; those of TIME and NOTE say what they mean if all jobs are in one state.
void draw_job_titles(DrawRegion& region, const JobColumns& columns, JobFilter shown) {
  const SectionWords& words = row_at(section_words, shown);
  region.on(region.row_area(0)).blank(CellStyle::title);
  draw_column_titles(region, 0, columns, CellStyle::title);
  if (const auto* const time = time_column_of(columns)) {
    region.field(time->at, 0, time->width, words.time_title, CellStyle::title, Align::right);
  }
  const int note = column_after(columns, 1);
  const auto room = region.columns() - note - columns_of(words.note_title) - 1;
  // Not "showing all": of all states, not all jobs.
  const std::string states = shown == JobFilter::all ? "all states" : std::string(to_text(shown));
  std::string filter = fmt::format("showing {} ", states);
  if (columns_of(filter) > room) filter = states + " ";
  if (columns_of(filter) <= room) region.text(note, 0, words.note_title, CellStyle::title);
  region.text(region.columns() - columns_of(filter), 0, filter, CellStyle::badge);
}

}  // namespace

void draw_running_jobs(const FrameContext& frame, DrawRegion region, std::string_view title,
                       std::span<const JobRow* const> jobs, bool with_place) {
  const JobColumns columns = shown_columns(region.columns(), with_place ? "" : "WHERE");
  const auto notes = section_notes(JobFilter::running, columns);
  draw_job_heading(region, std::string(title), "",
                   jobs.empty() ? std::vector<std::string>() : notes);
  for (std::size_t i = 0; i < jobs.size() && static_cast<int>(i) + 1 < region.rows(); ++i) {
    draw_job(frame, region, columns, static_cast<int>(i) + 1, *jobs[i]);
  }
  if (jobs.empty()) region.text(0, 1, "no running jobs", CellStyle::faint);
}

void draw_running(const FrameContext& frame, DrawRegion region) {
  const FleetFilter& fleet_filter = frame.ui.fleet_filter;
  const auto rows = static_cast<std::size_t>(std::max(0, region.rows() - 1));
  const auto& summary = frame.model.summary();
  // The router counts all running jobs; jobs that match the filter must be counted here.
  const auto jobs =
      running_jobs(frame.model, fleet_filter, fleet_filter.active() ? SIZE_MAX : rows);
  std::string title = "Running";
  if (fleet_filter.active()) {
    title += fmt::format(" {}", jobs.size());
  } else if (summary) {
    title += " " + count_text(static_cast<double>(summary->running));
  }
  draw_running_jobs(frame, region, title, jobs, true);
}

void draw_job_list(const FrameContext& frame, DrawRegion region, int selected) {
  const JobList& list = frame.ui.jobs;
  const JobColumns columns = shown_columns(region.columns());
  draw_job_titles(region, columns, list.filter);
  const auto draw = [&](int row, std::size_t item) {
    const JobLine& line = list.lines[item];
    if (line.kind == JobLine::Kind::heading) {
      if (line.shown > 0 && draw_cut_heading(region, row, 1, list.lines.size() - item))
        return false;
      draw_section(region.on(region.row_area(row)), columns, line);
      return true;
    }
    const auto job = frame.model.jobs().find(line.job);
    if (job != frame.model.jobs().end()) draw_job(frame, region, columns, row, job->second);
    return true;
  };
  draw_items(frame, region, 1, list.place, list.lines.size(), selected, draw);
}

}  // namespace drover::tui
