// `drover export`: the page of `/metrics` of a recording at one time.
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/page_server.h"
#include "commands/metrics/server_options.h"
#include "commands/record/recording_file.h"
#include "commands/shell/clock.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr Duration slice = std::chrono::minutes(1);  // read at once

struct PageExport {
  std::string file;
  std::optional<TimeArgument> at;
  PageFormat format = PageFormat::text;
  GpuLabelNames gpu_labels = gpu_label_names[0];
  std::optional<ServerOptions> listen;
};

/// The messages of a recording up to a moment, into pages.
class RecordingPages {
 public:
  RecordingPages(RecordingReader& reader, LivePages& pages) : reader_(reader), pages_(pages) {}

  Status read(Instant at) {
    DROVER_TRY(find_keyframes(at));
    for (Instant from = reader_.first(); from <= at; from += slice) {
      const Instant to = std::min(from + slice, at + Duration{1});
      DROVER_ASSIGN(auto messages, reader_.read(from, to));
      for (RecordedMessage& message : messages) {
        DROVER_TRY(add_keyframes(message.ordinal));
        if (message.ordinal <= first_) continue;  // before the first state
        while (!pages_.add(message.arrived, message.envelope)) pages_.settle();
      }
    }
    DROVER_TRY(add_keyframes(std::numeric_limits<std::uint64_t>::max()));
    pages_.settle();
    return {};
  }

 private:
  /// The first state, and those that end gaps.
  Status find_keyframes(Instant at) {
    const auto& all = reader_.keyframes();
    if (all.empty()) return {};
    auto first = all.begin();
    while (std::next(first) != all.end() && std::next(first)->at <= reader_.first()) ++first;
    first_ = first->ordinal;
    keyframes_ = {*first};
    DROVER_ASSIGN(const auto gaps, reader_.gaps());
    for (auto keyframe = std::next(first); keyframe != all.end(); ++keyframe) {
      const bool repairs = std::any_of(gaps.begin(), gaps.end(), [&](const RecordingGap& gap) {
        return keyframe->at >= gap.from && keyframe->at <= gap.end;
      });
      if (repairs && keyframe->at <= at) keyframes_.push_back(*keyframe);
    }
    return {};
  }

  /// Those before the message with this number.
  Status add_keyframes(std::uint64_t before) {
    while (next_ < keyframes_.size() && keyframes_[next_].ordinal < before) {
      DROVER_ASSIGN(auto keyframe, reader_.read(keyframes_[next_++]));
      while (!pages_.add_snapshot(keyframe.at, keyframe.messages)) pages_.settle();
    }
    return {};
  }

  RecordingReader& reader_;
  LivePages& pages_;
  std::vector<recording::SurveyedKeyframe> keyframes_;
  std::size_t next_ = 0;
  std::uint64_t first_ = 0;
};

CommandOutcome serve(const ServerOptions& options, LivePages& pages, StopSignals& signals) {
  DROVER_ASSIGN(const auto server, PageServer::open(options, pages));
  write_stdout("metrics: {}\n", server->url());
  DROVER_TRY(flush_output());
  pollfd watched{signals.descriptor(), POLLIN, 0};
  while (!signals.stopped()) (void)::poll(&watched, 1, -1);
  return CommandOutcome::done();
}

CommandOutcome run(const PageExport& options) {
  std::optional<StopSignals> signals;  // before the threads, which must not take signals
  if (options.listen) signals.emplace();
  DROVER_ASSIGN(auto recording, open_recording(options.file, RecordingSurvey::always));
  RecordingReader& reader = recording.reader;
  if (!reader.info().has_messages()) {
    return error(ErrorKind::io, "{}: has no messages", printable(options.file));
  }
  const Instant at = options.at ? options.at->in(reader.first()) : reader.last();
  if (at < reader.first() || at > reader.last()) {
    return error("--at {}: the recording covers {} to {}", to_iso8601(at),
                 to_iso8601(reader.first()), to_iso8601(reader.last()));
  }
  LivePages pages({wall_span(1, reader.info().start.speed), options.gpu_labels});
  pages.set_clock({at, wall_now(), 0});
  if (const Status read = RecordingPages(reader, pages).read(at); !read) {
    return damaged(options.file, read.error());
  }
  const std::string state = state_text(recording.input, reader.info());
  if (!state.empty()) write_stderr("drover export: {}: {}\n", printable(options.file), state);
  if (options.listen) return serve(*options.listen, pages, *signals);
  LivePages::HeldPage* const page = pages.hold(options.format, false);
  write_stdout_text(page->page.text());
  pages.release(page);
  return CommandOutcome::done();
}

}  // namespace

CommandUsage export_usage() {
  CommandUsage usage{
      "usage: drover export --replay FILE [options]",
      "Prints the page of /metrics of a recording at one time, or serves it. Counts begin with the "
      "recording.",
      {{"replay", "FILE", "the recording"},
       {"at", "TIME", "the time, from the start (30s, 5m) or in UTC (default: the end)"},
       {"openmetrics", "", "print OpenMetrics, with job ids as exemplars"}},
      {},
      "  drover export --replay today.mcap --at 5m | promtool check metrics\n"
      "  drover export --replay today.mcap --listen 127.0.0.1:9400"};
  usage.add(server_options("listen", "serve the page at HOST:PORT instead, until Ctrl-C"));
  return usage;
}

CommandOutcome run_export(Arguments& arguments) {
  PageExport options;
  options.file = arguments.text("replay");
  options.at = arguments.parsed("at", parse_time_argument, options.at);
  if (arguments.has("openmetrics")) options.format = PageFormat::openmetrics;
  options.gpu_labels = read_gpu_labels(arguments);
  options.listen = read_server_options(arguments, "listen");
  if (options.file.empty()) {
    arguments.add_problem(error("--replay is required: the recording to export"));
  }
  DROVER_TRY(arguments.status());
  return run(options);
}

}  // namespace drover::commands
