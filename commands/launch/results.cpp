#include "commands/launch/results.h"

#include <sys/wait.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "agents/launch/ssh.h"
#include "commands/shell/json_null.h"
#include "commands/shell/table.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/json.h"
#include "fleet/text/nodeset.h"

namespace drover::commands {

namespace {

using launch::LaunchAction;

/// States of launched agents that do not run as they should.
constexpr std::string_view ended = "ended";
constexpr std::string_view suspended = "suspended";

std::string ending(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

void set_failure(const launch::LaunchHost& host, const RemoteTaskResult& task_result,
                 double limit_s, HostResult& result) {
  const auto set = [&](const char* state, std::string detail) {
    result.state = state;
    result.detail = std::move(detail);
  };
  switch (task_result.task_state) {
    case RemoteTaskState::not_started:
      return set("not started", "interrupted before this host was contacted");
    case RemoteTaskState::interrupted:
      return set("unknown", "interrupted while this host was working; see `drover launch status`");
    case RemoteTaskState::timed_out:
      return set("timed out",
                 fmt::format("no answer in {}; its state is unknown: see `drover launch status` "
                             "when it can be reached",
                             duration_text(limit_s)));
    case RemoteTaskState::running:
    case RemoteTaskState::ended:
      break;
  }
  const int status = task_result.status;
  if (!result.answer.failure.empty()) return set("failed", result.answer.failure);
  if (host.via == launch::Via::ssh && WIFEXITED(status) &&
      WEXITSTATUS(status) == launch::ssh_failed) {
    return set("unreachable", launch::ssh_failure(task_result.err));
  }
  const std::string line = launch::last_line(task_result.err);
  set("failed", line.empty() ? "ended without an answer: " + ending(status) : line);
}

/// The agent's process exists, whether or not it makes progress.
bool has_process(const launch::Answer& answer) { return !answer.did.empty() && answer.pid > 0; }

std::string detail_of(const launch::Answer& answer) {
  std::string detail;
  const auto add = [&](const std::string& text) { detail += (detail.empty() ? "" : "; ") + text; };
  if (answer.copied) add("program copied");
  if (answer.differs) add("its settings differ from the fleet file");
  if (answer.did == suspended) {
    add("its process is stopped: resume it with `kill -CONT` on the host, or start another with "
        "`up`");
  } else if (answer.pid > 0 && answer.router != "joined") {
    add("not connected to its router yet");
  }
  if (!answer.last.empty()) add("last log line: " + answer.last);
  return detail;
}

std::vector<std::string> row_of(LaunchAction action, const HostResult& result) {
  const launch::Answer& answer = result.answer;
  std::vector<std::string> row = {result.host, state_text(result)};
  const bool there = has_process(answer);
  // Without an answer it is not known whether an agent runs there.
  const std::string otherwise = answer.did.empty() ? "N/A" : "-";
  if (action != LaunchAction::down) {
    row.push_back(there ? std::to_string(answer.pid) : otherwise);
    row.push_back(there ? duration_text(static_cast<double>(answer.age_s)) : otherwise);
    row.push_back(!there ? otherwise : answer.router.empty() ? "N/A" : answer.router);
    row.push_back(there ? answer.version.substr(0, 8) : otherwise);
  }
  row.push_back(duration_text(result.took_s));
  row.push_back(result.detail.empty() ? "-" : result.detail);
  return row;
}

std::string logs_text(const std::vector<HostResult>& results) {
  std::string text;
  for (const HostResult& result : results) {
    for (const std::string& line : result.answer.log) {
      text += fmt::format("{}: {}\n", result.host, line);
    }
    if (!result.ok) text += fmt::format("{}: {}: {}\n", result.host, result.state, result.detail);
  }
  return text;
}

}  // namespace

std::string state_text(const HostResult& result) {
  if (result.state == "already") return "running, unchanged";
  if (result.state == "absent") return "not running";
  return result.state == "shown" ? "" : result.state;
}

HostResult host_result(const launch::LaunchHost& host, const RemoteTaskResult& task_result,
                       double limit_s) {
  HostResult result;
  result.host = host.name;
  result.took_s = task_result.took_s;
  result.answer = launch::parse_answer(task_result.out);
  const std::string& did = result.answer.did;
  result.ok = !did.empty() && did != ended && did != suspended;
  if (!did.empty()) {
    result.state = did;
    result.detail = detail_of(result.answer);
  } else {
    set_failure(host, task_result, limit_s, result);
  }
  return result;
}

std::string results_text(LaunchAction action, const std::vector<HostResult>& results) {
  if (action == LaunchAction::logs) return logs_text(results);
  std::vector<Heading> headings = {"HOST", "STATE"};
  if (action != LaunchAction::down) {
    headings.insert(headings.end(),
                    {right_aligned("PID"), right_aligned("AGE"), "ROUTER", "VERSION"});
  }
  headings.insert(headings.end(), {right_aligned("DURATION"), "DETAIL"});
  std::vector<std::vector<std::string>> rows;
  for (const HostResult& result : results) rows.push_back(row_of(action, result));
  return table_text(headings, rows);
}

std::string results_json(LaunchAction action, const std::vector<HostResult>& results) {
  Json hosts = Json::array();
  for (const HostResult& result : results) {
    const launch::Answer& answer = result.answer;
    const bool there = has_process(answer);
    hosts.add(Json::object()
                  .set("host", result.host)
                  .set("ok", result.ok)
                  .set("state", result.state)
                  .set("detail", text_or_null(result.detail))
                  .set("duration_s", result.took_s)
                  .set("unlisted_agents", Json::array_of(result.unlisted_agents))
                  .set("pid", when(there, answer.pid))
                  .set("age_s", when(there, answer.age_s))
                  .set("router", when(there, text_or_null(answer.router)))
                  .set("version", when(there, text_or_null(answer.version)))
                  .set("settings_differ", when(there, answer.differs))
                  .set("program_copied", when(there, answer.copied))
                  .set("log", when(action == LaunchAction::logs, Json::array_of(answer.log))));
  }
  return Json::object()
             .set("action", to_text(action))
             .set("hosts", std::move(hosts))
             .set("failed", text_or_null(failed_hosts(results)))
             .dump() +
         "\n";
}

std::string failed_hosts(const std::vector<HostResult>& results) {
  std::vector<std::string> failed;
  for (const HostResult& result : results) {
    if (!result.ok) failed.push_back(result.host);
  }
  return fold_nodeset(std::move(failed));
}

}  // namespace drover::commands
