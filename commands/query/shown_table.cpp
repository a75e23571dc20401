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

constexpr std::array<ShownColumn, 14> shown_hosts = {{
    {"host", "HOST", name_text},
    {"rack", "RACK", name_text},
    {"state", "STATE", name_text, Align::left, true},
    {"kinds", "DEVICES", list_text},
    {"utilization", "UTILIZATION", share_text, Align::right},
    {"power_w", "POWER (W)", count_text, Align::right},
    {"hottest_c", "HOTTEST (C)", count_text, Align::right},
    {"age_s", "LAST SAMPLE", span_text, Align::right},
    {"router_sample_gaps", "ROUTER LOSS", count_text, Align::right},
    {"samples_skipped", "SKIPPED", count_text, Align::right},
    {"undecodable", "UNDECODED", count_text, Align::right},
    {"key", "KEY", name_text},
    {"software", "SOFTWARE", name_text},
    {"why", "REASON", name_text},
}};

constexpr std::array<ShownColumn, 14> shown_pools = {{
    {"pool", "POOL", name_text},
    {"devices", "DEVICES", count_text, Align::right},
    {"usable", "USABLE", count_text, Align::right},
    {"unusable", "UNUSABLE", count_text, Align::right},
    {"drained", "DRAINED", count_text, Align::right},
    {"ejected", "EJECTED", count_text, Align::right},
    {"suspect", "SUSPECT", count_text, Align::right},
    {"lost", "LOST", count_text, Align::right},
    {"queued", "JOBS QUEUED", count_text, Align::right},
    {"power_w", "POWER (W)", count_text, Align::right},
    {"power_reserved_w", "RESERVED (W)", count_text, Align::right},
    {"power_cap_w", "CAP (W)", limit_text, Align::right},
    {"spend_usd_per_h", "IN USE ($/h)", price_text, Align::right},
    {"usd_per_h", "LIST PRICE ($/h)", price_text, Align::right},
}};

constexpr std::array<ShownColumn, 4> shown_events = {{
    {"time", "TIME", time_text, Align::left, false, 19},
    {"severity", "SEVERITY", name_text, Align::left, true, 8},
    {"subject", "SUBJECT", name_text, Align::left, false, 16},
    {"text", "EVENT", name_text},
}};

std::size_t index_of(const tui::TableRows& table, std::string_view column) {
  const auto found = std::ranges::find(table.names, column);
  DROVER_REQUIRE(found != table.names.end());
  return static_cast<std::size_t>(found - table.names.begin());
}

}  // namespace

std::span<const ShownColumn> host_columns() { return shown_hosts; }
std::span<const ShownColumn> pool_columns() { return shown_pools; }
std::span<const ShownColumn> event_columns() { return shown_events; }

std::string shown_text(const tui::TableRows& table, std::span<const ShownColumn> columns,
                       const TableStyle& style) {
  std::vector<Heading> headings;
  std::vector<std::vector<std::string>> rows(table.rows.size());
  for (const ShownColumn& column : columns) {
    headings.push_back(
        {std::string(column.heading), column.align, column.width_min, column.states});
    const std::size_t index = index_of(table, column.column);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row].push_back(column.text(table.rows[row][index]));
    }
  }
  return table_text(headings, rows, style);
}

}  // namespace drover::commands
