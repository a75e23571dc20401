// `drover cancel`: cancels jobs.
#include <algorithm>

#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
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
      return error(
          "found \"{}\", expected job:ID, or an id (32 digits 0-9 a-f) or its first digits",
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
                 .set("requested", result.asked)
                 .set("job", when(!result.job.empty(), to_text(result.job)))
                 .set("status", to_text(result.status))
                 .set("detail", text_or_null(result.detail)));
  }
  return Json::object()
      .set("jobs", std::move(jobs))
      .set("error", problem_json(reply.problem))
      .set("summary", text_or_null(reply.summary));
}

CommandOutcome outcome_of(const CancelReply& reply) {
  const auto count = std::count_if(reply.results.begin(), reply.results.end(), done);
  const auto left = static_cast<std::ptrdiff_t>(reply.results.size()) - count;
  if (!reply.problem.empty()) return error(ErrorKind::refused, "{}", printable(reply.problem));
  if (left == 0) return CommandOutcome::done();
  if (count > 0) {
    return CommandOutcome::partly(
        fmt::format("not cancelled: {} of {}", left, counted(reply.results.size(), "job")));
  }
  const bool known =
      std::any_of(reply.results.begin(), reply.results.end(),
                  [](const auto& result) { return result.status != CancelStatus::unknown; });
  const ErrorKind kind = known ? ErrorKind::refused : ErrorKind::not_found;
  return left == 1 ? error(kind, "{}", printable(reply.results[0].detail))
                   : error(kind, "none of {} jobs was cancelled", left);
}

}  // namespace

CommandUsage cancel_usage() {
  return {"usage: drover cancel JOB... [options]",
          "Cancels jobs. JOB is job:ID, an id alone, or its first digits if they are unique. A "
          "queued job is cancelled at once (cancelled). A running job is stopped (cancelling): it "
          "ends as cancelled, even if its host is lost, unless its result was already on its way. "
          "A job that has ended stays as it is: exit 1, or 3 if other jobs were cancelled. The "
          "router writes the cancellation to its ledger before it answers.",
          {connect_option(), {"json", "", "one JSON object on stdout"}},
          {"JOB..."},
          "  drover cancel job:3f2a91c0\n"
          "  drover cancel 3f2a91c0 b7e4 c001 --json"};
}

CommandOutcome run_cancel(Arguments& arguments) {
  const auto words = arguments.text_list("JOB...");
  if (words.empty()) return error("JOB is required; {}", cancel_usage().synopsis);
  DROVER_ASSIGN(auto jobs, read_jobs(words));
  DROVER_ASSIGN(const auto answer, send_action(arguments, "cancel", [&](double) { return jobs; }));
  const auto* reply = std::get_if<CancelReply>(&answer);
  if (reply == nullptr) return error(ErrorKind::io, "unexpected answer from the router");
  if (arguments.has("json")) {
    write_stdout("{}\n", to_json(*reply).dump());
    return outcome_of(*reply);
  }
  for (const CancelResult& result : reply->results) {
    write_stdout("{} {}{}{}\n", result.job.empty() ? printable(result.asked) : to_text(result.job),
                 to_text(result.status), result.detail.empty() ? "" : ": ",
                 printable(result.detail));
  }
  // For a single job the summary would repeat its line.
  if (reply->results.size() > 1) write_stdout("{}\n", printable(reply->summary));
  return outcome_of(*reply);
}

}  // namespace drover::commands
