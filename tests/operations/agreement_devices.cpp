// Devices, and what is counted of them: in `drover devices`, the tables of frames, and filters.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/operations/consistency.h"

namespace drover::operations {
namespace {

constexpr const char* devices_command = "devices --json";
constexpr const char* devices_table = "frame --table devices";

/// Samples come once a second of fleet time; a busy machine lets half a second of the wall pass
/// between an answer and its printing.
constexpr double heard_within_s = 12;

std::set<std::string> set_of(const std::string& text) {
  const auto words = words_in(text);
  return {words.begin(), words.end()};
}

std::optional<double> number_of(const Json& value) {
  return value.is_number() ? std::optional(value.number()) : std::nullopt;
}

/// Both unknown, or nearly the same.
void near(Mismatches& complaints, const std::string& what, const Json& one, const Json& other,
          double apart) {
  const auto a = number_of(one), b = number_of(other);
  if (a.has_value() == b.has_value() && (!a || std::abs(*a - *b) <= apart)) return;
  same(complaints, what, devices_command, one.dump(), devices_table, other.dump());
}

/// A device that is heard of has a sample of the last moment, whoever is asked and when. Of one
/// that is not the age grows by what passes between the two answers, and by no more.
void compare_ages(const FleetSnapshot& look, const Json& told, const Json& row,
                  Mismatches& complaints) {
  const std::string what = row["id"].text() + ": the age of its samples";
  const auto states = states_in(row);
  const bool silent = std::any_of(states.begin(), states.end(), [](const std::string& state) {
    return state == "lost" || state == "left" || state == "suspect" || state == "stale" ||
           state == "unusable";
  });
  if (silent) return near(complaints, what, told["age_s"], row["age_s"], look.took_s() + 4);
  for (const auto& [surface, age] :
       {std::pair{devices_command, told["age_s"]}, std::pair{devices_table, row["age_s"]}}) {
    if (age.is_number() && age.number() <= heard_within_s) continue;
    same(complaints, what, surface, age.dump(), "a heartbeat",
         fmt::format("at most {} s", heard_within_s));
  }
}

void compare_device(const FleetSnapshot& look, const Json& told, const Json& row,
                    const std::string& line, Mismatches& complaints) {
  const std::string& id = row["id"].text();
  const auto states = states_in(row);
  same(complaints, id + ": its state", devices_command, joined(set_of(told["state"].text())),
       devices_table, joined(states));
  for (const std::string& state : states) {
    if (line.find(state) != std::string::npos) continue;
    complaints.push_back(
        fmt::format("{}: {} says '{}', devices says '{}'", id, devices_table, state, line));
  }
  same(complaints, id + ": its kind", devices_command, told["device"].text(), devices_table,
       row["device"].text());
  same(complaints, id + ": its models", devices_command, joined(items_of(told["models"])),
       devices_table, joined(items_of(row["models"])));
  compare_ages(look, told, row, complaints);
  for (const char* const key : {"power_cap_w", "memory_total_bytes"}) {
    near(complaints, fmt::format("{}: {}", id, key), told[key], row[key], 0.001);
  }
  for (const char* const key : {"power_w", "temperature_c", "utilization"}) {
    near(complaints, fmt::format("{}: {} is known", id, key), told[key], row[key], 1e9);
  }
}

std::set<std::string> ids_where(const Json& rows, const std::function<bool(const Json&)>& holds) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (holds(rows[i])) ids.insert(rows[i]["id"].text());
  }
  return ids;
}

std::string count_with(const Json& devices, const std::string& key, const std::string& value,
                       const std::string& state) {
  return std::to_string(ids_where(devices, [&](const Json& row) {
                          const auto states = states_in(row);
                          // Of what is lost nothing else counts.
                          if (state != "lost" && states.contains("lost")) return false;
                          const bool there = row[key].is_array()
                                                 ? items_of(row[key]).contains(value)
                                                 : row[key].text() == value;
                          return there && states.contains(state);
                        }).size());
}

}  // namespace

void compare_devices(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& told = look.json(devices_command);
  const Json& rows = look.table("devices");
  const auto lines = lines_of(look.text("devices"));
  const std::string& view = look.text("frame --view devices --size 160x90");
  same(complaints, "number of devices", devices_command, std::to_string(told.size()), devices_table,
       std::to_string(rows.size()));
  same(complaints, "number of devices", "devices", std::to_string(lines.size()), devices_table,
       std::to_string(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& id = rows[i]["id"].text();
    const Json& device = row_with(told, "id", id);
    const auto line = lines.find(id);
    if (device.is_null() || line == lines.end()) {
      complaints.push_back(
          fmt::format("{}: {} has it, devices or its JSON has not", id, devices_table));
      continue;
    }
    compare_device(look, device, rows[i], line->second, complaints);
    if (!view.empty() && view.find(id + " ") == std::string::npos) {
      complaints.push_back(fmt::format("{}: is not in the devices view", id));
    }
  }
}

/// What holds of all rows of the table, by what it says of each; empty: both filters alone are
/// compared.
struct AskedFilter {
  const char* text;
  bool (*holds)(const Json& row);
};

bool says(const Json& row, const char* column, const char* part) {
  return row[column].text().find(part) != std::string::npos;
}

/// Thresholds are far from what devices do: between two questions none is crossed by chance.
constexpr AskedFilter asked_filters[] = {
    {"state==ok", [](const Json& row) { return states_in(row).contains("ok"); }},
    {"state==lost", [](const Json& row) { return states_in(row).contains("lost"); }},
    {"state==left", [](const Json& row) { return states_in(row).contains("left"); }},
    {"state==faulty", [](const Json& row) { return states_in(row).contains("faulty"); }},
    {"state==unusable", [](const Json& row) { return states_in(row).contains("unusable"); }},
    {"state==drained", [](const Json& row) { return states_in(row).contains("drained"); }},
    {"kind==tpu", [](const Json& row) { return says(row, "device", "tpu"); }},
    {"pool==a100", [](const Json& row) { return items_of(row["pools"]).contains("a100"); }},
    {"host==h100-1", [](const Json& row) { return row["host"].text() == "h100-1"; }},
    {"rack==rack-2 & kind~l4",
     [](const Json& row) { return row["rack"].text() == "rack-2" && says(row, "device", "l4"); }},
    {"temp==none", [](const Json& row) { return row["temperature_c"].is_null(); }},
    {"temp>5", [](const Json& row) { return row["temperature_c"].number() > 5; }},
    {"cap<100W",
     [](const Json& row) {
       return row["power_cap_w"].is_number() && row["power_cap_w"].number() < 100;
     }},
    {"model~llama", nullptr},
    {"job~bert | job~llama", nullptr},
    {"job!=none", [](const Json& row) { return !items_of(row["jobs"]).empty(); }},
    {"tenant!=none", [](const Json& row) { return !items_of(row["jobs"]).empty(); }},
    {"label==price=spot", nullptr},
    {"alert~host | alert~device", nullptr},
    {"pause!=no", nullptr},
    {"price>1", [](const Json& row) { return row["usd_per_h"].number() > 1; }},
};
constexpr std::size_t filters_at_once = 3;

void compare_filters(const FleetSnapshot& look, const FleetProcesses& stage,
                     Mismatches& complaints) {
  const Json& rows = look.table("devices");
  std::vector<std::vector<std::string>> questions;
  std::vector<const AskedFilter*> asked;
  for (std::size_t i = 0; i < filters_at_once; ++i) {
    const auto& filter =
        asked_filters[(look.number() * filters_at_once + i) % std::size(asked_filters)];
    asked.push_back(&filter);
    questions.push_back({"devices", "--json", "--filter", filter.text});
    questions.push_back({"frame", "--table", "devices", "--json", "--filter", filter.text});
  }
  const auto answers = stage.ask_all(questions);
  const auto all = [](const Json&) { return true; };
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto ids = [&](const commands::ProcessResult& ran) {
      const auto found = Json::parse(ran.out);
      return ran.exit_code == 0 && found ? joined(ids_where(*found, all)) : ran.err;
    };
    const std::string what = std::string("devices with ") + asked[i]->text;
    const std::string told = ids(answers[2 * i]), framed = ids(answers[2 * i + 1]);
    same(complaints, what, "devices --filter", told, "frame --filter", framed);
    if (asked[i]->holds == nullptr) continue;
    same(complaints, what, "devices --filter", told, devices_table,
         joined(ids_where(rows, asked[i]->holds)));
  }
}

void compare_pools_and_hosts(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& devices = look.table("devices");
  const Json& pools = look.table("pools");
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const std::string& pool = pools[i]["pool"].text();
    for (const char* const state : {"lost", "unusable", "suspect", "drained"}) {
      if (pools[i][state].is_null()) continue;
      same(complaints, fmt::format("{} devices of pool {}", state, pool), "frame --table pools",
           pools[i][state].dump(), devices_table, count_with(devices, "pools", pool, state));
    }
  }
  const Json& replicas = look.table("replicas");
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    if (replicas[i]["state"].text() == "lost" || replicas[i]["state"].text() == "gone") continue;
    for (const std::string& number : words_in(replicas[i]["devices"].text())) {
      const std::string id = replicas[i]["host"].text() + "/" + number;
      const auto models = items_of(row_with(devices, "id", id)["models"]);
      if (models.contains(replicas[i]["model"].text())) continue;
      same(complaints, id + ": its models", "frame --table replicas", replicas[i]["model"].text(),
           devices_table, joined(models));
    }
  }
  const Json& hosts = look.table("hosts");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& host = hosts[i]["host"].text();
    for (const char* const state : {"lost", "suspect"}) {
      const bool so = hosts[i]["state"].text() == state;
      same(complaints, fmt::format("{} devices of {}", state, host), "frame --table hosts",
           so ? hosts[i]["devices"].dump() : "0", devices_table,
           count_with(devices, "host", host, state));
    }
  }
}

}  // namespace drover::operations
