#include "commands/connection/action_request.h"

#include <unistd.h>

#include <iostream>

#include "commands/connection/session.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {
namespace {

constexpr std::chrono::milliseconds timeout{10'000};

/// Not `Session::ask`, which repeats its request: an action that is sent twice is done twice.
Result<Message> ask_once(Session& session, Message action) {
  if (!session.send(std::move(action))) return error(ErrorKind::lost, "cannot send to the router");
  const WallTime end = wall_now() + timeout;
  while (wall_now() < end) {
    for (auto& [from, envelope] : session.wait_until(end).messages) {
      if (from != router_peer) continue;
      const Message& body = envelope.body;
      if (std::holds_alternative<ActionReply>(body) || std::holds_alternative<CancelReply>(body)) {
        return std::move(envelope.body);
      }
      if (const auto* problem = std::get_if<RequestError>(&envelope.body)) {
        return error(ErrorKind::refused, "the router refused the request: {}",
                     printable(problem->what));
      }
    }
  }
  return error(
      ErrorKind::lost,
      "the router did not answer within {} ms: it is not known whether the router carried out the "
      "action",
      timeout.count());
}

Json to_json(const ActionReply& reply) {
  return Json::object()
      .set("applied", reply.applied)
      .set("targets", Json::array_of(reply.targets))
      .set("error", problem_json(reply.problem))
      .set("summary", text_or_null(reply.summary));
}

Result<ActionReply> reply_to(const Arguments& arguments, const std::string& name,
                             const ActionForSpeed& action) {
  DROVER_ASSIGN(auto answer, send_action(arguments, name, action));
  auto* reply = std::get_if<ActionReply>(&answer);
  if (reply == nullptr) return error(ErrorKind::io, "unexpected answer from the router");
  return std::move(*reply);
}

CommandOutcome print_reply(const Arguments& arguments, const ActionReply& reply) {
  if (arguments.has("json")) write_stdout("{}\n", to_json(reply).dump());
  if (!reply.applied) return error(ErrorKind::refused, "{}", printable(reply.problem));
  if (arguments.has("json")) return CommandOutcome::done();
  if (!reply.summary.empty()) {
    write_stdout("{}\n", wrapped_for_terminal(printable(reply.summary), STDOUT_FILENO));
    return CommandOutcome::done();
  }
  // An older router sends no summary.
  for (const std::string& target : reply.targets) write_stdout("{}\n", printable(target));
  return CommandOutcome::done();
}

/// Asks at the terminal. False without a terminal.
bool confirm(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return false;
  std::cerr << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

Json problem_json(const std::string& problem) {
  return problem.empty() ? Json() : to_json(error(ErrorKind::refused, "{}", problem));
}

Result<Message> send_action(const Arguments& arguments, const std::string& name,
                            const ActionForSpeed& action) {
  DROVER_ASSIGN(auto session,
                Session::open({endpoint_of(arguments), Role::client, user_and_host(name)}));
  return ask_once(*session, action(session->clock().speed()));
}

CommandOutcome run_action(const Arguments& arguments, const std::string& name,
                          const ActionForSpeed& action) {
  const auto reply = reply_to(arguments, name, action);
  return reply ? print_reply(arguments, *reply) : CommandOutcome(reply.error());
}

CommandOutcome run_confirmed_action(
    const Arguments& arguments, const std::string& name,
    const std::function<Message(double speed, bool confirmed)>& action) {
  const ActionForSpeed confirmed = [&](double speed) { return action(speed, true); };
  if (arguments.has("yes")) return run_action(arguments, name, confirmed);
  DROVER_ASSIGN(auto reply,
                reply_to(arguments, name, [&](double speed) { return action(speed, false); }));
  if (!reply.confirm) return print_reply(arguments, reply);
  const std::string problem = printable(reply.problem);
  if (!arguments.has("json") && confirm(problem + ". Continue?")) {
    return run_action(arguments, name, confirmed);
  }
  reply.problem += "; use --yes to do it anyway";
  return print_reply(arguments, reply);
}

}  // namespace drover::commands
