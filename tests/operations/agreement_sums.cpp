// Classes, fallbacks, decisions and flows: in `drover status`, the tables of frames, and jobs.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tests/operations/consistency.h"

namespace drover::operations {
namespace {

constexpr const char* status = "status --json";

/// Keys of the status, and the columns that say the same.
using Names = std::vector<std::pair<std::string, std::string>>;

void compare_row(Mismatches& complaints, const std::string& what, const Json& told, const Json& row,
                 const Names& names, const std::string& table) {
  for (const auto& [key, column] : names) {
    const bool numbers = told[key].is_number() && row[column].is_number();
    const double apart = 1e-9 * std::abs(told[key].number());
    if (numbers && std::abs(told[key].number() - row[column].number()) <= apart) continue;
    same(complaints, fmt::format("{}: {}", what, column), status, shown(told[key]), table,
         shown(row[column]));
  }
}

void compare_fallbacks(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& told = look.json(status);
  const Json& rows = look.table("fallbacks");
  same(complaints, "reasons to fall back", status, std::to_string(told["fallbacks"].size()),
       "frame --table fallbacks", std::to_string(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& reason = rows[i]["reason"].text();
    same(complaints, "fallbacks for " + reason, status, told["fallbacks"][reason].dump(),
         "frame --table fallbacks", rows[i]["jobs"].dump());
    if (rows[i]["extra_cost_usd"].is_null()) continue;  // nothing to compare with
    compare_row(complaints, "fallbacks for " + reason, told["fallback_costs"][reason], rows[i],
                {{"cost_usd", "extra_cost_usd"}, {"energy_j", "extra_energy_j"}},
                "frame --table fallbacks");
  }
}

/// The last decision on each job, where one is still told.
std::map<std::string, const Json*> last_decisions(const Json& rows) {
  std::map<std::string, const Json*> last;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& job = rows[i]["job"].text();
    if (job.empty() || rows[i]["action"].text() != "assign") continue;
    const Json*& known = last[job];
    if (known == nullptr || (*known)["number"].number() < rows[i]["number"].number()) {
      known = &rows[i];
    }
  }
  return last;
}

}  // namespace

void compare_classes(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& told = look.json(status)["classes"];
  const Json& rows = look.table("classes");
  same(complaints, "classes", status, std::to_string(told.size()), "frame --table classes",
       std::to_string(rows.size()));
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string& name = told[i]["work_class"].text();
    const Json& row = row_with(rows, "work_class", name);
    const std::string what = "class " + name;
    compare_row(complaints, what, told[i], row, {{"metric", "metric"}, {"target", "target"}},
                "frame --table classes");
    compare_row(complaints, what, told[i]["values"], row,
                {{"count", "finished"}, {"p50", "p50"}, {"p99", "p99"}, {"max", "max"}},
                "frame --table classes");
  }
  compare_fallbacks(look, complaints);
}

void compare_decisions(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& rows = look.table("decisions");
  const auto last = last_decisions(rows);
  const Json& jobs = look.jobs();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string& state = jobs[i]["state"].text();
    const auto decided = last.find(jobs[i]["id"].text());
    // One that waits has none that holds.
    if (decided == last.end() || (state != "running" && state != "finished")) continue;
    for (const char* const key : {"target", "pool", "attempt", "change"}) {
      same(complaints, fmt::format("{}: its {}", decided->first, key), "jobs --json",
           shown(jobs[i][key]), "frame --table decisions", shown((*decided->second)[key]));
    }
  }
  // A dashboard that has just come counts the decisions that it was told of.
  std::map<std::string, double> counted, told;
  const auto flow = [](const Json& row) {
    return fmt::format("{} to {} for {}", shown(row["preferred_pool"]), shown(row["pool"]),
                       shown(row["fallback_reason"]));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]["action"].text() == "assign") counted[flow(rows[i])] += 1;
  }
  const Json& flows = look.table("flows");
  for (std::size_t i = 0; i < flows.size(); ++i) told[flow(flows[i])] = flows[i]["jobs"].number();
  for (const auto& [name, count] : told) counted.emplace(name, 0);
  for (const auto& [name, count] : counted) {
    same(complaints, "jobs of " + name, "frame --table decisions", fmt::format("{}", count),
         "frame --table flows", fmt::format("{}", told[name]));
  }
}

}  // namespace drover::operations
