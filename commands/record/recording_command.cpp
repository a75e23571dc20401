// `drover recording ACTION FILE`: what stands in a recording, whether it is whole, and new files
// made of it.
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "commands/record/recording_export.h"
#include "commands/record/recording_facts.h"
#include "commands/record/recording_file.h"
#include "commands/shell/given_time.h"
#include "commands/shell/output.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/recording/recording_repair.h"

namespace drover::commands {

namespace {

struct Order {
  std::string action;
  std::string file;
  std::string output;
  bool force = false;
  bool json = false;
  std::optional<GivenTime> from, to;
  ExportOptions exported;
};

Error at_file(const std::string& path, const Error& problem) {
  return error("{}: {}", printable(path), problem.message);
}

CommandOutcome info(const Order& order) {
  auto recording = open_recording(order.file);
  if (!recording) return CommandOutcome::failed(recording.error());
  auto facts = facts_of(*recording);
  if (!facts) return CommandOutcome::failed(damaged(order.file, facts.error()));
  put_text(order.json ? to_json(*facts).dump() + "\n" : to_text(*facts));
  return CommandOutcome::done();
}

CommandOutcome verify(const Order& order) {
  auto recording = open_recording(order.file);
  if (!recording) return CommandOutcome::failed(recording.error());
  const auto report = verify_recording(*recording->input.file);
  if (!report) return CommandOutcome::failed(at_file(order.file, report.error()));
  const RecordingInfo& known = recording->reader.info();
  VerifyReport all = *report;
  for (const LostRange& lost : known.journal_lost) {
    all.problems.push_back(
        fmt::format("journal, byte {}: {} bytes lost: {}", lost.offset, lost.bytes, lost.why));
  }
  const std::string state = state_text(recording->input, known);
  const bool whole =
      all.problems.empty() && known.closed && known.dropped == 0 && known.start.speed_known;
  if (order.json) {
    put("{}\n", to_json(all, whole, state, known.dropped).dump());
  } else {
    put_text(to_text(all, state, known.dropped));
  }
  return whole ? CommandOutcome::done() : CommandOutcome::partly("the recording is not whole");
}

Status refuse_itself(const Order& order) {
  std::error_code ignored;
  for (const std::string& written : {order.output, aside_path_of(order.output)}) {
    if (!std::filesystem::equivalent(order.file, written, ignored)) continue;
    return error("-o {}: is the recording itself", printable(written));
  }
  return {};
}

/// What is made must be right before anyone relies on it.
Status check_output(const std::string& path) {
  auto source = FileSource::open(path);
  if (!source) return source.error();
  const auto report = verify_recording(**source);
  if (!report) return report.error();
  if (report->problems.empty()) return {};
  return error("{}: was written, and is not whole: {}", printable(path), report->problems.front());
}

Status nothing_to_check(const std::string&) { return {}; }

/// What `make` gives to its sink becomes the file at -o. Until then, and when anything fails, what
/// stood there stays.
CommandOutcome make_file(const Order& order, const std::function<Status(const ByteSink&)>& make,
                         Status (*check)(const std::string&) = check_output,
                         Error (*explain)(const std::string& path, const Error& unread) = damaged) {
  if (const Status fine = refuse_itself(order); !fine) return CommandOutcome::usage(fine.error());
  auto output = RecordingOutput::open_aside(order.output, order.force);
  if (!output) return CommandOutcome::failed(output.error());
  Status written;
  Status done = make([&](std::string_view bytes) { return written = output->append(bytes); });
  if (!done && written) done = explain(order.file, done.error());
  if (done) done = check(output->path());
  if (done) done = output->close();
  if (done) return CommandOutcome::done();
  output->discard();
  return CommandOutcome::failed(done.error());
}

/// Keeps the report; its error is the status.
template <typename Report>
Status keep(Result<Report> made, Report& report) {
  if (!made) return made.error();
  report = std::move(*made);
  return {};
}

/// What `recover` has to say besides.
void tell(const Order& order, const RecoverReport& report) {
  put("{}: {} kept, {} from the journal\n", printable(order.output),
      counted(report.chunks, "chunk"), counted(report.journaled, "message"));
  for (const std::string& note : report.notes) put("note: {}\n", printable(note));
  for (const LostRange& lost : report.lost) put_text(to_text(lost));
  for (const LostRange& lost : report.journal_lost) put_text("journal, " + to_text(lost));
  if (report.journal_absent) {
    put("lost: what came last: {} {}\n", journal_path_of(printable(order.file)),
        report.journal_aside ? "was left aside" : "is gone");
  }
  if (!report.speed_known) {
    put("lost: the speed of fleet time: the new file says that it is not known\n");
  }
  if (report.missing > 0) {
    put("missing: at least {}; the new file says when\n", counted(report.missing, "message"));
  }
}

CommandOutcome recover(const Order& order) {
  auto input = open_recording_input(order.file);
  if (!input) return CommandOutcome::failed(input.error());
  RecoverReport report;
  CommandOutcome made = make_file(
      order,
      [&](const ByteSink& sink) {
        const std::optional<std::string_view> journal = input->journal;
        return keep(recover_recording(*input->file, journal, sink), report);
      },
      check_output, at_file);
  if (made.exit != Exit::done) return made;
  tell(order, report);
  if (report.whole() && report.speed_known) return made;
  const std::size_t parts = report.lost.size() + report.journal_lost.size() +
                            (report.journal_absent ? 1 : 0) + (report.speed_known ? 0 : 1);
  if (parts == 0) return CommandOutcome::partly("lost: " + counted(report.missing, "message"));
  return CommandOutcome::partly(fmt::format("lost: {} of the recording", counted(parts, "part")));
}

/// What is made of a recording that is not whole is not, either.
CommandOutcome as_whole_as(OpenRecording& recording) {
  const RecordingInfo& info = recording.reader.info();
  // A file that was not closed was not made of a damaged one: it has all places, or has lost some.
  const bool gaps =
      !info.closed && !recording.input.file->being_written() && !recording.reader.missing().empty();
  const bool whole = info.lost.empty() && info.journal_lost.empty() && !info.journal_absent;
  if (whole && !gaps && info.start.speed_known) return CommandOutcome::done();
  return CommandOutcome::partly(fmt::format("{}: {}{}", printable(recording.input.path),
                                            gaps ? "messages are missing; " : "",
                                            state_text(recording.input, info)));
}

CommandOutcome cut(const Order& order) {
  auto recording = open_recording(order.file);
  if (!recording) return CommandOutcome::failed(recording.error());
  const Instant first = recording->reader.first();
  const Instant last = recording->reader.last();
  const Instant from = order.from ? order.from->in(first) : first;
  const Instant to = order.to ? order.to->in(first) : saturating_add(last, Duration(1));
  if (from >= to || from > last || to <= first) {
    return CommandOutcome::usage(error("--from {} --to {}: the recording is of {} to {}",
                                       to_iso8601(from), to_iso8601(to), to_iso8601(first),
                                       to_iso8601(last)));
  }
  CutReport report;
  CommandOutcome made = make_file(order, [&](const ByteSink& sink) {
    const RecordingInput& input = recording->input;
    const std::optional<std::string_view> journal = input.journal;
    return keep(cut_recording(*input.file, journal, from, to, sink), report);
  });
  if (made.exit != Exit::done) return made;
  if (report.messages == 0) {
    put("{}: no message\n", printable(order.output));
    return as_whole_as(*recording);
  }
  put("{}: {}, {} to {} of fleet time\n", printable(order.output),
      counted(report.messages, "message"), to_iso8601(report.from), to_iso8601(report.to));
  if (report.from < from) {
    put("begins {} of fleet time before --from, at the last keyframe before it: without the state "
        "there nobody could read what follows\n",
        duration_text(to_seconds(from - report.from)));
  }
  return as_whole_as(*recording);
}

CommandOutcome export_messages(const Order& order) {
  auto recording = open_recording(order.file);
  if (!recording) return CommandOutcome::failed(recording.error());
  const Instant first = recording->reader.first();
  ExportOptions options = order.exported;
  options.from = order.from ? order.from->in(first) : first;
  options.to =
      order.to ? order.to->in(first) : saturating_add(recording->reader.last(), Duration(1));
  if (order.output.empty()) {
    const Status done = export_recording(recording->reader, options, [](std::string_view bytes) {
      put_text(bytes);
      return output_closed() ? Status(error("the reader of the output has left")) : Status();
    });
    if (done) return as_whole_as(*recording);
    return output_closed() ? CommandOutcome::done()
                           : CommandOutcome::failed(damaged(order.file, done.error()));
  }
  CommandOutcome made = make_file(
      order,
      [&](const ByteSink& sink) { return export_recording(recording->reader, options, sink); },
      nothing_to_check);
  return made.exit == Exit::done ? as_whole_as(*recording) : made;
}

struct Action {
  const char* name;
  bool writes;  // wants -o
  CommandOutcome (*run)(const Order& order);
};
constexpr Action actions[] = {{"info", false, info},
                              {"verify", false, verify},
                              {"recover", true, recover},
                              {"cut", true, cut},
                              {"export", false, export_messages}};

std::optional<GivenTime> read_time(Arguments& arguments, const char* name) {
  if (!arguments.has(name)) return {};
  const auto time = parse_given_time(arguments.text(name), fmt::format("--{}", name));
  if (time) return *time;
  arguments.complain(time.error());
  return {};
}

const Action* read_action(Arguments& arguments) {
  std::vector<std::string> known;
  for (const Action& action : actions) {
    if (arguments.text("ACTION") == action.name) return &action;
    known.emplace_back(action.name);
  }
  if (arguments.has("ACTION")) {
    arguments.complain(error("unknown action '{}'{}", excerpt(arguments.text("ACTION")),
                             suggestion(arguments.text("ACTION"), known)));
  } else {
    arguments.complain(error("say what to do: info, verify, recover, cut or export"));
  }
  return nullptr;
}

}  // namespace

CommandUsage recording_usage() {
  return {
      "usage: drover recording info|verify|recover|cut|export FILE [options]",
      "info: what stands in it. verify: every checksum, message and index; exit 0 when it is\n"
      "whole, 3 when something is missing, 1 when it cannot be read. recover: a whole file of "
      "what\n"
      "is left of one (and of its journal); exit 3 when something is lost, which it says. cut: "
      "the\n"
      "time from --from to --to. export: for other programs; csv is of the samples, one row per\n"
      "device and tick; json-mcap is for Foxglove. Times are fleet time, from the\n"
      "start (30s, 5m) or in UTC. A cut begins at the last keyframe before --from, and says so.",
      {{"output", "FILE", "where to; export: without it to the standard output", false, false,
        nullptr, 'o'},
       {"force", "", "write over a FILE that is there"},
       {"json", "", "info, verify: one JSON object"},
       {"from", "TIME", "cut, export: from here (default: the start)"},
       {"to", "TIME", "cut, export: up to here (default: the end)"},
       {"format", "F", "export: csv ndjson json-mcap (default csv)"},
       {"channel", "C", "export: samples jobs decisions events audit alerts; may be repeated",
        false, true}},
      {"ACTION", "FILE"},
      "  drover recording info today.mcap\n"
      "  drover recording recover broken.mcap -o whole.mcap\n"
      "  drover recording cut today.mcap --from 5m --to 6m -o minute.mcap\n"
      "  drover recording export today.mcap --format csv -o samples.csv\n"
      "  drover recording export today.mcap --format ndjson --channel decisions | jq .rule"};
}

CommandOutcome run_recording(Arguments& arguments) {
  const Action* action = read_action(arguments);
  Order order;
  order.file = arguments.text("FILE");
  order.output = arguments.text("output");
  order.force = arguments.has("force");
  order.json = arguments.has("json");
  order.from = read_time(arguments, "from");
  order.to = read_time(arguments, "to");
  order.exported = read_export(arguments);
  if (order.file.empty()) arguments.complain(error("name the recording"));
  if (action != nullptr && action->writes && order.output.empty()) {
    arguments.complain(error("{}: name the file to write: -o FILE", action->name));
  }
  const Status status = arguments.status();
  if (!status || action == nullptr) return CommandOutcome::usage(status.error());
  return action->run(order);
}

}  // namespace drover::commands
