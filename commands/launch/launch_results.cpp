#include "commands/launch/launch_results.h"

#include <sys/wait.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "commands/shell/table.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/json.h"
#include "fleet/text/nodeset.h"

namespace drover::commands {

namespace {

using launch::Action;

constexpr std::size_t detail_max = 300;
constexpr int ssh_failed = 255;
/// What `status` finds of agents that were launched to run, and do not.
constexpr std::string_view ended = "ended";
constexpr std::string_view suspended = "suspended";

struct Complaint {
  std::string_view said;  // by ssh
  std::string_view meaning;
};
constexpr Complaint complaints[] = {
    {"IDENTIFICATION HAS CHANGED", "its host key is not the known one"},
    {"Host key verification failed", "its host key is not known; ssh there once by hand"},
    {"Permission denied", "login refused; keys only, no password is ever asked for"},
    {"Could not resolve hostname", "no such name"},
    {"Connection refused", "no ssh server there"},
    {"Connection timed out", "no way there"},
    {"No route to host", "no way there"},
    {"not responding", "the connection went silent"},
};

std::string last_line(const std::string& text) {
  std::string last;
  for (const std::string& line : split(text, '\n')) {
    if (!trimmed(line).empty()) last = trimmed(line);
  }
  return excerpt(last, detail_max);
}

std::string ssh_detail(const std::string& said) {
  const auto* known = std::find_if(
      std::begin(complaints), std::end(complaints),
      [&](const Complaint& complaint) { return said.find(complaint.said) != std::string::npos; });
  const std::string line = last_line(said);
  if (known == std::end(complaints)) return line.empty() ? "ssh failed without a word" : line;
  return fmt::format("{} ({})", known->meaning, line);
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

void judge_failure(const launch::LaunchHost& host, const Returned& returned, double limit_s,
                   HostResult& result) {
  const auto set = [&](const char* state, std::string detail) {
    result.state = state;
    result.detail = std::move(detail);
  };
  switch (returned.fate) {
    case Fate::unasked:
      return set("unasked", "told to end before this host was asked");
    case Fate::interrupted:
      return set("unknown", "told to end while this host worked; `drover launch status` tells");
    case Fate::overdue:
      return set("silent", fmt::format("no answer in {}; what it does is unknown, `drover launch "
                                       "status` tells when it can be reached",
                                       duration_text(limit_s)));
    case Fate::under_way:
    case Fate::ended:
      break;
  }
  const int status = returned.status;
  if (!result.answer.failure.empty()) return set("failed", result.answer.failure);
  if (host.via == launch::Via::ssh && WIFEXITED(status) && WEXITSTATUS(status) == ssh_failed) {
    return set("unreachable", ssh_detail(returned.err));
  }
  const std::string line = last_line(returned.err);
  set("failed", line.empty() ? "ended without an answer: " + ending(status) : line);
}

/// The agent's process is there, whether or not it does anything.
bool has_process(const launch::Answer& answer) { return !answer.did.empty() && answer.pid > 0; }

std::string detail_of(const launch::Answer& answer) {
  std::string detail;
  const auto add = [&](const std::string& text) { detail += (detail.empty() ? "" : "; ") + text; };
  if (answer.copied) add("program copied");
  if (answer.differs) add("other settings than the fleet file's");
  if (answer.did == suspended) {
    add("its process is stopped: `kill -CONT` there wakes it, or `up` starts another");
  } else if (answer.pid > 0 && answer.router != "joined") {
    add("no word from its router yet");
  }
  if (!answer.last.empty()) add("last said: " + answer.last);
  return detail;
}

std::vector<std::string> row_of(Action action, const HostResult& result) {
  const launch::Answer& answer = result.answer;
  std::vector<std::string> row = {result.host, result.state};
  const bool there = has_process(answer);
  if (action != Action::down) {
    row.push_back(there ? std::to_string(answer.pid) : "-");
    row.push_back(there ? duration_text(static_cast<double>(answer.age_s)) : "-");
    row.push_back(there && !answer.router.empty() ? answer.router : "-");
    row.push_back(there ? answer.version.substr(0, 8) : "-");
  }
  row.push_back(duration_text(result.took_s));
  row.push_back(result.detail);
  return row;
}

std::string logs_text(const std::vector<HostResult>& results) {
  std::string text;
  for (const HostResult& result : results) {
    for (const std::string& line : result.answer.log) {
      text += fmt::format("{}: {}\n", result.host, line);
    }
    if (!result.well) text += fmt::format("{}: {}: {}\n", result.host, result.state, result.detail);
  }
  return text;
}

const char* word_of(Action action) {
  constexpr const char* words[] = {"up", "status", "logs", "down"};
  return words[static_cast<std::size_t>(action)];
}

}  // namespace

HostResult judge(const launch::LaunchHost& host, const Returned& returned, double limit_s) {
  HostResult result;
  result.host = host.name;
  result.took_s = returned.took_s;
  result.answer = launch::parse_answer(returned.out);
  const std::string& did = result.answer.did;
  result.well = !did.empty() && did != ended && did != suspended;
  if (!did.empty()) {
    result.state = did;
    result.detail = detail_of(result.answer);
  } else {
    judge_failure(host, returned, limit_s, result);
  }
  return result;
}

std::string results_text(Action action, const std::vector<HostResult>& results) {
  if (action == Action::logs) return logs_text(results);
  std::vector<Heading> headings = {{"HOST"}, {"STATE"}};
  if (action != Action::down) {
    headings.insert(headings.end(),
                    {{"PID", Align::right}, {"AGE", Align::right}, {"ROUTER"}, {"VERSION"}});
  }
  headings.insert(headings.end(), {{"TOOK", Align::right}, {"DETAIL"}});
  std::vector<std::vector<std::string>> rows;
  for (const HostResult& result : results) rows.push_back(row_of(action, result));
  return table_text(headings, rows);
}

std::string results_json(Action action, const std::vector<HostResult>& results) {
  Json hosts = Json::array();
  for (const HostResult& result : results) {
    const launch::Answer& answer = result.answer;
    Json host = Json::object();
    host.set("host", result.host)
        .set("well", result.well)
        .set("state", result.state)
        .set("detail", result.detail)
        .set("took_s", result.took_s)
        .set("also", Json::array_of(result.also));
    if (has_process(answer)) {
      host.set("pid", answer.pid).set("age_s", answer.age_s);
      if (!answer.router.empty()) host.set("router", answer.router);
      host.set("version", answer.version)
          .set("differs", answer.differs)
          .set("copied", answer.copied);
    }
    if (action == Action::logs) host.set("log", Json::array_of(answer.log));
    hosts.add(std::move(host));
  }
  return Json::object()
             .set("action", word_of(action))
             .set("hosts", std::move(hosts))
             .set("failed", failed_hosts(results))
             .dump() +
         "\n";
}

std::string failed_hosts(const std::vector<HostResult>& results) {
  std::vector<std::string> failed;
  for (const HostResult& result : results) {
    if (!result.well) failed.push_back(result.host);
  }
  return fold_nodeset(std::move(failed));
}

}  // namespace drover::commands
