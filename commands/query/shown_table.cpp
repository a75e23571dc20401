#include "commands/query/shown_table.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

using tui::TableCell;

/// "-" for what a host or an event need not have.
std::string name_text(const TableCell& cell) {
  const auto* const text = std::get_if<std::string>(&cell);
  return text == nullptr ? "-" : *text;
}

template <typename Text>
std::string number_text(const TableCell& cell, Text text) {
  const auto* const number = std::get_if<double>(&cell);
  return number == nullptr ? "N/A" : text(*number);
}

std::string count_text(const TableCell& cell) {
  return number_text(cell, [](double count) { return fmt::format("{:.0f}", count); });
}

std::string share_text(const TableCell& cell) {
  return number_text(cell, [](double share) { return fmt::format("{:.0f}%", share * 100); });
}

std::string list_text(const TableCell& cell) {
  const auto* const items = std::get_if<std::vector<std::string>>(&cell);
  return items == nullptr || items->empty() ? "-" : joined(*items, ", ");
}

std::string span_text(const TableCell& cell) {
  return number_text(cell, [](double seconds) { return duration_text(seconds); });
}

std::string price_text(const TableCell& cell) {
  return number_text(cell, [](double usd) { return fmt::format("{:.2f}", usd); });
}

/// A number that need not be set, such as a power cap.
std::string limit_text(const TableCell& cell) {
  return std::holds_alternative<double>(cell) ? count_text(cell) : "-";
}

/// "2026-11-21 02:38:01", from "2026-11-21T02:38:01.123Z".
std::string time_text(const TableCell& cell) {
  constexpr std::size_t to_seconds_length = 19;
  std::string text = name_text(cell).substr(0, to_seconds_length);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

/// "8 drained, 1 lost"; "-" for none. Of a filtered table the router's numbers are not known.
std::string not_usable_text(const ShownRow& row) {
  std::string text;
  bool known = false;
  for (const char* state : {"lost", "unusable", "suspect", "ejected", "drained"}) {
    const auto* const count = std::get_if<double>(&row[state]);
    known = known || count != nullptr;
    if (count != nullptr && *count > 0) {
      add_part(text, ", ", fmt::format("{:.0f} {}", *count, state));
    }
  }
  return known ? (text.empty() ? "-" : text) : "N/A";
}

constexpr std::array<ShownColumn, 10> shown_hosts = {{
    {"HOST", "host", name_text},
    {"RACK", "rack", name_text},
    {"STATE", "state", name_text, Align::left, true},
    {"DEVICES", "kinds", list_text},
    {"UTIL", "utilization", share_text, Align::right},
    {"POWER (W)", "power_w", count_text, Align::right},
    {"HOTTEST (C)", "hottest_c", count_text, Align::right},
    {"LAST SAMPLE", "age_s", span_text, Align::right},
    {"ROUTER LOSS", "router_sample_gaps", count_text, Align::right},
    {"REASON", "why", name_text},
}};

constexpr std::array<ShownColumn, 9> shown_pools = {{
    {"POOL", "pool", name_text},
    {"DEVICES", "devices", count_text, Align::right},
    {"USABLE", "usable", count_text, Align::right},
    {"NOT USABLE", "", nullptr, Align::left, false, 0, not_usable_text},
    {"JOBS QUEUED", "queued", count_text, Align::right},
    {"POWER (W)", "power_w", count_text, Align::right},
    {"CAP (W)", "power_cap_w", limit_text, Align::right},
    {"IN USE ($/h)", "spend_usd_per_h", price_text, Align::right},
    {"LIST PRICE ($/h)", "usd_per_h", price_text, Align::right},
}};

constexpr std::array<ShownColumn, 4> shown_events = {{
    {"TIME", "time", time_text, Align::left, false, 19},
    {"SEVERITY", "severity", name_text, Align::left, true, 8},
    {"SUBJECT", "subject", name_text, Align::left, false, 16},
    {"EVENT", "text", name_text},
}};

}  // namespace

const TableCell& ShownRow::operator[](std::string_view column) const {
  const auto found = std::ranges::find(table.names, column);
  DROVER_REQUIRE(found != table.names.end());
  return table.rows[row][static_cast<std::size_t>(found - table.names.begin())];
}

std::span<const ShownColumn> shown_host_columns() { return shown_hosts; }
std::span<const ShownColumn> shown_pool_columns() { return shown_pools; }
std::span<const ShownColumn> shown_event_columns() { return shown_events; }

std::string shown_text(const tui::TableRows& table, std::span<const ShownColumn> columns,
                       const TableStyle& style) {
  std::vector<Heading> headings;
  std::vector<std::vector<std::string>> rows(table.rows.size());
  for (const ShownColumn& column : columns) {
    headings.push_back(
        {std::string(column.heading), column.align, column.width_min, column.states});
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const ShownRow from{table, row};
      rows[row].push_back(column.of_row != nullptr ? column.of_row(from)
                                                   : column.text(from[column.column]));
    }
  }
  return table_text(headings, rows, style);
}

}  // namespace drover::commands
