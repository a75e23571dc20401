// `drover jobs`: the open jobs and the last ended ones.
#include <algorithm>

#include <fmt/format.h>

#include "commands/output.h"
#include "commands/reports.h"
#include "commands/session.h"
#include "commands/verbs.h"

namespace drover::commands {

Usage jobs_usage() {
  return {
      "usage: drover jobs [options]",
      "The open jobs and the last ended ones: what they are, where they run, what they wait for.",
      {connect_option(),
       {"ended", "N", "how many ended jobs besides (default 20)"},
       {"state", "S", "only queued, leased, running, finished or failed"},
       {"json", "", "a JSON array on stdout"}},
      {},
      "  drover jobs\n"
      "  drover jobs --state failed --ended 100\n"
      "  drover jobs --json"};
}

Outcome run_jobs(Arguments& arguments) {
  const auto ended = arguments.integer("ended", 0, 1000, 20);
  const std::string state =
      arguments.one_of("state", {"queued", "leased", "running", "finished", "failed"}, "");
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  auto session = Session::open({endpoint_of(arguments), Role::client, "jobs"});
  if (!session) return Outcome::failed(session.error());
  auto reply =
      (*session)->ask<JobsReply>(JobsRequest{std::nullopt, static_cast<std::uint32_t>(ended)},
                                 std::chrono::milliseconds(5000));
  if (!reply) return Outcome::failed(reply.error());
  auto& jobs = reply->jobs;
  if (!state.empty()) {
    std::erase_if(jobs, [&](const JobChanged& job) { return to_text(job.state) != state; });
  }
  if (arguments.has("json")) {
    Json array = Json::array();
    for (const JobChanged& job : jobs) array.add(to_json(job));
    put("{}\n", array.dump());
  } else {
    put_text(to_table(jobs, (*session)->clock().now()));
    if (reply->left_out > 0) put("and {} more that are not shown\n", reply->left_out);
  }
  return Outcome::done();
}

}  // namespace drover::commands
