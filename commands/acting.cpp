#include "commands/acting.h"

#include "commands/output.h"
#include "commands/session.h"
#include "fleet/json.h"
#include "fleet/text.h"

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
      .set("problem", reply.problem);
}

}  // namespace

Result<Message> answer_to(const Arguments& arguments, const std::string& name, Message action) {
  auto session = Session::open({endpoint_of(arguments), Role::client, name});
  if (!session) return session.error();
  return ask_once(**session, std::move(action));
}

Outcome act(const Arguments& arguments, const std::string& name, Message action) {
  const auto answer = answer_to(arguments, name, std::move(action));
  if (!answer) return Outcome::failed(answer.error());
  const auto* reply = std::get_if<ActionReply>(&*answer);
  if (reply == nullptr) return Outcome::failed(error("the router answers something else"));
  if (arguments.has("json")) put("{}\n", to_json(*reply).dump());
  if (!reply->applied) return Outcome::failed(error("{}", printable(reply->problem)));
  if (arguments.has("json")) return Outcome::done();
  for (const std::string& target : reply->targets) put("{}\n", printable(target));
  return Outcome::done();
}

}  // namespace drover::commands
