// `drover feed` (hidden): submits the demo's work. Its last line on stdout is a JSON summary.
#include <memory>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "commands/shell/output.h"
#include "commands/shell/parent_watchdog.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "commands/submit/job_feeder.h"
#include "commands/submit/synthetic_work.h"
#include "commands/submit/trace_source.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {

CommandUsage feed_usage() {
  CommandUsage usage{
      "usage: drover feed [options]",
      "Submits a trace, or without one a synthetic workload, until SIGTERM; then prints a summary "
      "as JSON.",
      {connect_option(),
       {"model", "M", "the model of every row; required if the trace names none"},
       {"load", "X", "multiplies the arrival rate (default 1)"},
       {"seed", "N", "seed of the work and the ids of jobs (default 1)"},
       {"for", "DURATION", "stop submitting after this time (wall time)"},
       parent_pipe_option()},
      {},
      "  drover feed --load 2 --for 30s\n"
      "  drover feed --trace azure2023_code.csv --format azure --model llama-3.1-70b"};
  usage.add(trace_options());
  return usage;
}

CommandOutcome run_feed(Arguments& arguments) {
  const auto report = [](const std::string& line) { write_stderr("drover feed: {}\n", line); };
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  const TraceOptions options = read_trace_options(arguments, catalogue);
  FeedingLimits limits;
  limits.stop_after = arguments.duration("for", WallSpan::max());
  DROVER_TRY(arguments.status());

  std::unique_ptr<WorkSource> source;
  TraceSource* trace = nullptr;
  if (options.file.empty()) {
    source = std::make_unique<SyntheticWork>(options.seed, options.load);
  } else {
    DROVER_ASSIGN(auto opened, TraceSource::open(options, catalogue, report));
    trace = opened.get();
    source = std::move(opened);
  }
  StopSignals signals;
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "feeder"}));
  ConnectRefusalNotice connect_refusal("drover feed");
  DROVER_ASSIGN(
      const auto fed,
      feed(*session, *source, signals, limits, connect_refusal, [&](const SubmitResult& result) {
        report(
            fmt::format("refused job {}: {}", to_short_text(result.job), printable(result.detail)));
      }));
  write_stdout("{}\n", Json::object()
                           .set("rows", fed.counts.given)
                           .set("skipped_rows", trace != nullptr ? trace->skipped() : 0)
                           .set("accepted", fed.counts.accepted + fed.counts.existed)
                           .set("refused", fed.counts.refused)
                           .set("unacknowledged", fed.unacknowledged)
                           .set("resent", fed.counts.sent_again)
                           .set("input_tokens", fed.input_tokens)
                           .set("output_tokens", fed.output_tokens)
                           .dump());
  if (trace != nullptr && fed.counts.given == 0 && trace->skipped() > 0) {
    return error("{}: {}", printable(options.file), all_bad_text(trace->skipped()));
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
