#include "tui/state/settings_table.h"

#include <array>

#include "fleet/base/text.h"
#include "fleet/filter/filter.h"
#include "tui/canvas/theme.h"
#include "tui/map/heat_order.h"
#include "tui/map/map_metric.h"
#include "tui/state/view_id.h"
#include "tui/tables/column_selection.h"
#include "tui/tables/job_list.h"

namespace drover::tui {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// The allowed names of settings that no other table has.

const std::vector<std::string>& automatic_or_not() {
  static const std::vector<std::string> names = {"auto", "on", "off"};
  return names;
}

const std::vector<std::string>& on_or_off() {
  static const std::vector<std::string> names = {"on", "off"};
  return names;
}

const std::vector<std::string>& bells() {
  static const std::vector<std::string> names = {"off", "critical", "warning", "info"};
  return names;
}

// Checks of texts.

Status check_filter(const std::string& text) {
  const auto parsed = filter::Filter::parse(text);
  const auto* const problem = std::get_if<filter::Problem>(&parsed);
  return problem == nullptr ? Status() : Status(Error{problem->message});
}

Status check_column(const std::string& text) {
  const auto columns = parse_columns(text);
  if (!columns) return columns.error();
  return columns->size() == 1 ? Status() : error("found '{}', expected one column", excerpt(text));
}

Status check_sort(const std::string& text) {
  const auto keys = parse_sort(text);
  if (!keys) return keys.error();
  return keys->size() == 1 ? Status() : error("found '{}', expected one column", excerpt(text));
}

const std::array<Setting<ViewSettings>, 7> of_views = {{
    {"view", &ViewSettings::view, "view shown at the start", view_names},
    {"filter", &ViewSettings::filter, "shows only what this filter matches; empty: the whole fleet",
     nullptr, check_filter},
    {"map_metric", &ViewSettings::map_metric, "metric that colours the heat map", map_metric_words},
    {"map_group", &ViewSettings::map_group, "grouping of devices on the heat map", grouping_names},
    {"device_columns", &ViewSettings::device_columns,
     "columns of the devices table in order, \"POWER\" or, with a width, \"POWER:14\"; empty: all "
     "that fit",
     nullptr, check_column, 0, 40},
    {"sort", &ViewSettings::sort,
     "columns by which devices are sorted; \"-POWER\" sorts descending", nullptr, check_sort, 1, 2},
    {"job_filter", &ViewSettings::job_filter, "which jobs the jobs view lists", job_filter_names},
}};

const std::array<Setting<Settings>, 8> others = {{
    {"theme", &Settings::theme, "colour theme", theme_names},
    {"colours", &Settings::colours,
     "number of colours of the terminal; auto: from TERM, and none if NO_COLOR is set",
     colours_names},
    {"ascii", &Settings::ascii,
     "no box, block or braille characters; auto: if the locale is not UTF-8", automatic_or_not},
    {"mouse", &Settings::mouse,
     "the dashboard receives clicks and the wheel; off: the terminal uses them to select text",
     on_or_off},
    {"frame_rate", &Settings::frame_rate, "maximum frames per second", nullptr, nullptr, 1, 20},
    {"bytes_per_frame", &Settings::bytes_per_frame,
     "maximum bytes written to the terminal at once; 0: no limit; auto: limited over ssh", nullptr,
     nullptr, 0, 16 * mebibyte},
    {"history", &Settings::history,
     "memory for history: half for the devices' metrics, half to go back in time", nullptr, nullptr,
     history_bytes_min, history_bytes_max},
    {"bell", &Settings::bell, "lowest severity of an alert that rings the bell", bells},
}};

}  // namespace

std::span<const Setting<ViewSettings>> view_settings() { return of_views; }
std::span<const Setting<Settings>> other_settings() { return others; }

}  // namespace drover::tui
