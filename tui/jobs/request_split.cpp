#include "tui/jobs/request_split.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::tui {
namespace {

/// What a request did before its last attempt arrived at the agent.
std::string before_name(const JobChanged& job) { return job.attempt > 1 ? "before" : "queued"; }
std::string before_note(const JobChanged& job) {
  return job.attempt > 1 ? "in the queue and in earlier attempts" : "";
}

std::vector<RequestPart> parts_of_finished(const JobChanged& job) {
  const Outcome& outcome = job.outcome;
  if (outcome.run_s <= 0) return {};  // routers before this one did not say
  const double before_s = std::max(0.0, job.latency_s - outcome.run_s);
  const double end_s = before_s + outcome.run_s;
  std::vector<RequestPart> parts = {{before_name(job), 0, before_s, before_note(job)}};
  const std::uint64_t in =
      outcome.input_tokens > 0 ? outcome.input_tokens : job.job.work.input_tokens;
  if (outcome.first_token_s <= 0 || outcome.first_token_s > outcome.run_s) {
    parts.push_back({"runs", before_s, end_s, "the first token was not reported"});
    return parts;
  }
  const double first_s = before_s + outcome.first_token_s;
  parts.push_back({"prefill", before_s, first_s, counted(in, "token") + " in, to the first out"});
  std::string decoded = counted(outcome.output_tokens, "token") + " out";
  if (outcome.output_tokens > 1) {
    const double each_s = (end_s - first_s) / static_cast<double>(outcome.output_tokens - 1);
    decoded += fmt::format(", {} each", duration_text(each_s));
  }
  parts.push_back({"decode", first_s, end_s, decoded});
  return parts;
}

constexpr int name_columns = 9, duration_columns = 7;

}  // namespace

std::vector<RequestPart> request_parts(const JobChanged& job, Instant now) {
  if (job.job.work.kind != WorkKind::serve) return {};
  if (job.state == JobState::finished) return parts_of_finished(job);
  if (is_terminal(job.state)) return {};
  const double age_s = std::max(0.0, to_seconds(now - job.submitted));
  if (job.state == JobState::queued) return {{"queued", 0, age_s, "so far"}};
  const double since_s = std::clamp(to_seconds(job.since - job.submitted), 0.0, age_s);
  const bool runs = job.state == JobState::running;
  std::string note = runs ? "so far; prefill and decode follow with the result" : "not started yet";
  return {{before_name(job), 0, since_s, before_note(job)},
          {runs ? "runs" : "assigned", since_s, age_s, note}};
}

int request_chart_rows(const std::vector<RequestPart>& parts) {
  return parts.empty() ? 0 : 1 + static_cast<int>(parts.size());
}

int draw_request_chart(DrawRegion& region, int row, const std::vector<RequestPart>& parts) {
  if (parts.empty()) return row;
  const double all_s = parts.back().until_s;
  region.heading(row++, "Request", duration_text(all_s));
  const int bar = std::clamp(region.columns() / 3, 8, 60);
  const int note_at = name_columns + bar + 1 + duration_columns + 1;
  for (const RequestPart& part : parts) {
    region.field(0, row, name_columns - 1, part.name, CellStyle::faint);
    const auto cell = [&](double at_s) {
      return all_s > 0 ? static_cast<int>(at_s / all_s * bar) : 0;
    };
    const int from = std::min(cell(part.from_s), bar - 1);
    const int until = std::clamp(cell(part.until_s), from + 1, bar);
    for (int at = 0; at < bar; ++at) {
      const bool within = at >= from && at < until && part.until_s > part.from_s;
      region.text(name_columns + at, row,
                  within ? (region.ascii() ? "#" : "█") : (region.ascii() ? "." : "·"),
                  within ? CellStyle::good : CellStyle::faint);
    }
    region.field(name_columns + bar + 1, row, duration_columns,
                 duration_text(part.until_s - part.from_s), CellStyle::plain, Align::right);
    region.field(note_at, row, region.columns() - note_at, part.note, CellStyle::faint);
    ++row;
  }
  return row;
}

}  // namespace drover::tui
