#include "tests/operations/consistency.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/text/csv.h"

namespace drover::operations {
namespace {

/// What goes on between two questions: of these numbers only whether they are known is the same.
bool moves(const std::string& column) {
  static const std::set<std::string> moving = {"age_s",
                                               "rows_per_s",
                                               "messages_per_s",
                                               "lost",
                                               "router_sample_gaps",
                                               "samples_skipped",
                                               "clock_offset_s",
                                               "waited_s",
                                               "progress",
                                               "remaining_s",
                                               "energy_j",
                                               "cost_usd",
                                               "power_w",
                                               "power_reserved_w",
                                               "spend_usd_per_h",
                                               "utilization",
                                               "tensor_activity",
                                               "memory_activity",
                                               "memory_used_bytes",
                                               "temperature_c",
                                               "hottest_c",
                                               "headroom_c",
                                               "clock_mhz",
                                               "power_violation_s",
                                               "memory_temperature_c",
                                               "running",
                                               "queue",
                                               "thermal_violation_s"};
  return moving.contains(column);
}

bool is_number(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return !cell.empty() && *end == '\0';
}

void compare_cell(const std::string& what, const std::string& column, const std::string& cell,
                  const Json& value, Mismatches& complaints) {
  std::string told = value.is_null() ? "" : shown(value);
  if (value.is_array()) {  // in CSV the items of a list have a blank between them
    told.clear();
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) told += ' ';
      told += shown(value[i]);
    }
  }
  // What each process counts for itself, as long as it runs, and what comes and goes by the second.
  static const std::set<std::string> its_own = {"clock_offset_s", "rows_per_s", "messages_per_s",
                                                "pause"};
  if (its_own.contains(column)) return;
  if (moves(column) && is_number(cell) && value.is_number()) return;
  const bool same_number =
      value.is_number() && is_number(cell) && std::strtod(cell.c_str(), nullptr) == value.number();
  if (!same_number) same(complaints, what + " " + column, "CSV", cell, "JSON", told);
}

}  // namespace

Mismatches disagreements(const FleetSnapshot& look, const FleetProcesses& stage) {
  Mismatches complaints = look.complaints();
  // Where one does not answer at all there is nothing to compare.
  if (!complaints.empty()) return complaints;
  compare_devices(look, complaints);
  compare_filters(look, stage, complaints);
  compare_pools_and_hosts(look, complaints);
  compare_jobs(look, complaints);
  compare_sums(look, complaints);
  compare_usage(look, complaints);
  compare_reasons(look, stage, complaints);
  compare_alerts(look, complaints);
  compare_classes(look, complaints);
  compare_decisions(look, complaints);
  compare_views(look, stage, complaints);
  compare_csv(look, complaints);
  return complaints;
}

void same(Mismatches& complaints, const std::string& what, const std::string& one_surface,
          const std::string& one, const std::string& other_surface, const std::string& other) {
  if (one == other) return;
  complaints.push_back(
      fmt::format("{}: {} says '{}', {} says '{}'", what, one_surface, one, other_surface, other));
}

std::set<std::string> states_in(const Json& device_row) {
  const auto words = words_in(device_row["state"].text());
  return {words.begin(), words.end()};
}

std::set<std::string> items_of(const Json& list) {
  std::set<std::string> items;
  if (!list.is_array()) return items;
  for (std::size_t i = 0; i < list.size(); ++i) items.insert(list[i].text());
  return items;
}

std::string joined(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// The keys of a row in JSON: the columns usage.energy_j and usage.cost_usd are the object `usage`.
std::vector<std::string> keys_of(const std::vector<std::string>& columns) {
  std::vector<std::string> keys;
  for (const std::string& column : columns) {
    const std::string key = column.substr(0, column.find('.'));
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  }
  return keys;
}

const Json& value_of(const Json& row, const std::string& column) {
  const std::size_t dot = column.find('.');
  return dot == std::string::npos ? row[column]
                                  : row[column.substr(0, dot)][column.substr(dot + 1)];
}

void compare_csv(const FleetSnapshot& look, Mismatches& complaints) {
  for (const std::string name : {"devices", "hosts", "jobs", "pools", "rules"}) {
    const std::string question = fmt::format("frame --table {} --csv", name);
    if (!look.asked(question)) continue;
    const auto csv = CsvTable::parse(look.text(question), name);
    if (!csv) {
      complaints.push_back(csv.error().message);
      continue;
    }
    const Json& rows = look.table(name);
    same(complaints, "rows of the table " + name, "CSV", std::to_string(csv->rows.size()), "JSON",
         std::to_string(rows.size()));
    if (rows.size() == 0) continue;
    same(complaints, "columns of the table " + name, "CSV",
         fmt::format("{}", fmt::join(keys_of(csv->columns), ",")), "JSON",
         fmt::format("{}", fmt::join(rows[0].keys(), ",")));
    for (std::size_t row = 0; row < std::min(rows.size(), csv->rows.size()); ++row) {
      for (const std::string& column : csv->columns) {
        compare_cell(fmt::format("{} row {}", name, row + 1), column,
                     csv->cell(csv->rows[row], column), value_of(rows[row], column), complaints);
      }
    }
  }
}

}  // namespace drover::operations
