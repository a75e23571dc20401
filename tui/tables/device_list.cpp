#include "tui/tables/device_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "fleet/base/natural_order.h"
#include "tui/model/device_state.h"
#include "tui/tables/columns.h"

namespace drover::tui {
namespace {

const DeviceColumn& column_of(int number) {
  return device_columns()[static_cast<std::size_t>(number)];
}

/// The places of texts in their order; of empty ones nothing is known.
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

/// The places of devices in the order of their names, which is not that of the fleet: there hosts
/// stand rack by rack.
std::vector<double> name_keys_of(const Model& model, const std::vector<std::uint32_t>& places) {
  const std::vector<HostRow>& hosts = model.hosts();
  std::vector<std::uint32_t> order(hosts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return natural_less(hosts[a].said.hello.host, hosts[b].said.hello.host);
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

/// What the devices at these places sort by, the least first.
std::vector<double> keys_of(const Judged& at, const SortKey& key,
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
    // Unknown values stand at the end, whatever the direction.
    if (std::isnan(value)) {
      value = std::numeric_limits<double>::infinity();
    } else if (key.descending) {
      value = -value;
    }
  }
  return keys;
}

/// Groups by their names, states the gravest first.
using GroupName = std::pair<int, std::string>;

GroupName group_of(const Judged& at, Grouping grouping, DeviceTable::Row row) {
  const Hello& hello = at.model.host_of(row).said.hello;
  const auto named = [](std::string_view name, const char* without) {
    return GroupName{name.empty() ? 1 : 0, name.empty() ? std::string(without) : std::string(name)};
  };
  switch (grouping) {
    case Grouping::host:
      return named(hello.host, "no host");
    case Grouping::rack:
      return named(hello.rack, "no rack");
    case Grouping::pool:
      return named(at.model.pools_text(row), "no pool");
    case Grouping::kind:
      return named(at.model.spec_of(row).id, "no kind");
    case Grouping::state: {
      const DeviceState state = gravest_state(at.model, at.now, row);
      return {static_cast<int>(state), std::string(to_text(state))};
    }
  }
  return {};
}

/// The groups' numbers in their order, by device, and their names.
struct Groups {
  std::vector<std::size_t> of;
  std::vector<std::string> names;
};

Groups groups_of(const Judged& at, Grouping grouping, const std::vector<std::uint32_t>& places) {
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

void make_lines(const Judged& at, const Narrowing& narrowing, DeviceList& list) {
  const auto& rows = at.model.device_order();
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < rows.size(); ++place) {
    if (narrowing.shows(rows[place])) places.push_back(place);
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

}  // namespace

void sort_devices(const Model& model, const Narrowing& narrowing, DeviceList& list, Instant now,
                  Duration resort_every, Instant moved_at) {
  const bool must =
      list.order_structure != model.structure() || list.order_filter != narrowing.version();
  const bool due = saturating_add(list.ordered_at, resort_every) <= now;
  const bool moving =
      moved_at != Instant::min() && now < saturating_add(moved_at, 3 * resort_every);
  if (!must && (!due || moving)) return;
  list.order_structure = model.structure();
  list.order_filter = narrowing.version();
  list.ordered_at = now;
  const bool of_jobs = column_of(list.sort_column).of_jobs ||
                       (list.second && column_of(list.second->column).of_jobs);
  const JobsByDevice jobs = of_jobs ? JobsByDevice(model) : JobsByDevice();
  make_lines({model, now, jobs}, narrowing, list);
}

int index_of(const DeviceList& list, DeviceTable::Row row) {
  const auto at = std::find_if(list.lines.begin(), list.lines.end(), [&](const DeviceLine& line) {
    return line.heading.empty() && line.row == row;
  });
  return at == list.lines.end() ? -1 : static_cast<int>(at - list.lines.begin());
}

std::optional<DeviceTable::Row> device_at(const DeviceList& list, int index, int direction) {
  const int onward = direction < 0 ? -1 : 1;
  for (const int step : {onward, -onward}) {
    for (int i = index; i >= 0 && i < static_cast<int>(list.lines.size()); i += step) {
      const DeviceLine& line = list.lines[static_cast<std::size_t>(i)];
      if (line.heading.empty()) return line.row;
    }
  }
  return std::nullopt;
}

void step_sort(DeviceList& list, int step) {
  const auto& shown = list.columns;
  if (shown.empty()) return;
  const auto at = std::find_if(shown.begin(), shown.end(), [&](const ShownColumn& column) {
    return column.number == list.sort_column;
  });
  const int place = at == shown.end() ? 0 : static_cast<int>(at - shown.begin());
  const int count = static_cast<int>(shown.size());
  sort_by(list, shown[static_cast<std::size_t>((place + step + count) % count)].number);
}

void step_second(DeviceList& list) {
  std::vector<int> choices;  // behind the last one there is none
  for (const ShownColumn& column : list.columns) {
    if (column.number != list.sort_column) choices.push_back(column.number);
  }
  auto next = choices.begin();
  if (list.second) {
    next = std::find(choices.begin(), choices.end(), list.second->column);
    if (next != choices.end()) ++next;
  }
  list.second.reset();
  if (next != choices.end()) list.second = SortKey{*next, column_of(*next).quantity};
  list.order_structure = 0;
}

void sort_by(DeviceList& list, int column) {
  const bool again = list.sort_column == column;
  list.sort_column = column;
  // Of a quantity the greatest is of interest, of a name the first.
  list.descending = again ? !list.descending : column_of(column).quantity;
  if (list.second && list.second->column == column) list.second.reset();
  list.order_structure = 0;
  list.place = ListPlace{};
}

void sort_by(DeviceList& list, std::span<const SortKey> keys) {
  list.sort_column = keys.front().column;
  list.descending = keys.front().descending;
  list.second.reset();
  if (keys.size() > 1) list.second = keys[1];
  list.order_structure = 0;
  list.place = ListPlace{};
}

void group_by(DeviceList& list, std::optional<Grouping> grouping) {
  list.grouping = grouping;
  list.order_structure = 0;
  list.place = ListPlace{};
}

}  // namespace drover::tui
