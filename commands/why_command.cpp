// `drover why`: the decisions on one job, with every reason.
#include <fmt/format.h>

#include "commands/output.h"
#include "commands/reports.h"
#include "commands/session.h"
#include "commands/verbs.h"
#include "fleet/text.h"

namespace drover::commands {

Usage why_usage() {
  return {
      "usage: drover why [JOB] [options]",
      "Explains where a job went: every decision on it, the best places with their scores, and\n"
      "who was passed over for which reason. JOB is an id or its first digits; without it, the\n"
      "last job that fell back is explained.",
      {connect_option(), {"json", "", "one JSON object on stdout"}},
      {"JOB"},
      "  drover why\n"
      "  drover why 3f2a91c0\n"
      "  drover why 3f2a --json"};
}

Outcome run_why(Arguments& arguments) {
  auto session = Session::open({endpoint_of(arguments), Role::client, "why"});
  if (!session) return Outcome::failed(session.error());
  const auto reply =
      (*session)->ask<WhyReply>(WhyRequest{arguments.text("JOB")}, std::chrono::milliseconds(5000));
  if (!reply) return Outcome::failed(reply.error());
  if (!reply->problem.empty()) return Outcome::failed(error("{}", printable(reply->problem)));
  if (arguments.has("json")) {
    Json decisions = Json::array();
    for (const Decision& decision : reply->decisions) decisions.add(to_json(decision));
    put("{}\n", Json::object()
                    .set("job", reply->job ? to_json(*reply->job) : Json())
                    .set("decisions", std::move(decisions))
                    .dump());
    return Outcome::done();
  }
  if (reply->job) put_text(explain(*reply->job));
  for (const Decision& decision : reply->decisions) put_text(explain(decision));
  return Outcome::done();
}

}  // namespace drover::commands
