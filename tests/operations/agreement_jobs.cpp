// Jobs: in `drover jobs`, the table of frames, the sums of `drover status`, `drover why` and the
// devices that they run on.
#include <algorithm>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "tests/operations/consistency.h"

namespace drover::operations {
namespace {

constexpr const char* jobs_command = "jobs --json";
constexpr const char* jobs_table = "frame --table jobs";

bool is_open(const Json& job) {
  const std::string& state = job["state"].text();
  return state == "queued" || state == "leased" || state == "running";
}

std::string counted(const Json& jobs, const std::string& key, const std::string& value) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) count += jobs[i][key].text() == value ? 1 : 0;
  return std::to_string(count);
}

/// On how many devices it is said to run.
std::size_t devices_with(const FleetSnapshot& look, const std::string& job) {
  const Json& devices = look.table("devices");
  std::size_t count = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    count += items_of(devices[i]["jobs"]).contains(job) ? 1 : 0;
  }
  return count;
}

void compare_job(const FleetSnapshot& look, const Json& told, const std::string& line,
                 Mismatches& complaints) {
  const std::string& id = told["id"].text();
  const Json& row = row_with(look.table("jobs"), "id", id);
  if (row.is_null()) {
    // A dashboard that has just come knows of the newest ended jobs only.
    if (is_open(told)) complaints.push_back(fmt::format("{}: is not in {}", id, jobs_table));
  } else {
    for (const char* const key : {"state", "kind", "model", "tenant", "priority", "attempt", "pool",
                                  "target", "submitted", "since", "reason", "detail", "change"}) {
      same(complaints, fmt::format("{}: its {}", id, key), jobs_command, shown(told[key]),
           jobs_table, shown(row[key]));
    }
  }
  for (const char* const key : {"state", "target", "reason"}) {
    if (line.find(told[key].text()) != std::string::npos) continue;
    complaints.push_back(fmt::format("{}: {} says {} '{}', jobs says '{}'", id, jobs_command, key,
                                     told[key].text(), line));
  }
  if (told["kind"].text() == "train") {
    const bool runs = told["state"].text() == "running";
    same(complaints, id + ": devices that it runs on", jobs_command,
         runs ? told["devices"].dump() : "0", "frame --table devices",
         std::to_string(devices_with(look, id)));
  }
}

/// The number before a word of a text, "3 queued"; or behind it, "queued 3".
std::string number_in(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match.str(1) : "none";
}

}  // namespace

void compare_jobs(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& jobs = look.jobs();
  const auto lines = lines_of(look.text("jobs --ended 1000"));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto line = lines.find(jobs[i]["id"].text().substr(0, 8));
    if (line == lines.end()) {
      complaints.push_back(fmt::format("{}: is not in jobs", jobs[i]["id"].text()));
      continue;
    }
    compare_job(look, jobs[i], line->second, complaints);
  }
  const Json& rows = look.table("jobs");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!row_with(jobs, "id", rows[i]["id"].text()).is_null()) continue;
    complaints.push_back(fmt::format("{}: is in {} only", rows[i]["id"].text(), jobs_table));
  }
}

void compare_sums(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& status = look.json("status --json");
  const Json& jobs = look.jobs();
  const std::string& text = look.text("status");
  const std::string& view = look.text("frame --view fleet --size 160x60");
  same(complaints, "accepted jobs", "status --json", status["accepted"].dump(), jobs_command,
       std::to_string(jobs.size()));
  for (const std::string state : {"queued", "running", "finished", "failed", "cancelled"}) {
    const std::string sum = status.has(state) ? status[state].dump() : "0";
    same(complaints, state + " jobs", "status --json", sum, jobs_command,
         counted(jobs, "state", state));
    if (state == "cancelled" && sum == "0") continue;
    same(complaints, state + " jobs", "status --json", sum, "status",
         number_in(text, "([0-9]+) " + state));
    if (state == "cancelled") continue;
    same(complaints, state + " jobs", "status --json", sum, "frame --view fleet",
         number_in(view, " " + state + " +([0-9]+) "));
  }
  const std::string& jobs_view = look.text("frame --view jobs --size 160x60");
  same(complaints, "running jobs", "status --json", status["running"].dump(), "frame --view jobs",
       number_in(jobs_view, " Running ([0-9]+) "));
  same(complaints, "queued jobs", "status --json", status["queued"].dump(), "frame --view jobs",
       number_in(jobs_view, " Waiting ([0-9]+) "));
  std::set<std::string> reasons;
  for (const std::string& reason : status["waiting_for"].keys()) reasons.insert(reason);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]["state"].text() == "queued") reasons.insert(shown(jobs[i]["reason"]));
  }
  for (const std::string& reason : reasons) {
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const bool waits = jobs[i]["state"].text() == "queued";
      waiting += waits && shown(jobs[i]["reason"]) == reason ? 1 : 0;
    }
    const Json& said = status["waiting_for"][reason];
    same(complaints, "jobs that wait for " + reason, "status --json",
         said.is_null() ? "0" : said.dump(), jobs_command, std::to_string(waiting));
    same(complaints, "jobs that wait for " + reason, "status --json",
         said.is_null() ? "none" : said.dump(), "status",
         number_in(text, "waiting for .*" + reason + " ([0-9]+)"));
  }
}

/// Where all has ended, what jobs have used is what was charged and what was wasted.
void compare_usage(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& status = look.json("status --json");
  if (status["queued"].integer() + status["running"].integer() > 0) return;
  for (const char* const key : {"device_s", "energy_j", "cost_usd"}) {
    double used = 0;
    for (std::size_t i = 0; i < look.jobs().size(); ++i) {
      used += look.jobs()[i]["usage"][key].number();
    }
    const double told = status["charged"][key].number() + status["wasted"][key].number();
    if (std::abs(used - told) <= 1e-6 * told) continue;
    same(complaints, fmt::format("{} used by all jobs", key), jobs_command, std::to_string(used),
         "status --json (charged and wasted)", std::to_string(told));
  }
}

void compare_reasons(const FleetSnapshot& look, const FleetProcesses& stage,
                     Mismatches& complaints) {
  // Of many that wait for the same, some will do.
  constexpr std::size_t most = 3;
  std::vector<const Json*> waiting;
  std::vector<std::vector<std::string>> questions;
  const Json& jobs = look.jobs();
  for (std::size_t i = 0; i < jobs.size() && waiting.size() < most; ++i) {
    if (jobs[i]["state"].text() != "queued") continue;
    waiting.push_back(&jobs[i]);
    questions.push_back({"why", jobs[i]["id"].text(), "--json"});
  }
  const auto answers = stage.ask_all(questions);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string& id = (*waiting[i])["id"].text();
    if (answers[i].exit_code != 0) {
      complaints.push_back(fmt::format("{}: {} says that it waits for '{}', why says: {}", id,
                                       jobs_command, shown((*waiting[i])["reason"]),
                                       answers[i].err));
      continue;
    }
    const Json why = commands::only_object(answers[i].out);
    for (const char* const key : {"state", "reason", "detail"}) {
      same(complaints, fmt::format("{}: its {}", id, key), jobs_command, shown((*waiting[i])[key]),
           "why --json", shown(why["job"][key]));
    }
  }
}

}  // namespace drover::operations
