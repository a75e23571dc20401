// Jobs: `drover jobs` as text and JSON, the dashboard's table, `drover why`, and the devices that
// they run on.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/query/explanations.h"
#include "commands/query/job_listing.h"
#include "commands/query/reports.h"
#include "commands/query/table_output.h"
#include "fleet/base/text.h"
#include "fleet/job_target.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

/// A key of the JSON, within another where two are named, and the dashboard's column.
struct Pairing {
  const char* within;
  const char* key;
  const char* column;
};
constexpr std::array<Pairing, 19> pairings = {{
    {"", "state", "state"},
    {"", "kind", "kind"},
    {"", "model", "model"},
    {"", "work_class", "work_class"},
    {"", "tenant", "tenant"},
    {"", "priority", "priority"},
    {"", "attempt", "attempt"},
    {"", "pool", "pool"},
    {"", "target", "target"},
    {"", "submitted", "submitted"},
    {"", "since", "since"},
    {"", "reason", "reason"},
    {"", "detail", "detail"},
    {"", "change", "change"},
    {"", "pause", "pause"},
    {"", "latency_s", "latency_s"},
    {"outcome", "first_token_s", "outcome.first_token_s"},
    {"usage", "energy_j", "usage.energy_j"},
    {"usage", "cost_usd", "usage.cost_usd"},
}};

void compare_job(const Json& told, const Table& table, std::size_t row,
                 const Comparison& compared) {
  const std::string& id = told["id"].text();
  for (const Pairing& pairing : pairings) {
    const Json& from = *pairing.within == '\0' ? told : told[pairing.within];
    const std::string what = fmt::format("{} {}", id, pairing.column);
    if (from[pairing.key].is_number()) {  // JSON has fifteen digits
      const double number = from[pairing.key].number();
      compared.near(what, number, table.number(row, pairing.column), 1e-9 * std::abs(number));
      continue;
    }
    compared.same(what, shown(from[pairing.key]), table.text(row, pairing.column));
  }
  // Each heartbeat brings another.
  for (const char* const moving : {"progress", "remaining_s"}) {
    const double one = told[moving].is_number() ? told[moving].number() : absent;
    compared.near(fmt::format("{} {} is known", id, moving), one, table.number(row, moving), 1e300);
  }
}

/// What `drover jobs` prints for people says what its JSON says.
void compare_text(const JobListing& listing, const Json& told, Instant now,
                  Inconsistencies& wrong) {
  const Comparison compared("jobs", "jobs --json", wrong, Duration{});
  const std::vector<std::string> lines = lines_of(to_table(listing, "", now));
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string& id = told[i]["id"].text();
    if (i >= lines.size()) return compared.same("line of " + id, "none", "one");
    const auto cells = cells_of(lines[i]);
    const auto cell = [&](std::size_t at) { return at < cells.size() ? cells[at] : ""; };
    compared.same(id + " id", cell(0), id.substr(0, 8));
    compared.same(id + " state", cell(2), told[i]["state"].text());
    compared.same(id + " attempt", cell(6), shown(told[i]["attempt"]));
    compared.same(id + " target", cell(7) == "-" ? "" : cell(7), shown(told[i]["target"]));
    std::vector<std::string> about;
    // A cancelled job's state says the reason already.
    if (told[i]["state"].text() != "cancelled") about.push_back(shown(told[i]["reason"]));
    about.push_back(shown(told[i]["detail"]));
    if (told[i]["pause"].text() != "no") about.push_back(told[i]["pause"].text());
    for (const std::string& words : about) {
      compared.same(id + " why", lines[i].find(words) == std::string::npos ? lines[i] : words,
                    words);
    }
  }
}

/// Every device of the place, "host/3"; of a replica those that it is loaded on.
Ids devices_named(const tui::Model& fleet, std::string_view target) {
  Ids ids;
  while (const auto part = take_target_part(target)) {
    const std::string host(part->host);
    if (const auto number = replica_in(part->place)) {
      const auto replica = fleet.replicas().find({host, *number});
      if (replica == fleet.replicas().end()) continue;
      for (const std::uint16_t device : replica->second.reported.replica.devices) {
        ids.insert(to_text(DeviceId{host, device}));
      }
      continue;
    }
    const tui::HostRow* const known = fleet.find_host(host);
    if (known == nullptr) continue;
    for (const Group& group : known->reported.registration.groups) {
      for (std::uint16_t device = group.first; device < group.first + group.count; ++device) {
        if (lists_device(part->place, device)) ids.insert(to_text(DeviceId{host, device}));
      }
    }
  }
  return ids;
}

bool has_place(const JobChanged& job) {
  return job.state == JobState::leased || job.state == JobState::running;
}

}  // namespace

void compare_jobs(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const JobListing listing{at.jobs.jobs, at.jobs.left_out, at.jobs.jobs.size(), at.jobs.ended_kept,
                           at.jobs.ended_ever};
  const Json json = to_json(listing, at.now);
  const Json& told = json["jobs"];
  compare_text(listing, told, at.now, wrong);
  const Comparison compared("jobs --json", "the dashboard", wrong);
  const Table& table = at.tables["jobs"];
  Ids open_told, open_shown;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string& id = told[i]["id"].text();
    if (!is_terminal(*parse_job_state(told[i]["state"].text()))) open_told.insert(id);
    // Of ended ones both show the last few, not the same ones.
    if (const auto row = table.find("id", id)) compare_job(told[i], table, *row, compared);
  }
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (is_terminal(*parse_job_state(table.text(row, "state")))) continue;
    open_shown.insert(table.text(row, "id"));
  }
  compared.same("the open job", open_told, open_shown);
}

/// A job is on exactly the devices that its target names: by the dashboard and by the commands.
void compare_places(const InterfaceAnswers& at, Inconsistencies& wrong) {
  std::map<std::string, Ids> shown, placed;
  const Table& table = at.tables["devices"];
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string jobs = table.text(row, "jobs");
    for (const std::string& job : split(jobs, ' ')) {
      if (job.empty()) continue;
      shown[job].insert(table.text(row, "id"));
    }
  }
  for (const auto& [job, known] : at.fleet.jobs()) {
    if (!has_place(known.reported)) continue;
    placed[to_text(job)] = devices_named(at.fleet, known.reported.target);
  }
  const Comparison of_screen("jobs", "the dashboard's devices", wrong);
  const Comparison of_command("jobs", "devices", wrong);
  for (const JobChanged& job : at.jobs.jobs) {
    const std::string id = to_text(job.job.id);
    const Ids named = has_place(job) ? devices_named(at.fleet, job.target) : Ids{};
    of_screen.same(id + " on", joined(named), joined(shown[id]));
    of_command.same(id + " on", joined(named), joined(placed[id]));
    shown.erase(id);
    placed.erase(id);
  }
  // Whatever is left is said of jobs that `drover jobs` does not know.
  for (const auto& [id, devices] : shown) of_screen.same(id + " on", "", joined(devices));
  for (const auto& [id, devices] : placed) of_command.same(id + " on", "", joined(devices));
}

void compare_whys(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Comparison with_jobs("why", "jobs", wrong);
  const Comparison with_screen("why", "the dashboard", wrong);
  const Table& table = at.tables["jobs"];
  for (const WhyReply& why : at.whys) {
    if (!why.job) {
      wrong["S: why of a job that waits: " + why.problem] = {settles_within, ""};
      continue;
    }
    const std::string id = to_text(why.job->job.id);
    const Json told = to_json(why, at.now)["job"];
    const auto listed =
        std::find_if(at.jobs.jobs.begin(), at.jobs.jobs.end(),
                     [&](const JobChanged& job) { return job.job.id == why.job->job.id; });
    const Json other = listed == at.jobs.jobs.end() ? Json() : to_json(*listed, at.now);
    const auto row = table.find("id", id);
    for (const char* const key : {"state", "reason", "detail", "target", "attempt"}) {
      const std::string what = fmt::format("{} {}", id, key);
      if (!other.is_null()) with_jobs.same(what, shown(told[key]), shown(other[key]));
      if (row) with_screen.same(what, shown(told[key]), table.text(*row, key));
    }
    const std::string text = explain(why);
    const std::string reason = shown(told["reason"]);
    with_jobs.same(id + " in words", text.find(reason) == std::string::npos ? text : reason,
                   reason);
  }
}

}  // namespace drover::commands
