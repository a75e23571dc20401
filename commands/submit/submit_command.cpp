// `drover submit`: submits one job from options, or all jobs of a trace at their own times.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/query/reports.h"
#include "commands/query/table_output.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "commands/submit/job_feeder.h"
#include "commands/submit/job_options.h"
#include "commands/submit/trace_source.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds acknowledge_timeout{10'000};
constexpr std::chrono::milliseconds poll_every{200};
/// Requests in flight while waiting for the jobs of a trace.
constexpr std::size_t requests_max = 64;

void report(const std::string& line) { write_stderr("drover submit: {}\n", line); }

/// The job once it has ended; no value if a signal arrived before.
Result<std::optional<JobChanged>> wait_for_end(Session& session, StopSignals& signals, JobId id) {
  while (!signals.stopped()) {
    DROVER_ASSIGN(auto reply, session.ask<JobsReply>(JobsRequest{id, 1}, acknowledge_timeout));
    if (!reply.jobs.empty() && is_terminal(reply.jobs.front().state)) {
      return std::optional(std::move(reply.jobs.front()));
    }
    session.wait(poll_every);
  }
  return std::optional<JobChanged>();
}

/// The router's answer to the submission.
Json answer_json(const SubmitResult& result) {
  const bool refused = result.status == SubmitStatus::refused;
  return Json::object()
      .set("id", to_text(result.job))
      .set("status", to_text(result.status))
      .set("state", when(is_taken(result.status), to_text(result.state)))
      .set("reason", when(refused, to_text(result.reason)))
      .set("detail", text_or_null(result.detail));
}

CommandOutcome outcome_of(const JobChanged& ended) {
  if (ended.state == JobState::finished) return CommandOutcome::done();
  const std::string job = to_short_text(ended.job.id);
  if (ended.state == JobState::cancelled) {
    return CommandOutcome::bad_result(fmt::format("job {} was {}", job, printable(ended.detail)));
  }
  return CommandOutcome::bad_result(fmt::format("job {} failed: {}: {}", job,
                                                ended.reason ? to_text(*ended.reason) : "unknown",
                                                printable(ended.detail)));
}

CommandOutcome submit_one(Arguments& arguments, Session& session, StopSignals& signals,
                          const Job& job) {
  DROVER_ASSIGN(const auto reply, session.ask<SubmitReply>(Submit{{job}}, acknowledge_timeout));
  if (reply.results.size() != 1) return error(ErrorKind::io, "unexpected answer from the router");
  const SubmitResult& result = reply.results.front();
  const bool taken = is_taken(result.status);
  std::optional<JobChanged> ended;
  if (taken && arguments.has("wait")) {
    DROVER_ASSIGN(ended, wait_for_end(session, signals, job.id));
  }
  if (arguments.has("json")) {
    const Instant now = session.clock().now();
    write_stdout("{}\n", (ended ? commands::to_json(*ended, now) : answer_json(result)).dump());
  } else if (taken) {
    const bool fleet_time = session.welcome().speed != 1;
    write_stdout("{} {}\n", to_text(job.id),
                 ended ? ending_text(*ended, fleet_time) : to_text(result.status));
  }
  if (!taken) {
    return error(ErrorKind::refused, "{}: {}: {}", to_text(result.status), to_text(result.reason),
                 printable(result.detail));
  }
  return ended ? outcome_of(*ended) : CommandOutcome::done();
}

struct Ends {
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  void count(JobState state) {
    ++(state == JobState::finished ? finished : state == JobState::cancelled ? cancelled : failed);
  }
};

/// Queries the oldest open jobs, many at a time, until all have ended or a signal arrives.
Ends wait_for_ends(Session& session, StopSignals& signals, ConnectRefusalNotice& connect_refusal,
                   const std::vector<JobId>& jobs) {
  Ends ends;
  std::vector<JobId> open(jobs.rbegin(), jobs.rend());  // the oldest at the back
  while (!open.empty() && !signals.stopped()) {
    const std::size_t count = std::min(open.size(), requests_max);
    for (std::size_t i = 0; i < count; ++i) {
      session.send(JobsRequest{open[open.size() - 1 - i], 1});
    }
    std::size_t ended = 0;
    const WallTime end = wall_now() + std::chrono::seconds(2);
    for (std::size_t answers = 0; answers < count && wall_now() < end;) {
      for (const auto& [from, envelope] : session.wait(poll_every).messages) {
        const auto* reply = std::get_if<JobsReply>(&envelope.body);
        if (reply == nullptr) continue;
        ++answers;
        if (reply->jobs.size() != 1 || !is_terminal(reply->jobs.front().state)) continue;
        const auto found = std::find(open.begin(), open.end(), reply->jobs.front().job.id);
        if (found == open.end()) continue;
        open.erase(found);
        ++ended;
        ends.count(reply->jobs.front().state);
      }
      session.keep_joined();
      connect_refusal.update(session);
    }
    if (ended == 0) session.wait(poll_every);
  }
  return ends;
}

CommandOutcome report_trace(const Arguments& arguments, const TraceSource& trace,
                            const SubmitStats& fed, const std::optional<Ends>& ends) {
  const JobSubmitter::Counts& counts = fed.counts;
  if (arguments.has("json")) {
    const Ends waited = ends.value_or(Ends());
    write_stdout("{}\n", Json::object()
                             .set("rows", counts.given)
                             .set("skipped_rows", trace.skipped())
                             .set("accepted", counts.accepted)
                             .set("already_known", counts.existed)
                             .set("refused", counts.refused)
                             .set("unacknowledged", fed.unacknowledged)
                             .set("input_tokens", fed.input_tokens)
                             .set("output_tokens", fed.output_tokens)
                             .set("finished", when(ends.has_value(), waited.finished))
                             .set("failed", when(ends.has_value(), waited.failed))
                             .set("cancelled", when(ends.has_value(), waited.cancelled))
                             .dump());
  } else {
    write_stdout("{}: {} accepted, {} already known, {} refused; {} skipped\n",
                 counted(counts.given, "row"), counts.accepted, counts.existed, counts.refused,
                 counted(trace.skipped(), "bad row"));
    if (ends) {
      write_stdout("{} finished, {} failed, {} cancelled\n", ends->finished, ends->failed,
                   ends->cancelled);
    }
  }
  if (counts.given == 0 && trace.skipped() == 0) {
    return error("--trace {}: has no rows", printable(arguments.text("trace")));
  }
  if (counts.given == 0) {
    return error("--trace {}: {}", printable(arguments.text("trace")),
                 all_bad_text(trace.skipped()));
  }
  if (fed.unacknowledged > 0) {
    return CommandOutcome::partly(
        fmt::format("not acknowledged: {}{}{}", counted(fed.unacknowledged, "job"),
                    fed.connect_refusal.empty() ? "" : ": ", fed.connect_refusal));
  }
  if (trace.skipped() > 0) {
    return CommandOutcome::partly(fmt::format("skipped: {}", counted(trace.skipped(), "bad row")));
  }
  if (counts.refused > 0) return CommandOutcome::partly(fmt::format("{} refused", counts.refused));
  if (ends && ends->failed + ends->cancelled > 0) {
    return CommandOutcome::partly(
        fmt::format("{} failed, {} cancelled", ends->failed, ends->cancelled));
  }
  return CommandOutcome::done();
}

CommandOutcome submit_trace(Arguments& arguments, Session& session, StopSignals& signals,
                            TraceSource& trace) {
  FeedingLimits limits;
  limits.remember_jobs = arguments.has("wait");
  ConnectRefusalNotice connect_refusal("drover submit");
  DROVER_ASSIGN(
      const auto fed,
      feed(session, trace, signals, limits, connect_refusal, [&](const SubmitResult& result) {
        report(fmt::format("{} job {}: {}", to_text(result.status), to_short_text(result.job),
                           printable(result.detail)));
      }));
  std::optional<Ends> ends;
  if (arguments.has("wait")) ends = wait_for_ends(session, signals, connect_refusal, fed.jobs);
  return report_trace(arguments, trace, fed, ends);
}

}  // namespace

CommandUsage submit_usage() {
  CommandUsage usage{
      "usage: drover submit (--model M | --trace FILE) [options]",
      "Submits one job, or each row of a trace at its arrival time (fleet time). A job is accepted "
      "once it is on the router's disk. Submitting the same id again changes nothing: a trace that "
      "is submitted twice runs once. With another --seed it runs again.",
      {connect_option(),
       Option::choice("kind", "K", "serve (default), train or batch", {"serve", "train", "batch"}),
       {"model", "M", "model of the job, or of all rows of a trace (`drover catalogue models`)"},
       {"input", "N", "serve, batch: prompt tokens (default 1020)"},
       {"output", "N", "serve, batch: tokens to generate (default 129)"},
       {"items", "N", "batch: number of requests (default 1)"},
       {"steps", "N", "train: optimiser steps (default 100)"},
       {"batch", "N", "train: samples per step of the whole gang (default 32)"},
       {"seq-len", "N", "train: tokens per sample (default 1, for images)"},
       {"devices", "N", "train: devices of the gang (default 1)"},
       {"precision", "P,..", "accepted precisions, best first (default: the policy's)"},
       {"framework", "F", "pytorch, jax or tensorflow (default: any)"},
       {"op", "NAME", "a special operation that the job needs; may be given several times", false,
        true},
       {"software", "NAME=V",
        "software version that the job was built with, such as cuda=12.4; may be given several "
        "times",
        false, true},
       {"loss-scaling", "", "train: the job uses loss scaling, so fp16 is allowed"},
       {"checkpoint", "N", "train: save a checkpoint every N steps (default: never)"},
       {"class", "NAME", "work class of the policy (default: the first that matches)"},
       {"stage", "NAME", "stage: experiment, production, .. (default: from its class)"},
       {"data", "NAME", "data set that the job reads (default: from its class)"},
       {"tenant", "T", "the tenant (default \"default\")"},
       {"priority", "N", "-128 to 127, higher goes first (default: serve 10, others 0)"},
       {"deadline", "DURATION", "deadline after submission, in fleet time (default: none)"},
       {"id", "HEX", "the job's id, 32 hex digits, to submit it again safely (default: random)"}},
      {},
      "  drover submit --model llama-3.1-8b --input 2000 --output 300 --wait\n"
      "  drover submit --kind train --model bert-large --steps 500 --batch 128 \\\n"
      "    --seq-len 128\n"
      "  drover submit --kind train --model llama-3.1-8b --devices 8 --batch 32 \\\n"
      "    --seq-len 4096 --steps 20\n" +
          trace_examples("submit")};
  usage.add(trace_options());
  usage.add(
      {{"load", "X", "multiplies the trace's arrival rate (default 1)"},
       {"seed", "N", "job ids of a trace derive from this seed, file name and row (default 1)"},
       {"catalogue", "DIR", "more models and devices: a folder of *.toml specs"},
       {"wait", "", "wait for the end and print it; exit 1 if the job failed or was cancelled"},
       {"json", "", "one JSON object on stdout"}});
  return usage;
}

CommandOutcome run_submit(Arguments& arguments) {
  DROVER_ASSIGN(const auto catalogue, load_catalogue(arguments.text("catalogue")));
  const bool from_trace = arguments.has("trace");
  TraceOptions options;
  Job job;
  if (from_trace) {
    check_applies(arguments, Submission::whole_trace);
    options = read_trace_options(arguments, catalogue);
  } else {
    job = read_job(arguments, catalogue);
  }
  DROVER_TRY(arguments.status());
  std::unique_ptr<TraceSource> trace;
  if (from_trace) {
    DROVER_ASSIGN(trace, TraceSource::open(options, catalogue, report));
  }
  StopSignals signals;
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "submit"}));
  return from_trace ? submit_trace(arguments, *session, signals, *trace)
                    : submit_one(arguments, *session, signals, job);
}

}  // namespace drover::commands
