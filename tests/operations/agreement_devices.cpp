// Devices, and what is counted of them: in `drover devices`, the tables of frames, and filters.
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agreement.h"

namespace drover::operations {
namespace {

constexpr const char* json_command = "devices --json";
constexpr const char* json_table = "frame --table devices";

std::string joined(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::set<std::string> set_of(const std::string& text) {
  const auto words = words_in(text);
  return {words.begin(), words.end()};
}

std::optional<double> number_of(const Json& value) {
  return value.is_number() ? std::optional(value.number()) : std::nullopt;
}

/// Both unknown, or nearly the same.
void near(Complaints& complaints, const std::string& what, const Json& one, const Json& other,
          double apart) {
  const auto a = number_of(one), b = number_of(other);
  if (a.has_value() == b.has_value() && (!a || std::abs(*a - *b) <= apart)) return;
  same(complaints, what, json_command, one.dump(), json_table, other.dump());
}

void compare_device(const Look& look, const Json& told, const Json& row, const std::string& line,
                    Complaints& complaints) {
  const std::string& id = row["id"].text();
  const auto states = states_in(row);
  same(complaints, id + ": its state", json_command,
       told.has("state") ? joined(set_of(shown(told["state"]))) : joined(states), json_table,
       joined(states));
  for (const std::string& state : states) {
    if (line.find(state) != std::string::npos) continue;
    complaints.push_back(
        fmt::format("{}: {} says '{}', devices says '{}'", id, json_table, state, line));
  }
  same(complaints, id + ": its kind", json_command, told["device"].text(), json_table,
       row["kind"].text());
  same(complaints, id + ": its models", json_command, joined(set_of(told["models"].text())),
       json_table, joined(set_of(row["models"].text())));
  // Between the questions a sample may have come.
  near(complaints, id + ": the age of its samples", told["age_s"], row["age_s"], look.took_s() + 4);
  for (const char* const key : {"power_cap_w", "memory_total"}) {
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
                          return row[key].text() == value && states.contains(state);
                        }).size());
}

}  // namespace

void compare_devices(const Look& look, Complaints& complaints) {
  const Json& told = look.json(json_command);
  const Json& rows = look.table("devices");
  const auto lines = lines_of(look.text("devices"));
  const std::string& view = look.text("frame --view devices --size 160x90");
  same(complaints, "number of devices", json_command, std::to_string(told.size()), json_table,
       std::to_string(rows.size()));
  same(complaints, "number of devices", "devices", std::to_string(lines.size()), json_table,
       std::to_string(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& id = rows[i]["id"].text();
    const Json& device = row_with(told, "id", id);
    const auto line = lines.find(id);
    if (device.is_null() || line == lines.end()) {
      complaints.push_back(
          fmt::format("{}: {} has it, devices or its JSON has not", id, json_table));
      continue;
    }
    compare_device(look, device, rows[i], line->second, complaints);
    if (view.find(id + " ") == std::string::npos) {
      complaints.push_back(fmt::format("{}: is not in the devices view", id));
    }
  }
}

void compare_filters(const Look& look, const Stage& stage, Complaints& complaints) {
  const Json& rows = look.table("devices");
  std::set<std::string> states = {"ok", "lost"};
  for (std::size_t i = 0; i < rows.size(); ++i) states.merge(states_in(rows[i]));
  std::vector<std::vector<std::string>> questions;
  for (const std::string& state : states) {
    questions.push_back({"devices", "--json", "--filter", "state==" + state});
    questions.push_back({"frame", "--table", "devices", "--json", "--filter", "state==" + state});
  }
  const auto answers = stage.ask_all(questions);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string& filter = questions[i].back();
    const auto found = Json::parse(answers[i].out);
    const auto is_so = [&](const Json& row) { return states_in(row).contains(filter.substr(7)); };
    same(complaints, "devices with " + filter, questions[i].front() + " --filter",
         found ? joined(ids_where(*found, [](const Json&) { return true; })) : answers[i].err,
         json_table, joined(ids_where(rows, is_so)));
  }
}

void compare_pools_and_hosts(const Look& look, Complaints& complaints) {
  const Json& devices = look.table("devices");
  const Json& pools = look.table("pools");
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const std::string& pool = pools[i]["pool"].text();
    for (const char* const state : {"lost", "unusable", "suspect", "drained"}) {
      if (pools[i][state].is_null()) continue;
      same(complaints, fmt::format("{} devices of pool {}", state, pool), "frame --table pools",
           pools[i][state].dump(), json_table, count_with(devices, "pool", pool, state));
    }
  }
  const Json& replicas = look.table("replicas");
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    if (replicas[i]["state"].text() == "lost" || replicas[i]["state"].text() == "gone") continue;
    for (const std::string& number : words_in(replicas[i]["devices"].text())) {
      const std::string id = replicas[i]["host"].text() + "/" + number;
      const std::string models = row_with(devices, "id", id)["models"].text();
      if (set_of(models).contains(replicas[i]["model"].text())) continue;
      same(complaints, id + ": its models", "frame --table replicas", replicas[i]["model"].text(),
           json_table, models);
    }
  }
  const Json& hosts = look.table("hosts");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& host = hosts[i]["host"].text();
    for (const char* const state : {"lost", "suspect"}) {
      const bool so = hosts[i]["state"].text() == state;
      same(complaints, fmt::format("{} devices of {}", state, host), "frame --table hosts",
           so ? hosts[i]["devices"].dump() : "0", json_table,
           count_with(devices, "host", host, state));
    }
  }
}

}  // namespace drover::operations
