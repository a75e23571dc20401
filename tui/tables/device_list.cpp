#include "tui/tables/device_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "fleet/base/text.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

const DeviceColumn& column_of(int number) {
  return device_columns()[static_cast<std::size_t>(number)];
}

/// The ranks of texts in their order; NaN for empty ones.
std::vector<double> ranks_of(const std::vector<std::string>& texts) {
  std::map<std::string_view, double> ranks;
  for (const std::string& text : texts) ranks.emplace(text, 0);
  double next = 0;
  for (auto& [text, rank] : ranks) rank = next++;
  std::vector<double> found;
  for (const std::string& text : texts) {
    found.push_back(text.empty() || text == not_known ? absent : ranks.at(text));
  }
  return found;
}

/// The ranks of devices in the order of their names. Model::device_order differs: it orders hosts
/// by rack.
std::vector<double> name_keys_of(const Model& model, const std::vector<std::uint32_t>& places) {
  const std::vector<HostRow>& hosts = model.hosts();
  std::vector<std::uint32_t> order(hosts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return natural_less(hosts[a].reported.registration.host, hosts[b].reported.registration.host);
  });
  std::vector<double> begins(hosts.size());  // of each host's devices
  double next = 0;
  for (const std::uint32_t host : order) {
    begins[host] = next;
    next += hosts[host].count;
  }
  std::vector<double> keys;
  for (const std::uint32_t place : places) {
    const DeviceTable::Row row = model.device_order()[place];
    const std::uint32_t host = model.devices().host(row);
    keys.push_back(begins[host] + (row - hosts[host].first));
  }
  return keys;
}

/// The sort keys of the devices at these places, to be sorted in ascending order.
std::vector<double> keys_of(const EvaluationContext& at, const SortKey& key,
                            const std::vector<std::uint32_t>& places) {
  const DeviceColumn& column = column_of(key.column);
  const auto& rows = at.model.device_order();
  std::vector<double> keys;
  if (column.title == "DEVICE") {
    keys = name_keys_of(at.model, places);
  } else if (column.order != nullptr) {
    for (const std::uint32_t place : places) {
      keys.push_back(column.order(at, rows[place], place));
    }
  } else {
    std::vector<std::string> texts;
    for (const std::uint32_t place : places) texts.push_back(column.text(at, rows[place]));
    keys = ranks_of(texts);
  }
  for (double& value : keys) {
    // Unknown values come last in both directions.
    if (std::isnan(value)) {
      value = std::numeric_limits<double>::infinity();
    } else if (key.descending) {
      value = -value;
    }
  }
  return keys;
}

/// The sort key and name of a group: by name, states most severe first.
using GroupName = std::pair<int, std::string>;

GroupName group_of(const EvaluationContext& at, Grouping grouping, DeviceTable::Row row) {
  const Register& registration = at.model.host_of(row).reported.registration;
  const auto named = [](std::string_view name, const char* without) {
    return GroupName{name.empty() ? 1 : 0, name.empty() ? std::string(without) : std::string(name)};
  };
  switch (grouping) {
    case Grouping::host:
      return named(registration.host, "no host");
    case Grouping::rack:
      return named(registration.rack, "no rack");
    case Grouping::pool:
      return named(at.model.pools_text(row), "no pool");
    case Grouping::kind:
      return named(at.model.spec_of(row).kind(), "no kind");
    case Grouping::state: {
      const DeviceState state = most_severe_state(standing_of(at.model, at.now, row));
      return {static_cast<int>(state), std::string(to_text(state))};
    }
  }
  return {};
}

/// For each device the number of its group, and the names of the groups.
struct Groups {
  std::vector<std::size_t> of;
  std::vector<std::string> names;
};

Groups groups_of(const EvaluationContext& at, Grouping grouping,
                 const std::vector<std::uint32_t>& places) {
  std::vector<GroupName> names;
  std::map<GroupName, std::size_t> numbers;
  for (const std::uint32_t place : places) {
    names.push_back(group_of(at, grouping, at.model.device_order()[place]));
    numbers.emplace(names.back(), 0);
  }
  Groups groups;
  for (auto& [name, number] : numbers) {
    number = groups.names.size();
    groups.names.push_back(name.second);
  }
  for (const GroupName& name : names) groups.of.push_back(numbers.at(name));
  return groups;
}

void make_lines(const EvaluationContext& at, const FleetFilter& fleet_filter, DeviceList& list) {
  const auto& rows = at.model.device_order();
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < rows.size(); ++place) {
    if (fleet_filter.shows(rows[place])) places.push_back(place);
  }
  const std::vector<double> first = keys_of(at, {list.sort_column, list.descending}, places);
  const std::vector<double> second =
      list.second ? keys_of(at, *list.second, places) : std::vector<double>(places.size());
  const bool grouped = list.grouping.has_value();
  const Groups groups = grouped ? groups_of(at, *list.grouping, places)
                                : Groups{std::vector<std::size_t>(places.size()), {}};
  std::vector<std::tuple<std::size_t, double, double, std::uint32_t>> order;
  order.reserve(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    order.emplace_back(groups.of[i], first[i], second[i], places[i]);
  }
  std::sort(order.begin(), order.end());
  list.lines.clear();
  std::optional<std::size_t> open;
  for (const auto& [group, one, two, place] : order) {
    if (grouped && open != group) list.lines.push_back({0, groups.names[group]});
    open = group;
    list.lines.push_back({rows[place], {}});
  }
}

/// Whether the order depends only on the devices, not on what they report.
bool is_order_of_names(const DeviceList& list) {
  return column_of(list.sort_column).title == "DEVICE" && !list.second &&
         list.grouping != Grouping::state;
}

bool any_shown(const FleetFilter& fleet_filter, const HostRow& host) {
  const auto shows = [&](DeviceTable::Row row) { return fleet_filter.shows(row); };
  return !fleet_filter.active() || host.has_row(shows);
}

}  // namespace

void sort_devices(const Model& model, const FleetFilter& fleet_filter, DeviceList& list,
                  Instant now, Duration resort_every, Instant moved_at) {
  const bool must =
      list.order_structure != model.structure() || list.order_filter != fleet_filter.version();
  const bool due = saturating_add(list.ordered_at, resort_every) <= now;
  const bool moving =
      moved_at != Instant::min() && now < saturating_add(moved_at, 3 * resort_every);
  if (!must && (!due || moving)) return;
  if (!must && is_order_of_names(list) && list.order_shown == fleet_filter.result()) return;
  list.order_shown = fleet_filter.result();
  list.order_structure = model.structure();
  list.order_filter = fleet_filter.version();
  list.ordered_at = now;
  const bool of_jobs = column_of(list.sort_column).of_jobs ||
                       (list.second && column_of(list.second->column).of_jobs);
  const JobsByDevice jobs = of_jobs ? JobsByDevice(model) : JobsByDevice();
  make_lines({model, now, jobs}, fleet_filter, list);
}

std::vector<DeviceTable::Row> devices_by_name(const Model& model, const FleetFilter& fleet_filter) {
  DeviceList list;
  sort_devices(model, fleet_filter, list, Instant{}, {}, Instant::min());
  std::vector<DeviceTable::Row> rows;
  for (const DeviceLine& line : list.lines) rows.push_back(line.row);
  return rows;
}

int index_of(const DeviceList& list, const Model& model, const std::optional<DeviceId>& device) {
  const auto row = device ? model.find(*device) : std::nullopt;
  if (!row) return -1;
  return index_where(
      list.lines, [&](const DeviceLine& line) { return line.heading.empty() && line.row == *row; });
}

std::optional<DeviceTable::Row> device_at(const DeviceList& list, int index, int direction) {
  const DeviceLine* const line = nearest_line(
      list.lines, index, direction, [](const DeviceLine& it) { return it.heading.empty(); });
  return line == nullptr ? std::nullopt : std::optional(line->row);
}

void choose_device(DeviceList& list, const Model& model, int index, int direction,
                   std::optional<DeviceId>& chosen) {
  const auto row = device_at(list, index, direction);
  if (!row) return;
  chosen = model.id_of(*row);
  list.place.row = -1;
}

std::string search_text_of(const DeviceList& list, const Model& model, int index) {
  const DeviceLine& line = list.lines[static_cast<std::size_t>(index)];
  return line.heading.empty() ? device_search_text(model, line.row) : std::string();
}

void step_sort(DeviceList& list, int step) {
  const auto& shown = list.columns;
  if (shown.empty()) return;
  const int at = index_where(
      shown, [&](const ShownColumn& column) { return column.number == list.sort_column; });
  const int place = std::max(0, at);
  const int count = static_cast<int>(shown.size());
  sort_by(list, shown[static_cast<std::size_t>((place + step + count) % count)].number);
}

void step_column(DeviceList& list, int step) {
  if (list.columns.empty()) return;
  const int columns = static_cast<int>(list.columns.size());
  const int from = index_where(
      list.columns, [&](const ShownColumn& shown) { return shown.number == list.chosen_column; });
  const int to = step > 0 ? from + 1 : from < 0 ? columns - 1 : from - 1;
  list.chosen_column =
      list.columns[static_cast<std::size_t>(std::clamp(to, 0, columns - 1))].number;
}

void step_secondary_sort(DeviceList& list) {
  std::vector<int> others;  // after the last one comes none
  for (const ShownColumn& column : list.columns) {
    if (column.number != list.sort_column) others.push_back(column.number);
  }
  auto next = others.begin();
  if (list.second) {
    next = std::find(others.begin(), others.end(), list.second->column);
    if (next != others.end()) ++next;
  }
  list.second.reset();
  if (next != others.end()) list.second = SortKey{*next, column_of(*next).quantity};
  list.order_structure = 0;
}

void sort_by(DeviceList& list, int column) {
  const bool again = list.sort_column == column;
  list.sort_column = column;
  // Quantities start in descending order, names in ascending order.
  list.descending = again ? !list.descending : column_of(column).quantity;
  if (list.second && list.second->column == column) list.second.reset();
  list.order_structure = 0;
  list.place = ListViewport{};
}

void sort_by(DeviceList& list, std::span<const SortKey> keys) {
  list.sort_column = keys.front().column;
  list.descending = keys.front().descending;
  list.second.reset();
  if (keys.size() > 1) list.second = keys[1];
  list.order_structure = 0;
  list.place = ListViewport{};
}

void group_by(DeviceList& list, std::optional<Grouping> grouping) {
  list.grouping = grouping;
  list.order_structure = 0;
  list.place = ListViewport{};
}

void step_grouping(DeviceList& list) {
  const int next = list.grouping ? static_cast<int>(*list.grouping) + 1 : 0;
  group_by(list, next < grouping_count ? std::optional(static_cast<Grouping>(next)) : std::nullopt);
}

void invert(DeviceList& list) {
  list.descending = !list.descending;
  list.order_structure = 0;
}

std::vector<std::uint32_t> list_hosts(const Model& model, const FleetFilter& fleet_filter,
                                      Instant now) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t number : model.host_order()) {
    if (any_shown(fleet_filter, model.hosts()[number])) numbers.push_back(number);
  }
  // Stable, so that lines of hosts in the same state do not move.
  const auto badness = [&](std::uint32_t number) {
    const HostRow& host = model.hosts()[number];
    if (host.reported.health == Health::left) return -1;
    if (host.reported.health != Health::ok) return static_cast<int>(host.reported.health) + 1;
    return host.count > 0 && model.is_stale(now, host) ? 1 : 0;
  };
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return badness(a) > badness(b); });
  return numbers;
}

}  // namespace drover::tui
