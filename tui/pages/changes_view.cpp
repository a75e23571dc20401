// What is different at the moment shown from the marked one. The page stands in the place of the
// device view and scrolls.
#include <algorithm>

#include <fmt/format.h>

#include "tui/moments/change_lines.h"
#include "tui/moments/moment_changes.h"
#include "tui/moments/moment_snapshot.h"
#include "tui/pages/pages.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int changes_two_columns = 110, changes_three_columns = 165;  // from here on
constexpr int changes_gap = 2;
constexpr int changes_tall_rows = 34;  // from here on, more devices are listed
constexpr std::size_t devices_listed_few = 5;

struct PlacedSection {
  const ChangeSection* section;
  Rect area;  // on the page
};

/// Sections in their order, each in the column that is shortest so far.
std::vector<PlacedSection> place_sections(const std::vector<ChangeSection>& sections, int columns) {
  const int abreast = columns >= changes_three_columns ? 3 : columns >= changes_two_columns ? 2 : 1;
  const int width = (columns - changes_gap * (abreast - 1)) / abreast;
  std::vector<int> ends(static_cast<std::size_t>(abreast), 0);
  std::vector<PlacedSection> placed;
  for (const ChangeSection& section : sections) {
    const auto shortest = std::ranges::min_element(ends);
    const int column = static_cast<int>(shortest - ends.begin()) * (width + changes_gap);
    placed.push_back({&section, {column, *shortest, width, section.rows()}});
    *shortest += section.rows();
  }
  return placed;
}

void draw_cells(DrawRegion& region, int row, const std::vector<ChangeColumn>& columns,
                const std::vector<std::string>& cells, CellStyle changed, CellStyle others) {
  int at = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool last = i + 1 == columns.size();
    const bool fills = last && columns[i].align == Align::left;
    const int width = fills ? std::max(0, region.columns() - at) : columns[i].width;
    region.field(at, row, width, cells[i], i == 1 ? changed : others, columns[i].align);
    at += width + 1 + (columns[i].align == Align::right ? 1 : 0);
  }
}

void draw_section(DrawRegion region, const ChangeSection& section) {
  region.heading(0, section.title, section.note);
  if (section.lines.empty()) {
    region.field(1, 1, region.columns() - 1, "no change", CellStyle::faint);
    return;
  }
  int row = 1;
  if (section.has_titles()) {
    std::vector<std::string> titles;
    for (const ChangeColumn& column : section.columns) titles.emplace_back(column.title);
    draw_cells(region, row++, section.columns, titles, CellStyle::faint, CellStyle::faint);
  }
  for (const ChangeLine& line : section.lines) {
    draw_cells(region, row++, section.columns, line.cells, line.style, CellStyle::plain);
  }
}

class ChangesView : public View {
 public:
  using View::View;

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    DrawRegion view = region;
    const std::string scroll = scroll_note(page_rows_, rows_seen_, ui_.details_top);
    view.heading(0, title_, frame.with_whole_fleet_note(scroll));
    view.field(0, 1, view.columns(), note_, CellStyle::faint);
    Canvas canvas({view.columns(), page_rows_});
    DrawRegion page(canvas, {0, 0, view.columns(), page_rows_}, view.ascii());
    for (const PlacedSection& placed : placed_) {
      draw_section(page.part(placed.area), *placed.section);
    }
    view.on({view.area().column, view.area().row + head_rows, view.columns(), rows_seen_})
        .paste(canvas, ui_.details_top, 0);
  }

  std::vector<CompactLine> compact_lines(const FrameContext&, int lines_max) const override {
    std::vector<CompactLine> lines = {{title_}};
    for (const ChangeSection& section : ui_.changes) {
      for (const ChangeLine& line : section.lines) {
        if (static_cast<int>(lines.size()) >= lines_max) return lines;
        lines.push_back({fmt::format("{} {}", line.cells[0], line.cells[1]), line.style});
      }
    }
    return lines;
  }

  void forget_layout() override {
    placed_.clear();
    compared_.reset();
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    rows_seen_ = std::max(0, at.body.rows - head_rows);
    if (ui_.mark && is_due(at)) compare(at);
    placed_ = place_sections(ui_.changes, at.body.columns);
    page_rows_ = 0;
    for (const PlacedSection& placed : placed_) {
      page_rows_ = std::max(page_rows_, placed.area.row + placed.area.rows);
    }
    return {page_rows_, rows_seen_};
  }

  void tag(const KeyContext& context) override {
    context.cursor.say("Esc goes back to the devices, where T tags them");
  }

 private:
  static constexpr int head_rows = 2;

  /// A comparison reads the whole fleet, so while time passes it is made once a wall second.
  bool is_due(const LayoutInput& at) const {
    if (!at.steady || ui_.changes.empty()) return true;
    return compared_ != at.model.structure() || at.now < compared_at_ ||
           saturating_add(compared_at_, at.resort_every) <= at.now;
  }

  void compare(const LayoutInput& at) {
    const MomentChanges changes = changes_between(*ui_.mark, moment_of(at.model, at.now));
    const bool tall = at.body.rows >= changes_tall_rows;
    ui_.changes = sections_of(changes, tall ? device_changes_max : devices_listed_few);
    title_ = changes_title(changes);
    note_ = changes.from == changes.to
                ? "this is the marked moment: [ ] and @ go to another one to compare"
            : changes.mark_is_later ? "the marked moment is the later one"
                                    : "the marked moment is the earlier one";
    if (changes.from != changes.to) note_ += "; only states at the two moments are compared";
    compared_ = at.model.structure();
    compared_at_ = at.now;
  }

  std::vector<PlacedSection> placed_;      // of ui_.changes
  std::optional<std::uint64_t> compared_;  // the structure of the model that was compared
  Instant compared_at_{};
  std::string title_, note_;
  int page_rows_ = 0, rows_seen_ = 0;
};

}  // namespace

std::unique_ptr<View> make_changes_view(UiState& ui) { return std::make_unique<ChangesView>(ui); }

}  // namespace drover::tui
