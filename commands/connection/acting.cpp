#include "commands/connection/acting.h"

#include <unistd.h>

#include <iostream>

#include "commands/connection/session.h"
#include "commands/shell/output.h"
#include "commands/shell/user_name.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {
namespace {

constexpr std::chrono::milliseconds patience{10'000};

/// Not `Session::ask`, which asks again: an action that is asked for twice is done twice.
Result<Message> ask_once(Session& session, Message action) {
  if (!session.send(std::move(action))) return error("the router does not take messages");
  const Wall end = wall_now() + patience;
  while (wall_now() < end) {
    for (auto& [from, envelope] : session.wait(std::chrono::milliseconds(100)).messages) {
      if (from != router_peer) continue;
      const Message& body = envelope.body;
      if (std::holds_alternative<ActionReply>(body) || std::holds_alternative<CancelReply>(body)) {
        return std::move(envelope.body);
      }
      if (const auto* problem = std::get_if<Problem>(&envelope.body)) {
        return error("the router answers: {}", printable(problem->what));
      }
    }
  }
  return error("the router did not answer within {} ms: whether it was done is not known",
               patience.count());
}

Json to_json(const ActionReply& reply) {
  Json targets = Json::array();
  for (const std::string& target : reply.targets) targets.add(target);
  return Json::object()
      .set("applied", reply.applied)
      .set("targets", std::move(targets))
      .set("problem", reply.problem)
      .set("summary", reply.summary);
}

Result<ActionReply> reply_to(const Arguments& arguments, const std::string& name,
                             const ActionAt& action) {
  auto answer = answer_to(arguments, name, action);
  if (!answer) return answer.error();
  auto* reply = std::get_if<ActionReply>(&*answer);
  if (reply == nullptr) return error("the router answers something else");
  return std::move(*reply);
}

CommandOutcome tell(const Arguments& arguments, const ActionReply& reply) {
  if (arguments.has("json")) put("{}\n", to_json(reply).dump());
  if (!reply.applied) return CommandOutcome::failed(error("{}", printable(reply.problem)));
  if (arguments.has("json")) return CommandOutcome::done();
  if (!reply.summary.empty()) {
    put("{}\n", printable(reply.summary));
    return CommandOutcome::done();
  }
  // An older router says no more than this.
  for (const std::string& target : reply.targets) put("{}\n", printable(target));
  return CommandOutcome::done();
}

/// Whether somebody sits there and says yes.
bool says_yes(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return false;
  std::cerr << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

ActionSpan span_of(Arguments& arguments, const std::string& option, ActionSpan otherwise) {
  if (!arguments.has(option)) return otherwise;
  const auto span = parse_action_span(arguments.text(option), "--" + option);
  if (span) return *span;
  arguments.complain(span.error());
  return otherwise;
}

Result<Message> answer_to(const Arguments& arguments, const std::string& name,
                          const ActionAt& action) {
  auto session = Session::open({endpoint_of(arguments), Role::client, user_name(name)});
  if (!session) return session.error();
  return ask_once(**session, action((*session)->clock().speed()));
}

CommandOutcome act(const Arguments& arguments, const std::string& name, const ActionAt& action) {
  const auto reply = reply_to(arguments, name, action);
  return reply ? tell(arguments, *reply) : CommandOutcome::failed(reply.error());
}

CommandOutcome act_with_care(const Arguments& arguments, const std::string& name,
                             const ActionAt& action, const ActionAt& confirmed) {
  if (arguments.has("yes")) return act(arguments, name, confirmed);
  auto reply = reply_to(arguments, name, action);
  if (!reply) return CommandOutcome::failed(reply.error());
  if (!reply->confirm) return tell(arguments, *reply);
  const std::string problem = printable(reply->problem);
  if (!arguments.has("json") && says_yes(problem + ". All the same?")) {
    return act(arguments, name, confirmed);
  }
  reply->problem += "; --yes does it all the same";
  return tell(arguments, *reply);
}

}  // namespace drover::commands
