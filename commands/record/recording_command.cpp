// `drover recording ACTION FILE`: inspects and verifies a recording, and makes new files from it.
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "commands/record/recording_export.h"
#include "commands/record/recording_file.h"
#include "commands/record/recording_summary.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/recording/repair.h"

namespace drover::commands {

namespace {

struct RecordingRequest {
  std::string action;
  std::string file;
  std::string output;
  bool force = false;
  bool json = false;
  std::optional<TimeArgument> from, to;
  ExportOptions exported;
};

Error at_file(const std::string& path, const Error& problem) {
  return error(ErrorKind::io, "{}: {}", printable(path), problem.message);
}

CommandOutcome info(const RecordingRequest& request) {
  DROVER_ASSIGN(auto recording, open_recording(request.file));
  auto summary = summarize(recording);
  if (!summary) return damaged(request.file, summary.error());
  write_stdout_text(request.json ? to_json(*summary).dump() + "\n" : to_text(*summary));
  return CommandOutcome::done();
}

CommandOutcome verify(const RecordingRequest& request) {
  DROVER_ASSIGN(auto recording, open_recording(request.file));
  const auto report = verify_recording(*recording.input.file);
  if (!report) return at_file(request.file, report.error());
  const RecordingInfo& known = recording.reader.info();
  VerifyReport all = *report;
  for (const LostRange& lost : known.journal_lost) {
    all.problems.push_back(
        fmt::format("journal, byte {}: {} bytes lost: {}", lost.offset, lost.bytes, lost.why));
  }
  const std::string state = state_text(recording.input, known);
  const bool complete =
      all.problems.empty() && known.closed && known.dropped == 0 && known.start.speed_known;
  write_stdout_text(request.json
                        ? commands::to_json(all, complete, state, known.dropped).dump() + "\n"
                        : to_text(all, state, known.dropped));
  return complete ? CommandOutcome::done()
                  : CommandOutcome::partly("the recording is not complete");
}

Status refuse_itself(const RecordingRequest& request) {
  std::error_code ignored;
  for (const std::string& written : {request.output, temporary_path_of(request.output)}) {
    if (!std::filesystem::equivalent(request.file, written, ignored)) continue;
    return error("-o {}: the output would overwrite the recording itself", printable(written));
  }
  return {};
}

/// Verifies the new file before it replaces an existing one.
Status check_output(const std::string& path) {
  DROVER_ASSIGN(auto source, FileSource::open(path));
  DROVER_ASSIGN(const auto report, verify_recording(*source));
  if (report.problems.empty()) return {};
  return error(ErrorKind::io, "{}: the new file is not valid: {}", printable(path),
               report.problems.front());
}

Status no_check(const std::string&) { return {}; }

/// Writes what `make` passes to its sink to the file of -o. If anything fails, an existing file
/// stays as it was.
CommandOutcome make_file(const RecordingRequest& request,
                         const std::function<Status(const ByteSink&)>& make,
                         Status (*check)(const std::string&) = check_output,
                         Error (*explain)(const std::string& path, const Error& unread) = damaged) {
  DROVER_TRY(refuse_itself(request));
  DROVER_ASSIGN(auto output, RecordingOutput::open_temporary(request.output, request.force));
  Status written;
  Status done = make([&](std::string_view bytes) { return written = output.append(bytes); });
  if (!done && written) done = explain(request.file, done.error());
  if (done) done = check(output.path());
  if (done) done = output.close();
  if (done) return CommandOutcome::done();
  output.discard();
  return done.error();
}

/// Stores the report, or returns its error.
template <typename Report>
Status keep(Result<Report> made, Report& report) {
  if (!made) return made.error();
  report = std::move(*made);
  return {};
}

void print_report(const RecordingRequest& request, const RecoverReport& report) {
  write_stdout("{}: {} kept, {} from the journal\n", printable(request.output),
               counted(report.chunks, "chunk"), counted(report.journaled, "message"));
  for (const std::string& note : report.notes) write_stdout("note: {}\n", printable(note));
  for (const LostRange& lost : report.lost) write_stdout_text(to_text(lost));
  for (const LostRange& lost : report.journal_lost) write_stdout_text("journal, " + to_text(lost));
  if (report.journal_absent) {
    write_stdout("lost: the last messages: {} {}\n", journal_path_of(printable(request.file)),
                 report.journal_rejected ? "was ignored" : "is missing");
  }
  if (!report.speed_known) {
    write_stdout("lost: the speed of fleet time; the new file marks it as unknown\n");
  }
  if (report.missing > 0) {
    write_stdout("missing: at least {}; the new file records when\n",
                 counted(report.missing, "message"));
  }
}

CommandOutcome recover(const RecordingRequest& request) {
  DROVER_ASSIGN(auto input, open_recording_input(request.file));
  RecoverReport report;
  CommandOutcome made = make_file(
      request,
      [&](const ByteSink& sink) {
        return keep(recover_recording(*input.file, input.journal, sink), report);
      },
      check_output, at_file);
  if (made.exit != Exit::done) return made;
  print_report(request, report);
  if (report.whole() && report.speed_known) return made;
  const std::size_t parts = report.lost.size() + report.journal_lost.size() +
                            (report.journal_absent ? 1 : 0) + (report.speed_known ? 0 : 1);
  if (parts == 0) return CommandOutcome::partly("lost: " + counted(report.missing, "message"));
  return CommandOutcome::partly(fmt::format("lost: {} of the recording", counted(parts, "part")));
}

/// A file that is made from an incomplete recording is incomplete, too: exit 3.
CommandOutcome completeness_of(OpenRecording& recording) {
  const RecordingInfo& info = recording.reader.info();
  // A file that was not closed was not made from a damaged one, so missing numbers are losses.
  const bool gaps =
      !info.closed && !recording.input.file->being_written() && !recording.reader.missing().empty();
  const bool complete = info.lost.empty() && info.journal_lost.empty() && !info.journal_absent;
  if (complete && !gaps && info.start.speed_known) return CommandOutcome::done();
  return CommandOutcome::partly(fmt::format("{}: {}{}", printable(recording.input.path),
                                            gaps ? "messages are missing; " : "",
                                            state_text(recording.input, info)));
}

CommandOutcome cut(const RecordingRequest& request) {
  DROVER_ASSIGN(auto recording, open_recording(request.file));
  const Instant first = recording.reader.first();
  const Instant last = recording.reader.last();
  const Instant from = request.from ? request.from->in(first) : first;
  const Instant to = request.to ? request.to->in(first) : saturating_add(last, Duration(1));
  if (from >= to || from > last || to <= first) {
    return error("--from {} --to {}: the recording covers {} to {}", to_iso8601(from),
                 to_iso8601(to), to_iso8601(first), to_iso8601(last));
  }
  CutReport report;
  CommandOutcome made = make_file(request, [&](const ByteSink& sink) {
    const RecordingInput& input = recording.input;
    return keep(cut_recording(*input.file, input.journal, from, to, sink), report);
  });
  if (made.exit != Exit::done) return made;
  if (report.messages == 0) {
    write_stdout("{}: no message\n", printable(request.output));
    return completeness_of(recording);
  }
  write_stdout("{}: {}, {} to {} of fleet time\n", printable(request.output),
               counted(report.messages, "message"), to_iso8601(report.from), to_iso8601(report.to));
  if (report.from < from) {
    write_stdout(
        "begins {} of fleet time before --from, at the preceding keyframe: later messages "
        "depend on its state\n",
        duration_text(to_seconds(from - report.from)));
  }
  return completeness_of(recording);
}

CommandOutcome export_messages(const RecordingRequest& request) {
  DROVER_ASSIGN(auto recording, open_recording(request.file));
  const Instant first = recording.reader.first();
  ExportOptions options = request.exported;
  options.from = request.from ? request.from->in(first) : first;
  options.to =
      request.to ? request.to->in(first) : saturating_add(recording.reader.last(), Duration(1));
  if (request.output.empty()) {
    const Status done = export_recording(recording.reader, options, [](std::string_view bytes) {
      write_stdout_text(bytes);
      return output_closed() ? Status(error(ErrorKind::io, "the output is closed")) : Status();
    });
    if (done) return completeness_of(recording);
    return output_closed() ? CommandOutcome::done()
                           : CommandOutcome(damaged(request.file, done.error()));
  }
  CommandOutcome made = make_file(
      request,
      [&](const ByteSink& sink) { return export_recording(recording.reader, options, sink); },
      no_check);
  return made.exit == Exit::done ? completeness_of(recording) : made;
}

struct RecordingAction {
  const char* name;
  bool writes;  // requires -o
  CommandOutcome (*run)(const RecordingRequest& request);
};
constexpr RecordingAction actions[] = {{"info", false, info},
                                       {"verify", false, verify},
                                       {"recover", true, recover},
                                       {"cut", true, cut},
                                       {"export", false, export_messages}};

const RecordingAction* read_action(Arguments& arguments) {
  std::vector<std::string> known;
  for (const RecordingAction& action : actions) {
    if (arguments.text("ACTION") == action.name) return &action;
    known.emplace_back(action.name);
  }
  if (arguments.has("ACTION")) {
    arguments.add_problem(error("unknown action '{}'{}", excerpt(arguments.text("ACTION")),
                                suggestion(arguments.text("ACTION"), known)));
  } else {
    arguments.add_problem(error("ACTION is required: info, verify, recover, cut or export"));
  }
  return nullptr;
}

}  // namespace

CommandUsage recording_usage() {
  return {
      "usage: drover recording info|verify|recover|cut|export FILE [options]",
      "info: prints a summary of the recording.\n"
      "verify: checks every checksum, message and index; exit 0 if the recording is complete, 3 if "
      "something is missing, 1 if it cannot be read.\n"
      "recover: makes a complete file from a damaged one and its journal; exit 3 and a list of the "
      "losses if something is lost.\n"
      "cut: copies the messages between --from and --to, starting at the keyframe before --from.\n"
      "export: converts it for other programs. csv has only the samples, one row per device and "
      "tick; json-mcap is for Foxglove.\n"
      "Times are fleet time, from the start (30s, 5m) or in UTC.",
      {{"output", "FILE", "the file to write (export: default standard output)", false, false,
        nullptr, 'o'},
       {"force", "", "overwrite an existing FILE"},
       {"json", "", "info, verify: one JSON object on stdout"},
       {"from", "TIME", "cut, export: start time (default: the start)"},
       {"to", "TIME", "cut, export: end time, not included (default: the end)"},
       Option::choice("format", "F", "export: csv ndjson json-mcap (default csv)",
                      {"csv", "ndjson", "json-mcap"}),
       {"channel", "C", "export: samples jobs decisions events audit alerts; may be repeated",
        false, true}},
      {"ACTION", "FILE"},
      "  drover recording info today.mcap\n"
      "  drover recording recover broken.mcap -o whole.mcap\n"
      "  drover recording cut today.mcap --from 5m --to 6m -o minute.mcap\n"
      "  drover recording export today.mcap --format csv -o samples.csv\n"
      "  drover recording export today.mcap --format ndjson --channel decisions |\n"
      "    jq .rule"};
}

CommandOutcome run_recording(Arguments& arguments) {
  const RecordingAction* action = read_action(arguments);
  RecordingRequest request;
  request.file = arguments.text("FILE");
  request.output = arguments.text("output");
  request.force = arguments.has("force");
  request.json = arguments.has("json");
  request.from = arguments.parsed("from", parse_time_argument, request.from);
  request.to = arguments.parsed("to", parse_time_argument, request.to);
  request.exported = read_export(arguments);
  if (request.file.empty()) arguments.add_problem(error("FILE is required: the recording"));
  if (action != nullptr && action->writes && request.output.empty()) {
    arguments.add_problem(error("{}: -o FILE is required: the file to write", action->name));
  }
  const Status status = arguments.status();
  if (!status || action == nullptr) return status.error();
  return action->run(request);
}

}  // namespace drover::commands
