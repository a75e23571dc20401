#include "tui/tables/column_selection.h"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

// Columns of higher ranks are shown only if a minute of sparkline fits as well.
constexpr int usual_rank_max = 14;
constexpr int sparkline_room = 62;

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& letter : capitals) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return capitals;
}

Result<int> column_named(std::string_view name) {
  const auto columns = device_columns();
  std::vector<std::string> known;
  for (const DeviceColumn& column : columns) known.push_back(in_capitals(column.title));
  const std::string wanted = in_capitals(name);
  const auto found = std::find(known.begin(), known.end(), wanted);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  return error("no column '{}'{}", excerpt(name), suggestion(wanted, known));
}

Result<int> parse_width(std::string_view text) {
  const auto width = parse_integer(text, "width");
  if (width && *width >= column_width_min && *width <= column_width_max) {
    return static_cast<int>(*width);
  }
  return error("width: found '{}', expected {} to {}", excerpt(text), column_width_min,
               column_width_max);
}

Error listed_twice(int column) {
  return Error{
      fmt::format("{} is listed twice", device_columns()[static_cast<std::size_t>(column)].title)};
}

std::vector<ShownColumn> by_rank() {
  std::vector<ShownColumn> all;
  for (const DeviceColumn& column : device_columns()) {
    all.push_back({static_cast<int>(all.size()), column.width});
  }
  std::sort(all.begin(), all.end(), [](const ShownColumn& a, const ShownColumn& b) {
    const auto columns = device_columns();
    return columns[static_cast<std::size_t>(a.number)].rank <
           columns[static_cast<std::size_t>(b.number)].rank;
  });
  return all;
}

}  // namespace

Result<std::vector<ShownColumn>> parse_columns(std::string_view text) {
  std::vector<ShownColumn> wanted;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = std::min(part.find(':'), part.size());
    const auto number = column_named(trimmed(std::string_view(part).substr(0, colon)));
    if (!number) return number.error();
    ShownColumn column{*number, device_columns()[static_cast<std::size_t>(*number)].width};
    if (colon < part.size()) {
      const auto width = parse_width(trimmed(std::string_view(part).substr(colon + 1)));
      if (!width) return width.error();
      column.width = *width;
    }
    for (const ShownColumn& other : wanted) {
      if (other.number == *number) return listed_twice(*number);
    }
    wanted.push_back(column);
  }
  return wanted;
}

Result<std::vector<SortKey>> parse_sort(std::string_view text) {
  std::vector<SortKey> keys;
  for (const std::string& part : split(text, ',')) {
    std::string_view name = trimmed(part);
    const bool descending = name.starts_with('-');
    if (descending) name.remove_prefix(1);
    const auto number = column_named(name);
    if (!number) return number.error();
    if (!keys.empty() && keys.front().column == *number) return listed_twice(*number);
    keys.push_back({*number, descending});
  }
  if (keys.empty() || keys.size() > 2)
    return error("found {} columns, expected one or two", keys.size());
  return keys;
}

std::vector<ShownColumn> columns_that_fit(std::span<const ShownColumn> wanted, int width) {
  const auto ranked = by_rank();
  const bool chosen = !wanted.empty();
  std::vector<ShownColumn> shown;
  for (const ShownColumn& column : chosen ? wanted : std::span<const ShownColumn>(ranked)) {
    const bool usual =
        device_columns()[static_cast<std::size_t>(column.number)].rank <= usual_rank_max;
    shown.push_back(column);
    if (width_of(shown) <= width - (chosen || usual ? 0 : sparkline_room)) continue;
    shown.pop_back();
    break;
  }
  if (!chosen) {
    std::sort(shown.begin(), shown.end(),
              [](const ShownColumn& a, const ShownColumn& b) { return a.number < b.number; });
  }
  return shown;
}

int width_of(std::span<const ShownColumn> columns) {
  int width = -1;
  for (const ShownColumn& column : columns) width += column.width + 1;
  return std::max(0, width);
}

}  // namespace drover::tui
