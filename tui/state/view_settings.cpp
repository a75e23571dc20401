#include "tui/state/view_settings.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "tui/state/view_table.h"
#include "tui/tables/column_selection.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

/// The first of `count` values of an enum that has this name.
template <typename Enum, typename Name>
Enum named(int count, const std::string& wanted, Name name_of) {
  int i = 0;
  while (i < count && name_of(static_cast<Enum>(i)) != wanted) ++i;
  DROVER_REQUIRE(i < count);
  return static_cast<Enum>(i);
}

std::string_view name_of_view(View view) { return view_names()[static_cast<std::size_t>(view)]; }
std::string_view name_of_metric(MapMetric metric) { return facts(metric).word; }
std::string_view name_of_grouping(Grouping grouping) { return to_text(grouping); }

std::string title_of(int column) {
  return std::string(device_columns()[static_cast<std::size_t>(column)].title);
}

void choose_devices(const ViewSettings& settings, DeviceList& devices) {
  const auto keys = parse_sort(joined(settings.sort, ","));
  DROVER_REQUIRE(keys.ok());
  sort_by(devices, *keys);
  devices.wanted.clear();
  if (!settings.device_columns.empty()) {
    const auto columns = parse_columns(joined(settings.device_columns, ","));
    // Each column was checked alone; if one is listed twice, the default columns are shown.
    if (columns) devices.wanted = *columns;
  }
  devices.order_structure = 0;  // sort again
}

std::vector<std::string> sort_texts(const DeviceList& devices) {
  std::vector<std::string> texts = {(devices.descending ? "-" : "") +
                                    title_of(devices.sort_column)};
  if (devices.second) {
    texts.push_back((devices.second->descending ? "-" : "") + title_of(devices.second->column));
  }
  return texts;
}

}  // namespace

void apply_view_settings(const ViewSettings& settings, UiState& ui) {
  ui.view = named<View>(view_count, settings.view, name_of_view);
  ui.details_top = 0;
  ui.metric = named<MapMetric>(map_metric_count, settings.map_metric, name_of_metric);
  ui.grouping = named<Grouping>(grouping_count, settings.map_group, name_of_grouping);
  ui.jobs.filter = named<JobFilter>(job_filter_count, settings.job_filter,
                                    [](JobFilter filter) { return to_text(filter); });
  choose_devices(settings, ui.devices);
  DROVER_REQUIRE(!ui.fleet_filter.set(settings.filter));
}

ViewSettings capture_view_settings(const UiState& ui, ViewSettings settings) {
  settings.view = name_of_view(ui.view);
  settings.map_metric = name_of_metric(ui.metric);
  settings.map_group = name_of_grouping(ui.grouping);
  settings.job_filter = to_text(ui.jobs.filter);
  settings.filter = ui.fleet_filter.text();
  settings.sort = sort_texts(ui.devices);
  settings.device_columns.clear();
  for (const ShownColumn& column : ui.devices.wanted) {
    const int own = device_columns()[static_cast<std::size_t>(column.number)].width;
    settings.device_columns.push_back(
        title_of(column.number) + (column.width == own ? "" : fmt::format(":{}", column.width)));
  }
  return settings;
}

}  // namespace drover::tui
