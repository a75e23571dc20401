// `drover why`: the decisions on one job, with every reason.
#include <fmt/format.h>

#include "commands/explanations.h"
#include "commands/output.h"
#include "commands/session.h"
#include "commands/verbs.h"
#include "fleet/text.h"

namespace drover::commands {

Usage why_usage() {
  return {
      "usage: drover why [JOB] [options]",
      "Explains where a job went: every decision on it, each candidate with its score or all the\n"
      "reasons against it, and what a fallback costs. Of a job that waits: the smallest single\n"
      "changes that would place it. JOB is an id or its first digits; without it, the last job\n"
      "that fell back is explained.",
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
    put("{}\n", to_json(*reply).dump());
  } else {
    put_text(explain(*reply));
  }
  return Outcome::done();
}

}  // namespace drover::commands
