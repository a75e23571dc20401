// `drover cancel`: ends jobs.
#include <algorithm>

#include "commands/connection/acting.h"
#include "commands/connection/session.h"
#include "commands/shell/output.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {
namespace {

constexpr std::string_view job_kind = "job:";

Result<CancelJobs> read_jobs(const std::vector<std::string>& words) {
  CancelJobs jobs;
  for (std::string_view word : words) {
    if (word.starts_with(job_kind)) word.remove_prefix(job_kind.size());
    const bool digits = !word.empty() && word.size() <= 32 &&
                        word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (!digits) {
      return error("found \"{}\", expected job:ID, an id of 32 digits 0-9 a-f or its first ones",
                   excerpt(word));
    }
    jobs.jobs.emplace_back(word);
  }
  if (jobs.jobs.size() > cancel_jobs_max) {
    return error("found {} jobs, expected at most {}", jobs.jobs.size(), cancel_jobs_max);
  }
  return jobs;
}

bool done(const CancelResult& result) {
  return result.status == CancelStatus::cancelled || result.status == CancelStatus::cancelling;
}

Json to_json(const CancelReply& reply) {
  Json jobs = Json::array();
  for (const CancelResult& result : reply.results) {
    jobs.add(Json::object()
                 .set("asked", result.asked)
                 .set("job", result.job.empty() ? Json() : Json(to_text(result.job)))
                 .set("status", to_text(result.status))
                 .set("detail", result.detail));
  }
  return Json::object()
      .set("jobs", std::move(jobs))
      .set("problem", reply.problem)
      .set("summary", reply.summary);
}

CommandOutcome outcome_of(const CancelReply& reply) {
  const auto count = std::count_if(reply.results.begin(), reply.results.end(), done);
  const auto left = static_cast<std::ptrdiff_t>(reply.results.size()) - count;
  if (!reply.problem.empty()) return CommandOutcome::failed(error("{}", printable(reply.problem)));
  if (left == 0) return CommandOutcome::done();
  if (count > 0) {
    return CommandOutcome::partly(
        fmt::format("not cancelled: {} of {}", left, counted(reply.results.size(), "job")));
  }
  return CommandOutcome::failed(left == 1 ? error("{}", printable(reply.results.front().detail))
                                          : error("none of {} jobs was cancelled", left));
}

}  // namespace

CommandUsage cancel_usage() {
  return {"usage: drover cancel JOB... [options]",
          "Ends jobs. JOB is job:ID, an id alone, or its first digits where these are unique.\n"
          "A job that waits has ended when the answer comes (cancelled). One that runs is called\n"
          "off (cancelling): it ends as cancelled, also when its host is lost, unless its result\n"
          "was under way. One that had ended already stays as it is: exit 1, or 3 when others\n"
          "were cancelled. What is answered is in the router's ledger.",
          {connect_option(), {"json", "", "one JSON object on stdout"}},
          {"JOB..."},
          "  drover cancel job:3f2a91c0\n"
          "  drover cancel 3f2a91c0 b7e4 c001 --json"};
}

CommandOutcome run_cancel(Arguments& arguments) {
  const auto words = arguments.texts("JOB...");
  if (words.empty())
    return CommandOutcome::usage(error("expected a JOB; {}", cancel_usage().synopsis));
  auto jobs = read_jobs(words);
  if (!jobs) return CommandOutcome::usage(jobs.error());
  const auto answer = answer_to(arguments, "cancel", [&](double) { return *jobs; });
  if (!answer) return CommandOutcome::failed(answer.error());
  const auto* reply = std::get_if<CancelReply>(&*answer);
  if (reply == nullptr) return CommandOutcome::failed(error("the router answers something else"));
  if (arguments.has("json")) {
    put("{}\n", to_json(*reply).dump());
    return outcome_of(*reply);
  }
  for (const CancelResult& result : reply->results) {
    put("{} {}{}{}\n", result.job.empty() ? printable(result.asked) : to_text(result.job),
        to_text(result.status), result.detail.empty() ? "" : ": ", printable(result.detail));
  }
  // Of one job its line says it all.
  if (reply->results.size() > 1) put("{}\n", printable(reply->summary));
  return outcome_of(*reply);
}

}  // namespace drover::commands
