// `drover submit`: one job from options, or all jobs of a trace at their own times.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/barred_notice.h"
#include "commands/connection/session.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/query/reports.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/submit/feeding.h"
#include "commands/submit/job_options.h"
#include "commands/submit/trace_source.h"
#include "commands/verbs.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds acknowledge_patience{10'000};
constexpr std::chrono::milliseconds poll_every{200};
/// Questions that are on their way at once while a trace's jobs are waited for.
constexpr std::size_t questions_max = 64;

void say(const std::string& line) { put_error("drover submit: {}\n", line); }

/// The job once it has ended; nothing when a signal came first.
Result<std::optional<JobChanged>> wait_for_end(Session& session, StopSignals& signals, JobId id) {
  while (!signals.stopped()) {
    auto reply = session.ask<JobsReply>(JobsRequest{id, 1}, acknowledge_patience);
    if (!reply) return reply.error();
    if (!reply->jobs.empty() && is_terminal(reply->jobs.front().state)) {
      return std::optional(std::move(reply->jobs.front()));
    }
    session.wait(poll_every);
  }
  return std::optional<JobChanged>();
}

/// What the router says to the submission; where the job has ended, its end is told instead.
Json answer_json(const SubmitResult& result) {
  const bool taken =
      result.status == SubmitStatus::accepted || result.status == SubmitStatus::exists;
  Json object = Json::object()
                    .set("id", to_text(result.job))
                    .set("status", to_text(result.status))
                    .set("state", taken ? Json(to_text(result.state)) : Json());
  if (!taken) object.set("reason", to_text(result.reason)).set("detail", result.detail);
  return object;
}

CommandOutcome outcome_of(const JobChanged& ended) {
  if (ended.state == JobState::finished) return CommandOutcome::done();
  const std::string job = to_short_text(ended.job.id);
  if (ended.state == JobState::cancelled) {
    return CommandOutcome::failed(error("job {} was {}", job, printable(ended.detail)));
  }
  return CommandOutcome::failed(error("job {} failed: {}: {}", job,
                                      ended.reason ? to_text(*ended.reason) : "unknown",
                                      printable(ended.detail)));
}

CommandOutcome submit_one(Arguments& arguments, Session& session, StopSignals& signals,
                          const Job& job) {
  const auto reply = session.ask<SubmitReply>(Submit{{job}}, acknowledge_patience);
  if (!reply) return CommandOutcome::failed(reply.error());
  if (reply->results.size() != 1)
    return CommandOutcome::failed(error("the router's answer names no job"));
  const SubmitResult& result = reply->results.front();
  const bool taken =
      result.status == SubmitStatus::accepted || result.status == SubmitStatus::exists;
  std::optional<JobChanged> ended;
  if (taken && arguments.has("wait")) {
    auto end = wait_for_end(session, signals, job.id);
    if (!end) return CommandOutcome::failed(end.error());
    ended = std::move(*end);
  }
  if (arguments.has("json")) {
    put("{}\n", (ended ? to_json(*ended) : answer_json(result)).dump());
  } else if (taken) {
    const bool fleet_time = session.welcome().speed != 1;
    put("{} {}\n", to_text(job.id),
        ended ? ending_text(*ended, fleet_time) : to_text(result.status));
  }
  if (!taken) {
    return CommandOutcome::failed(error("{}: {}: {}", to_text(result.status),
                                        to_text(result.reason), printable(result.detail)));
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

/// Asks about the oldest open jobs, many at a time, until all have ended or a signal comes.
Ends wait_for_ends(Session& session, StopSignals& signals, BarredNotice& barred,
                   const std::vector<JobId>& jobs) {
  Ends ends;
  std::vector<JobId> open(jobs.rbegin(), jobs.rend());  // the oldest at the back
  while (!open.empty() && !signals.stopped()) {
    const std::size_t count = std::min(open.size(), questions_max);
    for (std::size_t i = 0; i < count; ++i) {
      session.send(JobsRequest{open[open.size() - 1 - i], 1});
    }
    std::size_t ended = 0;
    const Wall end = wall_now() + std::chrono::seconds(2);
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
      session.knock();
      barred.look(session);
    }
    if (ended == 0) session.wait(poll_every);
  }
  return ends;
}

CommandOutcome report_trace(const Arguments& arguments, const TraceSource& trace, const Fed& fed,
                            const std::optional<Ends>& ends) {
  const Delivery::Counts& counts = fed.counts;
  if (arguments.has("json")) {
    Json object = Json::object()
                      .set("rows", counts.given)
                      .set("skipped_rows", trace.skipped())
                      .set("accepted", counts.accepted)
                      .set("existed", counts.existed)
                      .set("refused", counts.refused)
                      .set("unacknowledged", fed.unacknowledged)
                      .set("input_tokens", fed.input_tokens)
                      .set("output_tokens", fed.output_tokens);
    if (ends) {
      object.set("finished", ends->finished)
          .set("failed", ends->failed)
          .set("cancelled", ends->cancelled);
    }
    put("{}\n", object.dump());
  } else {
    put("{}: {} accepted, {} known already, {} refused; {} skipped\n", counted(counts.given, "row"),
        counts.accepted, counts.existed, counts.refused, counted(trace.skipped(), "bad row"));
    if (ends) {
      put("{} finished, {} failed, {} cancelled\n", ends->finished, ends->failed, ends->cancelled);
    }
  }
  if (counts.given == 0 && trace.skipped() == 0) {
    return CommandOutcome::failed(
        error("--trace {}: holds no rows", printable(arguments.text("trace"))));
  }
  if (counts.given == 0) {
    return CommandOutcome::failed(
        error("--trace {}: {}", printable(arguments.text("trace")), all_bad_text(trace.skipped())));
  }
  if (fed.unacknowledged > 0) {
    return CommandOutcome::partly(fmt::format("not acknowledged: {}{}{}",
                                              counted(fed.unacknowledged, "job"),
                                              fed.shut_out.empty() ? "" : ": ", fed.shut_out));
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
  BarredNotice barred("drover submit");
  std::uint64_t told = 0;
  const Fed fed = feed(session, trace, signals, limits, barred, [&](const SubmitResult& result) {
    if (++told > bad_rows_told_max) return;
    say(fmt::format("{} job {}: {}", to_text(result.status), to_short_text(result.job),
                    printable(result.detail)));
  });
  if (!fed.problem.empty()) {
    return CommandOutcome::failed(error("the router answers: {}", fed.problem));
  }
  std::optional<Ends> ends;
  if (arguments.has("wait")) ends = wait_for_ends(session, signals, barred, fed.jobs);
  return report_trace(arguments, trace, fed, ends);
}

}  // namespace

CommandUsage submit_usage() {
  CommandUsage usage{
      "usage: drover submit --model M [options]   or   drover submit --trace FILE [options]",
      "Submits one job, or each row of a trace at its own time (in fleet time). A job counts as\n"
      "accepted when it is on the router's disk. Submitting the same id again changes nothing:\n"
      "a trace that is submitted twice runs once, and another --seed runs it again.",
      {connect_option(),
       {"kind", "K", "serve (default), train or batch"},
       {"model", "M", "what to run, of `drover catalogue models`; of a trace: what every row runs"},
       {"input", "N", "serve, batch: prompt tokens (default 1020)"},
       {"output", "N", "serve, batch: tokens to generate (default 129)"},
       {"items", "N", "batch: number of requests (default 1)"},
       {"steps", "N", "train: optimiser steps (default 100)"},
       {"batch", "N", "train: samples per step over the gang (default 32)"},
       {"seq", "N", "train: tokens per sample (default 1, as for images)"},
       {"devices", "N", "train: devices that work together (default 1)"},
       {"precision", "P,..", "accepted precisions, best first (default: the policy's)"},
       {"framework", "F", "pytorch, jax or tensorflow (default: any)"},
       {"op", "NAME", "a special operation that it needs; may be given several times", false, true},
       {"built-with", "NAME=V", "software that it was built with, such as cuda=12.4; several times",
        false, true},
       {"loss-scaling", "", "train: its gradients are scaled, so fp16 may train it"},
       {"checkpoint", "N", "train: state is saved after so many steps (default: never)"},
       {"class", "NAME", "class of work of the policy (default: the first that matches)"},
       {"stage", "NAME", "experiment, production, .. (default: as its class says)"},
       {"data", "NAME", "data set that it reads (default: as its class says)"},
       {"tenant", "T", "who it is for (default: default)"},
       {"priority", "N", "-128 to 127, higher goes first (default: serve 10, others 0)"},
       {"deadline", "DURATION", "fleet time after which it is useless"},
       {"id", "HEX", "32 digits of your own, to submit again safely"}},
      {},
      "  drover submit --model llama-3.1-8b --input 2000 --output 300 --wait\n"
      "  drover submit --kind train --model bert-large --steps 500 --batch 128 --seq 128\n"
      "  drover submit --kind train --model llama-3.1-8b --devices 8 --batch 32 --seq 4096 "
      "--steps 20\n" +
          trace_examples("submit")};
  const auto add = [&](const std::vector<Option>& options) {
    usage.options.insert(usage.options.end(), options.begin(), options.end());
  };
  add(trace_options());
  add({{"load", "X", "multiplies the trace's arrivals (default 1)"},
       {"seed", "N", "draws the ids of a trace's jobs, with the file's name and row (default 1)"},
       {"catalogue", "DIR", "more model specs, *.toml"},
       {"wait", "",
        "until all has ended, then says how; exit 1 when the job failed or was cancelled"},
       {"json", "", "one JSON object on stdout"}});
  return usage;
}

CommandOutcome run_submit(Arguments& arguments) {
  const auto catalogue = load_catalogue(arguments.text("catalogue"));
  if (!catalogue) return CommandOutcome::failed(catalogue.error());
  const bool from_trace = arguments.has("trace");
  TraceOptions options;
  Job job;
  if (from_trace) {
    check_applies(arguments, Submission::whole_trace);
    options = read_trace_options(arguments, *catalogue);
  } else {
    job = read_job(arguments, *catalogue);
  }
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  std::unique_ptr<TraceSource> trace;
  if (from_trace) {
    auto opened = TraceSource::open(options, *catalogue, say);
    if (!opened) return CommandOutcome::failed(opened.error());
    trace = std::move(*opened);
  }
  StopSignals signals;
  auto session = Session::open({endpoint_of(arguments), Role::client, "submit"});
  if (!session) return CommandOutcome::failed(session.error());
  return from_trace ? submit_trace(arguments, **session, signals, *trace)
                    : submit_one(arguments, **session, signals, job);
}

}  // namespace drover::commands
