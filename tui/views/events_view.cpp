// Raised alerts and the log: Enter on a line goes to its moment and its device.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/alert_panel.h"
#include "tui/panels/log_panels.h"
#include "tui/state/update.h"
#include "tui/tables/target_lookup.h"
#include "tui/views/view_definitions.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

// From these sizes on, rules are beside the list, and details of the selection below it.
constexpr int columns_with_rules = 160;
constexpr int rows_with_details = 16;
constexpr int events_gap = 2;

struct EventsLayout {
  Rect list, details, rules;  // the last two may be empty
};

EventsLayout lay_out_events(const Rect& area, const Model& model, const LogList& list) {
  EventsLayout layout{area, {}, {}};
  if (area.columns >= columns_with_rules && list.filter != LogFilter::rules) {
    layout.list.columns = area.columns * 3 / 5 - events_gap;
    const int column = area.column + layout.list.columns + events_gap;
    layout.rules = {column, area.row, area.column + area.columns - column, area.rows};
  }
  const int details = area.rows < rows_with_details ? 0 : alert_details_rows(model, list);
  layout.list.rows -= details;
  layout.details = {area.column, area.row + layout.list.rows, layout.list.columns, details};
  return layout;
}

ScrolledRows arrange_events(const LayoutInput& at, UiState& ui) {
  LogList& list = ui.log;
  list.lines = list_log(at.model, ui.fleet_filter, list.filter);
  list.place.scroll_to(index_of_chosen(list), static_cast<int>(list.lines.size()),
                       lay_out_events(at.body, at.model, list).list.rows);
  return {};
}

int count_entries(const UiState& ui) { return static_cast<int>(ui.log.lines.size()); }
int selected_entry(const Model&, const UiState& ui) { return index_of_chosen(ui.log); }
void select_entry(const Model&, UiState& ui, int index, int direction) {
  select_log_entry(ui.log, index, direction);
}
std::string text_of_entry(const Model&, const UiState& ui, int index) {
  const LogEntry& entry = ui.log.lines[static_cast<std::size_t>(index)].entry;
  return entry.subject + " " + entry.text;
}
ListViewport* place_of_entries(UiState& ui) { return &ui.log.place; }

bool deselect_entry(UiState& ui) {
  const bool was = ui.log.chosen.has_value();
  ui.log.chosen.reset();
  return was;
}

/// Shows the devices that match a rule now.
void go_to_rule(const Model& model, UiState& ui, const LogEntry& entry) {
  const AlertRuleText* const rule = rule_named(model, entry.rule);
  const auto filter = rule == nullptr ? std::nullopt : matching_devices_filter(*rule);
  if (!filter) {
    ui.note = "no device filter for this rule";
    return;
  }
  ui.fleet_filter.set(*filter);
  show_view(ui, View::devices);
}

/// Goes to the entry's moment and to its subject: a device, a host's first device, or a job.
void go_to_entry(const Model& model, UiState& ui) {
  const LogEntry* const entry = selected_log_entry(ui.log);
  if (entry == nullptr) return;
  if (entry->kind == LogEntryKind::rule) return go_to_rule(model, ui, *entry);
  ui.seek_target = entry->at;
  if (const auto device = find_device(model, entry->subject)) {
    ui.device = device;
    show_view(ui, View::device);
  } else if (const auto job = find_job(model, entry->subject)) {
    ui.jobs.chosen = job;
    ui.jobs.open = true;
    show_view(ui, View::jobs);
  } else {
    show_view(ui, View::fleet);
  }
}

void draw_list(const FrameContext& frame, DrawRegion list) {
  const LogList& log = frame.ui.log;
  const int selected = index_of_chosen(log);
  for (int line = 0; line < list.rows(); ++line) {
    const int item = log.place.top + line;
    if (item >= static_cast<int>(log.lines.size())) break;
    const LogLine& shown = log.lines[static_cast<std::size_t>(item)];
    if (!shown.heading.empty()) {
      const std::string showing = item > 0 ? "" : fmt::format(", f: {}", to_text(log.filter));
      list.on(list.row_area(line)).heading(0, shown.heading, shown.note + showing);
      continue;
    }
    shown.entry.kind == LogEntryKind::rule ? draw_rule_line(frame, list, line, shown.entry)
                                           : draw_log_line(frame, list, line, shown.entry);
    frame.click_targets.add(list.row_area(line), ClickTarget::Kind::item, item);
    if (item == selected) list.tint(line, CellStyle::selected);
  }
}

void draw_events_view(const FrameContext& frame, const DrawRegion& region) {
  const EventsLayout layout = lay_out_events(region.area(), frame.model, frame.ui.log);
  draw_list(frame, region.on(layout.list));
  if (layout.rules.columns > 0) draw_rules(frame, region.on(layout.rules));
  if (layout.details.rows > 0) draw_alert_details(frame, region.on(layout.details));
}

}  // namespace

const ViewDefinition& events_view_definition() {
  static constexpr ViewDefinition row = {.name = "events",
                                         .arrange = arrange_events,
                                         .draw = draw_events_view,
                                         .count = count_entries,
                                         .selected = selected_entry,
                                         .select = select_entry,
                                         .place = place_of_entries,
                                         .text = text_of_entry,
                                         .open = go_to_entry,
                                         .back = deselect_entry};
  return row;
}

}  // namespace drover::tui
