#include "commands/record/recording_export.h"

#include <algorithm>
#include <array>

#include "commands/record/recording_rows.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"
#include "fleet/recording/format/file.h"

namespace drover::commands {

namespace {

using recording::Bytes;
using recording::Opcode;
using recording::record;

constexpr std::size_t json_chunk_bytes = 1U << 20;

constexpr std::array exported = {RecordingChannel::samples,   RecordingChannel::jobs,
                                 RecordingChannel::decisions, RecordingChannel::events,
                                 RecordingChannel::audit,     RecordingChannel::alerts};

/// The time span that is read at once: a minute, or more for a very long recording.
Duration step_of(const ExportOptions& options) {
  constexpr int steps_max = 100'000;
  return std::max<Duration>(std::chrono::minutes(1), (options.to - options.from) / steps_max);
}

/// Visits every message of the selected channels, in order.
Status visit(RecordingReader& reader, const ExportOptions& options,
             const std::function<Status(RecordingChannel, const RecordedMessage&)>& take) {
  const bool samples = contains(options.channels, RecordingChannel::samples);
  const Duration step = step_of(options);
  for (Instant from = options.from; from < options.to; from = saturating_add(from, step)) {
    const Instant to = std::min(saturating_add(from, step), options.to);
    DROVER_ASSIGN(const auto messages,
                  samples ? reader.read(from, to) : reader.read_rows(from, to));
    for (const RecordedMessage& recorded : messages) {
      const auto channel = channel_of(recorded.envelope.body);
      if (!channel || !contains(options.channels, *channel)) continue;
      DROVER_TRY(take(*channel, recorded));
    }
  }
  return {};
}

Status export_csv(RecordingReader& reader, const ExportOptions& options, const ByteSink& sink) {
  DROVER_TRY(sink(csv_header()));
  return visit(reader, options, [&](RecordingChannel, const RecordedMessage& recorded) {
    return sink(csv_lines(recorded, std::get<SampleBatch>(recorded.envelope.body)));
  });
}

Status export_ndjson(RecordingReader& reader, const ExportOptions& options, const ByteSink& sink) {
  const bool several = options.channels.size() > 1;
  return visit(reader, options, [&](RecordingChannel channel, const RecordedMessage& recorded) {
    std::string lines;
    rows_of(recorded, [&](const Json& row) {
      if (several) {
        Json named = Json::object().set("channel", to_text(channel));
        for (const std::string& key : row.keys()) named.set(key, row[key]);
        lines += named.dump() + "\n";
      } else {
        lines += row.dump() + "\n";
      }
    });
    return sink(lines);
  });
}

/// Writes an MCAP file of JSON messages (https://mcap.dev/spec) for other programs: uncompressed
/// chunks with an index, so that Foxglove can seek in it.
class JsonMcap {
 public:
  /// Writes one channel, with its schema, for each of `channels`.
  explicit JsonMcap(std::vector<RecordingChannel> channels) : channels_(std::move(channels)) {}

  /// Each of these returns the bytes to append to the file.
  std::string begin();
  std::string add(RecordingChannel channel, Instant arrived, Instant published,
                  std::string_view json);
  std::string end();

 private:
  std::string close_chunk();

  std::vector<RecordingChannel> channels_;
  recording::FileBuilder file_;
  recording::ChunkBuilder chunk_;  // the open one
  std::uint64_t count_ = 0;
};

std::string JsonMcap::begin() {
  recording::FileForm form{"", software_name, {}, {}};
  for (const RecordingChannel channel : channels_) {
    const auto number = static_cast<std::uint16_t>(channel);
    const std::string name(to_text(channel));
    Bytes schema;
    schema.u16(number).text("drover." + name).text("jsonschema").text(schema_of(channel).dump());
    form.schemas.push_back(record(Opcode::schema, schema.view()));
    Bytes described;
    described.u16(number).u16(number).text(name).text("json").u32(0);
    form.channels.push_back(record(Opcode::channel, described.view()));
  }
  return file_.begin(std::move(form));
}

std::string JsonMcap::add(RecordingChannel channel, Instant arrived, Instant published,
                          std::string_view json) {
  chunk_.add(channel, ++count_, arrived, published, json);
  return chunk_.size() < json_chunk_bytes ? std::string() : close_chunk();
}

std::string JsonMcap::close_chunk() {
  if (chunk_.empty()) return {};
  std::string bytes = file_.chunk(chunk_, 0);
  chunk_.clear();
  return bytes;
}

std::string JsonMcap::end() {
  std::string bytes = close_chunk();
  return bytes + file_.end();
}

Status export_mcap(RecordingReader& reader, const ExportOptions& options, const ByteSink& sink) {
  JsonMcap file(options.channels);
  DROVER_TRY(sink(file.begin()));
  const Status done =
      visit(reader, options, [&](RecordingChannel channel, const RecordedMessage& recorded) {
        std::string bytes;
        rows_of(recorded, [&](const Json& row) {
          bytes += file.add(channel, recorded.arrived, recorded.envelope.at, row.dump());
        });
        return sink(bytes);
      });
  return done ? sink(file.end()) : done;
}

}  // namespace

ExportOptions read_export(Arguments& arguments) {
  ExportOptions options;
  const std::string format = arguments.one_of("format", {"csv", "ndjson", "json-mcap"}, "csv");
  options.format = format == "csv"      ? ExportFormat::csv
                   : format == "ndjson" ? ExportFormat::ndjson
                                        : ExportFormat::json_mcap;
  std::vector<std::string> known;
  for (const RecordingChannel channel : exported) known.emplace_back(to_text(channel));
  for (const std::string& name : arguments.text_list("channel")) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      arguments.add_problem(
          error("--channel: unknown '{}'{}", excerpt(name), suggestion(name, known)));
      continue;
    }
    options.channels.push_back(exported.at(static_cast<std::size_t>(found - known.begin())));
  }
  if (options.channels.empty()) {
    options.channels = {RecordingChannel::samples};
    if (options.format == ExportFormat::json_mcap) {
      options.channels.assign(exported.begin(), exported.end());
    }
  }
  const bool only_samples = options.channels == std::vector{RecordingChannel::samples};
  if (options.format == ExportFormat::csv && !only_samples) {
    arguments.add_problem(
        error("--format csv exports only the samples channel; for others use --format ndjson"));
  }
  return options;
}

Status export_recording(RecordingReader& reader, const ExportOptions& options,
                        const ByteSink& sink) {
  switch (options.format) {
    case ExportFormat::csv:
      return export_csv(reader, options, sink);
    case ExportFormat::ndjson:
      return export_ndjson(reader, options, sink);
    case ExportFormat::json_mcap:
      return export_mcap(reader, options, sink);
  }
  return {};
}

}  // namespace drover::commands
