#include "tui/view_settings.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "tui/tables/column_selection.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

/// Sets the choice to the one of `names` that is wanted.
template <typename Choice>
void choose(Choice& choice, const std::vector<std::string>& names, const std::string& wanted) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  DROVER_REQUIRE(found != names.end());
  choice = static_cast<Choice>(found - names.begin());
}

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

void apply_view_settings(const ViewSettings& settings, Views& views) {
  choose(views.ui.view, view_names(), settings.view);
  views.ui.details_top = 0;
  choose(views.fleet.metric, map_metric_words(), settings.map_metric);
  choose(views.fleet.grouping, grouping_names(), settings.map_group);
  choose(views.jobs.list.filter, job_filter_names(), settings.job_filter);
  choose_devices(settings, views.devices.list);
  DROVER_REQUIRE(!views.ui.fleet_filter.set(settings.filter));
}

ViewSettings capture_view_settings(const Views& views, ViewSettings settings) {
  settings.view = to_text(views.ui.view);
  settings.map_metric = facts(views.fleet.metric).word;
  settings.map_group = to_text(views.fleet.grouping);
  settings.job_filter = to_text(views.jobs.list.filter);
  settings.filter = views.ui.fleet_filter.text();
  settings.sort = sort_texts(views.devices.list);
  settings.device_columns.clear();
  for (const ShownColumn& column : views.devices.list.wanted) {
    const int own = device_columns()[static_cast<std::size_t>(column.number)].width;
    settings.device_columns.push_back(
        title_of(column.number) + (column.width == own ? "" : fmt::format(":{}", column.width)));
  }
  return settings;
}

}  // namespace drover::tui
