#include "tui/state/ui_state.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "tui/model/metric_formulas.h"
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

bool UiState::show_map_metric(std::string_view word) {
  const auto known = map_metrics();
  const auto found = std::find_if(known.begin(), known.end(), [&](const MapMetricFacts& metric) {
    return metric.word == word;
  });
  if (found != known.end()) map_metric = found->metric;
  return found != known.end();
}

void UiState::select_figure(int index) {
  figure.index = (index + figure.count) % figure.count;
  figure.follow = true;
  if (figure.open) details_top = 0;
}

void apply_view_settings(const ViewSettings& settings, UiState& ui) {
  choose(ui.view, view_names(), settings.view);
  ui.trail.clear();
  ui.narrowed_to.clear();
  ui.details_top = 0;
  ui.place = DevicePlace::device;
  choose(ui.map_metric, map_metric_words(), settings.map_metric);
  choose(ui.map_grouping, grouping_names(), settings.map_group);
  choose(ui.jobs.filter, job_filter_names(), settings.job_filter);
  choose_devices(settings, ui.devices);
  DROVER_REQUIRE(!ui.fleet_filter.set(settings.filter));
}

ViewSettings capture_view_settings(const UiState& ui, ViewSettings settings) {
  settings.view = to_text(ui.view);
  settings.map_metric = facts(ui.map_metric).word;
  settings.map_group = to_text(ui.map_grouping);
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
