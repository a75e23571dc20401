// `drover feed`, hidden: the demo's source of work. Its last line on stdout is a JSON summary.
#include <memory>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "commands/shell/lifeline.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/submit/feeding.h"
#include "commands/submit/synthetic_work.h"
#include "commands/submit/trace_source.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {

CommandUsage feed_usage() {
  CommandUsage usage{
      "usage: drover feed [options]",
      "Feeds a trace, or without one a synthetic workload, until SIGTERM; then prints a summary\n"
      "as JSON.",
      {connect_option(),
       {"model", "M", "what every row of the trace runs, where it names none"},
       {"load", "X", "multiplies the arrivals (default 1)"},
       {"seed", "N", "draws the work and the ids of jobs (default 1)"},
       {"for", "DURATION", "wall time after which feeding stops"},
       lifeline_option()},
      {},
      "  drover feed --load 2 --for 30s\n"
      "  drover feed --trace azure2023_code.csv --format azure --model llama-3.1-70b"};
  const std::vector<Option> of_traces = trace_options();
  usage.options.insert(usage.options.end(), of_traces.begin(), of_traces.end());
  return usage;
}

CommandOutcome run_feed(Arguments& arguments) {
  if (const Status held = hold_lifeline(arguments); !held)
    return CommandOutcome::usage(held.error());
  const auto say = [](const std::string& line) { put_error("drover feed: {}\n", line); };
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  const TraceOptions options = read_trace_options(arguments, catalogue);
  FeedingLimits limits;
  limits.stop_after = arguments.duration("for", Wall::max());
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());

  std::unique_ptr<WorkSource> source;
  TraceSource* trace = nullptr;
  if (options.file.empty()) {
    source = std::make_unique<SyntheticWork>(options.seed, options.load);
  } else {
    auto opened = TraceSource::open(options, catalogue, say);
    if (!opened) return CommandOutcome::failed(opened.error());
    trace = opened->get();
    source = std::move(*opened);
  }
  StopSignals signals;
  auto session = Session::open({endpoint_of(arguments), Role::client, "feeder"});
  if (!session) return CommandOutcome::failed(session.error());
  std::uint64_t told = 0;
  BarredNotice barred("drover feed");
  const Fed fed =
      feed(**session, *source, signals, limits, barred, [&](const SubmitResult& result) {
        if (++told > bad_rows_told_max) return;
        say(fmt::format("refused job {}: {}", to_short_text(result.job), printable(result.detail)));
      });
  if (!fed.problem.empty()) {
    return CommandOutcome::failed(error("the router answers: {}", fed.problem));
  }
  put("{}\n", Json::object()
                  .set("rows", fed.counts.given)
                  .set("skipped_rows", trace != nullptr ? trace->skipped() : 0)
                  .set("accepted", fed.counts.accepted + fed.counts.existed)
                  .set("refused", fed.counts.refused)
                  .set("unacknowledged", fed.unacknowledged)
                  .set("sent_again", fed.counts.sent_again)
                  .set("input_tokens", fed.input_tokens)
                  .set("output_tokens", fed.output_tokens)
                  .dump());
  if (trace != nullptr && fed.counts.given == 0 && trace->skipped() > 0) {
    return CommandOutcome::failed(
        error("{}: {}", printable(options.file), all_bad_text(trace->skipped())));
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
