// Sums: `drover status` as text and JSON, the jobs that it counts, the dashboard's classes and
// fallbacks.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "commands/query/reports.h"
#include "fleet/base/units.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

/// The sums of one moment: those of `drover status` and the last that were published, when nothing
/// has happened in between.
bool is_of_one_moment(const Summary& one, const Summary& other) {
  return one.accepted == other.accepted && one.queued == other.queued &&
         one.running == other.running && one.finished == other.finished &&
         one.failed == other.failed && one.cancelled == other.cancelled &&
         one.decisions == other.decisions;
}

void compare_with_jobs(const InterfaceAnswers& at, Inconsistencies& wrong) {
  if (at.jobs.left_out > 0) return;
  std::map<JobState, double> count;
  std::map<Reason, double> waiting;
  for (const JobChanged& job : at.jobs.jobs) {
    ++count[job.state];
    if (job.state == JobState::queued && job.reason) ++waiting[*job.reason];
  }
  const Comparison compared("status", "jobs", wrong);
  const Summary& sum = at.summary;
  compared.same("queued", static_cast<double>(sum.queued), count[JobState::queued]);
  compared.same("running", static_cast<double>(sum.running),
                count[JobState::leased] + count[JobState::running]);
  compared.same("ended", static_cast<double>(sum.finished + sum.failed + sum.cancelled),
                static_cast<double>(at.jobs.ended_ever));
  for (const auto& [reason, jobs] : sum.queued_for) waiting.emplace(reason, 0);
  for (const auto& [reason, jobs] : waiting) {
    const auto found = sum.queued_for.find(reason);
    compared.same(fmt::format("waiting for {}", to_text(reason)),
                  found == sum.queued_for.end() ? 0 : static_cast<double>(found->second), jobs);
  }
}

/// What `drover status` prints for people says what its JSON says.
void compare_text(const Summary& sums, Inconsistencies& wrong) {
  const Json told = to_json(sums);
  const std::string text = to_table(sums);
  const auto number = [&](const char* key) { return told[key].dump(); };
  const std::array<std::string, 4> lines = {
      fmt::format("{} accepted, {} refused", number("accepted"), number("refused")),
      fmt::format("{} finished, {} failed, {} cancelled", number("finished"), number("failed"),
                  number("cancelled")),
      fmt::format("{} queued, {} running", number("queued"), number("running")),
      fmt::format("{}, {} (idle included)", joules_text(told["energy_j"].number()),
                  dollars_text(told["cost_usd"].number()))};
  const Comparison compared("status", "status --json", wrong, Duration{});
  for (const std::string& line : lines) {
    compared.same(line, text.find(line) == std::string::npos ? text : line, line);
  }
  for (const char* const key : {"waiting_for", "fallbacks", "failures"}) {
    for (const std::string& reason : told[key].keys()) {
      const std::string words = fmt::format("{} {}", reason, told[key][reason].dump());
      compared.same(key, text.find(words) == std::string::npos ? text : words, words);
    }
  }
}

void compare_classes(const InterfaceAnswers& at, const Json& status, Inconsistencies& wrong) {
  const Comparison compared("status --json", "the dashboard's classes", wrong, Duration{});
  const Table& table = at.tables["classes"];
  const Json& told = status["classes"];
  compared.same("classes", static_cast<double>(told.size()), static_cast<double>(table.size()));
  for (std::size_t i = 0; i < std::min(told.size(), table.size()); ++i) {
    const std::string& name = told[i]["work_class"].text();
    compared.same("class", name, table.text(i, "work_class"));
    compared.same(name + " metric", shown(told[i]["metric"]), table.text(i, "metric"));
    compared.same(name + " target", shown(told[i]["target"]), table.text(i, "target"));
    for (const auto& [key, column] : std::map<std::string, std::string>{{"count", "finished"},
                                                                        {"p50", "p50"},
                                                                        {"p90", "p90"},
                                                                        {"p99", "p99"},
                                                                        {"max", "max"}}) {
      compared.same(fmt::format("{} {}", name, key), shown(told[i]["values"][key]),
                    table.text(i, column));
    }
    if (!told[i]["target"].is_null()) {
      compared.same(name + " met", shown(told[i]["within_target"]), table.text(i, "within_target"));
    }
  }
}

void compare_fallbacks(const InterfaceAnswers& at, const Json& status, Inconsistencies& wrong) {
  const Comparison compared("status --json", "the dashboard's fallbacks", wrong, Duration{});
  const Table& table = at.tables["fallbacks"];
  compared.same("fallbacks", static_cast<double>(status["fallbacks"].size()),
                static_cast<double>(table.size()));
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string reason = table.text(row, "reason");
    compared.same(reason + " jobs", shown(status["fallbacks"][reason]), table.text(row, "jobs"));
    const Json& costs = status["fallback_costs"][reason];
    // Where the wanted pool could not have taken the jobs at all, nothing is compared.
    if (table.text(row, "extra_cost_usd").empty()) continue;
    for (const auto& [key, column] :
         std::map<std::string, std::string>{{"cost_usd", "extra_cost_usd"},
                                            {"energy_j", "extra_energy_j"},
                                            {"finish_s", "delay_s"}}) {
      compared.same(fmt::format("{} {}", reason, column), shown(costs[key]),
                    table.text(row, column));
    }
  }
}

}  // namespace

void compare_sums(const InterfaceAnswers& at, Inconsistencies& wrong) {
  compare_with_jobs(at, wrong);
  compare_text(at.summary, wrong);
  if (!at.heard.summary() || !is_of_one_moment(at.summary, *at.heard.summary())) return;
  const Json status = to_json(at.summary);
  compare_classes(at, status, wrong);
  compare_fallbacks(at, status, wrong);
}

}  // namespace drover::commands
