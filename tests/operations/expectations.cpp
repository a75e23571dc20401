#include "tests/operations/expectations.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <regex>

#include <fmt/format.h>

namespace drover::operations {
namespace {

/// What was found instead; nothing: it is as expected.
using Finding = std::optional<std::string>;

/// "NAME: REST".
std::optional<std::pair<std::string, std::string>> split_at_colon(const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, colon), text.substr(colon + 2));
}

bool holds(double found, const std::string& sign, double expected) {
  if (sign == ">=") return found >= expected;
  if (sign == "<=") return found <= expected;
  if (sign == ">") return found > expected;
  if (sign == "<") return found < expected;
  return found == expected;
}

/// "queued 3", "wasted.device_s > 0", "waiting_for.capacity 2": what is not there is 0.
Finding of_status(const std::string& text, const FleetSnapshot& look) {
  const auto words = words_in(text);
  if (words.size() < 2) return "no such expectation";
  const Json* value = &look.json("status --json");
  for (const std::string& key : entries_of(words[0], '.')) value = &(*value)[key];
  const std::string sign = words.size() > 2 ? words[1] : "=";
  if (holds(value->number(), sign, std::strtod(words.back().c_str(), nullptr))) return {};
  return value->dump();
}

/// How many devices it holds for, or why the answer is none: a filter that is refused holds for
/// nothing.
Result<std::size_t> rows_for(const FleetProcesses& stage, const std::string& filter) {
  const auto ran = stage.ask({"devices", "--json", "--filter", filter});
  if (ran.exit_code != 0) return error("exit code {}: {}", ran.exit_code, ran.err);
  const auto found = Json::parse(ran.out);
  if (!found) return found.error();
  if (!found->is_array()) return error("no array: {}", ran.out);
  return found->size();
}

/// "sum power_w <= 4000": of all devices that say it.
Finding of_sum(const std::vector<std::string>& words, const FleetSnapshot& look) {
  const Json& devices = look.table("devices");
  double sum = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) sum += devices[i][words[1]].number();
  if (holds(sum, words[2], std::strtod(words[3].c_str(), nullptr))) return {};
  return fmt::format("{}", sum);
}

/// "8 of FILTER", "h100-1: FILTER" (every device of the host), "h100-1/3: FILTER".
Finding of_devices(const std::string& text, const FleetSnapshot& look,
                   const FleetProcesses& stage) {
  if (const auto words = words_in(text); words.size() == 4 && words[0] == "sum") {
    return of_sum(words, look);
  }
  const std::size_t of = text.find(" of ");
  std::string filter, expected;
  if (const auto parts = split_at_colon(text)) {
    const auto& [subject, wanted] = *parts;
    const bool device = subject.find('/') != std::string::npos;
    const std::string whose = fmt::format("{}=={}", device ? "id" : "host", subject);
    const auto all = rows_for(stage, whose);
    if (!all) return all.error().message;
    expected = std::to_string(std::max<std::size_t>(1, *all));
    filter = fmt::format("{} & ({})", whose, wanted);
  } else if (of != std::string::npos) {
    expected = text.substr(0, of);
    filter = text.substr(of + 4);
  } else {
    return "no such expectation";
  }
  const auto found = rows_for(stage, filter);
  if (!found) return found.error().message;
  if (std::to_string(*found) == expected) return {};
  return fmt::format("{} of {}", *found, filter);
}

/// "running on h100-1 for capacity try 2".
bool is_so(const Json& job, const std::vector<std::string>& words) {
  bool so = job["state"].text() == words.front();
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    if (words[i] == "on") so = so && job["target"].text().starts_with(value);
    if (words[i] == "for") so = so && job["reason"].text() == value;
    if (words[i] == "try") so = so && job["attempt"].dump() == value;
  }
  return so;
}

/// "none", "chat: finished", "wave: 8 running on a100-2": of the jobs submitted under the name
/// all, or exactly so many.
Finding of_jobs(const std::string& text, const FleetSnapshot& look, const FleetProcesses& stage) {
  if (text == "none") return look.jobs().size() == 0 ? Finding() : look.jobs().dump();
  const auto parts = split_at_colon(text);
  if (!parts) return "no such expectation";
  const auto& ids = stage.jobs_named(parts->first);
  auto words = words_in(parts->second);
  std::size_t expected = ids.size();
  if (std::isdigit(static_cast<unsigned char>(words.front().front())) != 0) {
    expected = static_cast<std::size_t>(std::atoi(words.front().c_str()));
    words.erase(words.begin());
  }
  std::size_t found = 0;
  std::string told;
  for (const std::string& id : ids) {
    const Json& job = row_with(look.jobs(), "id", id);
    found += is_so(job, words) ? 1 : 0;
    told += fmt::format("\n      {} {} on {}, reason {}, attempt {}, {}", id.substr(0, 8),
                        shown(job["state"]), shown(job["target"]), shown(job["reason"]),
                        job["attempt"].dump(), shown(job["detail"]));
  }
  if (found == expected && !ids.empty()) return {};
  return fmt::format("{} of {}:{}", found, ids.size(), told);
}

/// "chat: REGEX": what `drover why` says of the first job of the name.
Finding of_why(const std::string& text, const FleetProcesses& stage) {
  const auto parts = split_at_colon(text);
  if (!parts || stage.jobs_named(parts->first).empty()) return "no such job";
  const auto ran = stage.ask({"why", stage.jobs_named(parts->first).front()});
  const bool refused = parts->second.starts_with("not ");
  const std::regex wanted(refused ? parts->second.substr(4) : parts->second);
  if (ran.exit_code == 0 && std::regex_search(ran.out, wanted) != refused) return {};
  return fmt::format("exit code {}: {}{}", ran.exit_code, ran.out, ran.err);
}

/// "none", "RULE SUBJECT", "RULE SUBJECT: REGEX" of its text, "no RULE", "no RULE SUBJECT".
Finding of_alerts(const std::string& text, const FleetSnapshot& look) {
  const Json& alerts = look.json("alerts --json");
  const std::string& found = look.text("alerts");
  if (text == "none") return alerts.size() == 0 ? Finding() : found;
  const auto parts = split_at_colon(text);
  auto words = words_in(parts ? parts->first : text);
  const bool absent = words.front() == "no";
  if (absent) words.erase(words.begin());
  for (std::size_t i = 0; i < alerts.size(); ++i) {
    if (alerts[i]["rule"].text() != words.at(0)) continue;
    if (words.size() > 1 && alerts[i]["subject"].text() != words[1]) continue;
    if (absent) return found;
    const std::string said =
        alerts[i]["text"].text() + " acknowledged by " + shown(alerts[i]["acknowledged_by"]);
    if (!parts || std::regex_search(said, std::regex(parts->second))) return {};
  }
  return absent ? Finding() : found;
}

Finding found_instead(const Expectation& expected, const FleetSnapshot& look,
                      const FleetProcesses& stage) {
  if (expected.surface == "status") return of_status(expected.text, look);
  if (expected.surface == "devices") return of_devices(expected.text, look, stage);
  if (expected.surface == "jobs") return of_jobs(expected.text, look, stage);
  if (expected.surface == "why") return of_why(expected.text, stage);
  if (expected.surface == "alerts") return of_alerts(expected.text, look);
  return "no such surface";
}

}  // namespace

Mismatches unmet(const Step& step, const FleetSnapshot& look, const FleetProcesses& stage) {
  Mismatches complaints;
  for (const Expectation& expected : step.expected) {
    if (const Finding found = found_instead(expected, look, stage)) {
      complaints.push_back(fmt::format("day.md:{}: {}: expected '{}', found {}", expected.line,
                                       expected.surface, expected.text, *found));
    }
  }
  return complaints;
}

}  // namespace drover::operations
