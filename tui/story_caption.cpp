#include "tui/story_caption.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

// Lower terminals show less of it, and more of the fleet.
constexpr int two_rows_from = 20, totals_from = 24;
constexpr int totals_rows = 4, label_columns = 10;

bool shows_totals(const FrameContext& frame, Size size) {
  return frame.model.caption()->totals && frame.model.summary() && size.rows >= totals_from;
}

std::string caption_text(const Caption& caption) {
  std::string text = "Story";
  if (caption.chapters > 0) text += fmt::format(" {}/{}", caption.chapter, caption.chapters);
  if (caption.paused) text += " (paused)";
  return text + ": " + caption.text;
}

/// What the keys do, longest first.
std::vector<std::string> key_notes(const FrameContext& frame, const Caption& caption) {
  const std::string pause = !frame.options.story ? ""
                            : caption.paused     ? ", p resumes"
                                                 : ", p pauses";
  if (frame.ui.follows_story && frame.cursor.live()) {
    return {fmt::format("the screen follows the story; any key takes over{}", pause),
            fmt::format("any key takes over{}", pause), "any key takes over"};
  }
  const bool shown = caption.key == fmt::format("{}", static_cast<int>(frame.ui.view) + 1);
  const std::string view =
      caption.key.empty() || shown ? "" : fmt::format("press {} to see it", caption.key);
  if (!frame.options.story) return {view};
  const std::string follow = (view.empty() ? "" : view + ", ") + "P follows the story";
  return {follow + pause, follow, view};
}

/// The caption, and at the right end of its last row what the keys do.
void draw_caption(const FrameContext& frame, DrawRegion region) {
  const Caption& caption = *frame.model.caption();
  const int width = region.columns() - 2;
  std::vector<std::string> lines = wrapped(printable(caption_text(caption)), width);
  const auto rows = static_cast<std::size_t>(region.rows());
  if (lines.size() > rows) {  // the last row is cut where it ends
    for (std::size_t line = rows; line < lines.size(); ++line) lines[rows - 1] += " " + lines[line];
    lines.resize(rows);
  }
  for (std::size_t line = 0; line < lines.size(); ++line) {
    region.field(1, static_cast<int>(line), width, lines[line], CellStyle::accent);
  }
  const int used = lines.size() < rows ? 0 : columns_of(lines.back()) + 2;
  for (const std::string& note : key_notes(frame, caption)) {
    const int columns = columns_of(note);
    if (note.empty() || used + columns > width) continue;
    region.text(1 + width - columns, region.rows() - 1, note, CellStyle::faint);
    return;
  }
}

/// "2847 jobs: queue_slo 1586, capacity 757, .. and 3 other reasons": the most frequent first, as
/// many as fit.
std::string fallback_text(const Summary& sums, int width) {
  std::vector<std::pair<std::uint64_t, Reason>> reasons;
  std::uint64_t all = 0;
  for (const auto& [reason, count] : sums.fallbacks) {
    reasons.emplace_back(count, reason);
    all += count;
  }
  if (all == 0) return "no job: each runs in its preferred pool";
  std::ranges::stable_sort(reasons, std::greater(), &std::pair<std::uint64_t, Reason>::first);
  std::string text = counted(all, "job") + ":";
  for (std::size_t shown = 0; shown < reasons.size(); ++shown) {
    const auto& [count, reason] = reasons[shown];
    const std::string next = fmt::format("{} {} {}", shown == 0 ? "" : ",", to_text(reason), count);
    const std::size_t left = reasons.size() - shown;
    const std::string rest = fmt::format(" and {}", counted(left, "other reason"));
    const bool last = left == 1;
    if (columns_of(text + next) + (last ? 0 : columns_of(rest)) > width) return text + rest;
    text += next;
  }
  return text;
}

/// Every accepted job is in one of these states, or it is lost.
std::string lost_text(const Summary& sums, std::uint64_t lost) {
  std::string text =
      fmt::format("{} of {} jobs: {} finished", lost == 0 ? "none" : fmt::format("{}", lost),
                  sums.accepted, sums.finished);
  if (sums.failed > 0) text += fmt::format(", {} failed", sums.failed);
  if (sums.cancelled > 0) text += fmt::format(", {} cancelled", sums.cancelled);
  return text + fmt::format(", {} running, {} queued", sums.running, sums.queued);
}

std::string cost_text(const Summary& sums) {
  std::string text =
      fmt::format("{} and {}, idle devices included", dollars_text(sums.fleet_cost_usd),
                  joules_text(sums.fleet_energy_j));
  const DeliveredWork& tokens = sums.tokens_work;
  if (tokens.units > 0) {
    text += fmt::format("; {:.2f}J for each token",
                        tokens.charged.energy_j / static_cast<double>(tokens.units));
  }
  return text;
}

/// What the run has done so far, from the router's totals.
void draw_run_totals(const FrameContext& frame, DrawRegion region) {
  const Summary& sums = *frame.model.summary();
  const std::uint64_t known =
      sums.finished + sums.running + sums.queued + sums.failed + sums.cancelled;
  const std::uint64_t lost = sums.accepted - std::min(sums.accepted, known);
  region.heading(0, fmt::format("Totals since {}", to_clock_text(sums.started)),
                 "the router's totals");
  const auto line = [&](int row, std::string_view label, const std::string& text, CellStyle style) {
    draw_fact(region, 0, row, label_columns, label, text, style);
  };
  line(1, "lost", lost_text(sums, lost), lost == 0 ? CellStyle::good : CellStyle::alarm);
  line(2, "fell back", fallback_text(sums, region.columns() - label_columns), CellStyle::plain);
  line(3, "cost", cost_text(sums), CellStyle::plain);
}

}  // namespace

int story_rows(const FrameContext& frame, Size size) {
  if (!frame.model.caption()) return 0;
  return (size.rows >= two_rows_from ? 2 : 1) + (shows_totals(frame, size) ? totals_rows : 0);
}

void draw_story(const FrameContext& frame, DrawRegion region) {
  const bool totals = region.rows() > totals_rows;
  const int top = totals ? totals_rows : 0;
  if (totals) draw_run_totals(frame, region.part({1, 0, region.columns() - 2, totals_rows}));
  draw_caption(frame, region.part({0, top, region.columns(), region.rows() - top}));
}

}  // namespace drover::tui
