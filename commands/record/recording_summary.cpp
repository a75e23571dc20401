#include "commands/record/recording_summary.h"

#include <utility>

#include <fmt/format.h>

#include "commands/shell/json_null.h"
#include "commands/shell/table.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/codec/codec.h"

namespace drover::commands {

namespace {

double bytes_per_value(const RecordingInfo& info) {
  return static_cast<double>(info.sample_bytes) / static_cast<double>(info.sample_values);
}

Json to_json(const LostRange& lost) {
  const auto time = [](const std::optional<Instant>& at) {
    return at ? Json(to_iso8601(*at)) : Json();
  };
  return Json::object()
      .set("offset", lost.offset)
      .set("bytes", lost.bytes)
      .set("from", time(lost.from))
      .set("to", time(lost.to))
      .set("why", lost.why);
}

Json to_json(const DroppedMessages& drop) {
  return Json::object()
      .set("from", to_iso8601(drop.since))
      .set("to", to_iso8601(drop.until))
      .set("count", drop.count);
}

void count_devices(const Keyframe& keyframe, RecordingSummary& summary) {
  for (const std::string& bytes : keyframe.messages) {
    const auto envelope = decode(bytes);
    const auto* host = envelope ? std::get_if<HostChanged>(&envelope->body) : nullptr;
    if (host == nullptr) continue;
    ++summary.hosts;
    for (const Group& group : host->registration.groups) summary.devices += group.count;
  }
}

std::uint64_t bytes_of(const RecordingSummary& summary, RecordingChannel channel) {
  const auto found = summary.channel_bytes.find(channel);
  return found == summary.channel_bytes.end() ? 0 : found->second;
}

}  // namespace

Result<RecordingSummary> summarize(OpenRecording& recording) {
  RecordingSummary summary;
  RecordingReader& reader = recording.reader;
  summary.path = recording.input.path;
  summary.info = reader.info();
  summary.state = state_text(recording.input, summary.info);
  summary.first = reader.first();
  summary.last = reader.last();
  // The last one, which may be later than the last message.
  DROVER_ASSIGN(const auto keyframe, reader.keyframe_before(never));
  if (keyframe) count_devices(*keyframe, summary);
  DROVER_ASSIGN(summary.drops, reader.drops());
  summary.channel_bytes = reader.channel_bytes();
  return summary;
}

Json to_json(const RecordingSummary& summary) {
  const RecordingInfo& info = summary.info;
  Json channels = Json::array();
  for (const ChannelFacts& channel : info.channels) {
    channels.add(Json::object()
                     .set("channel", to_text(channel.channel))
                     .set("messages", channel.messages)
                     .set("bytes", bytes_of(summary, channel.channel)));
  }
  Json drops = Json::array();
  for (const DroppedMessages& drop : summary.drops) drops.add(to_json(drop));
  Json lost = Json::array();
  for (const LostRange& range : info.lost) lost.add(to_json(range));
  return Json::object()
      .set("file", summary.path)
      .set("state", text_or_null(summary.state))
      .set("closed", info.closed)
      .set("software", text_or_null(info.start.software))
      .set("speed", when(info.start.speed_known, info.start.speed))
      .set("start", info.has_messages() ? Json(to_iso8601(summary.first)) : Json())
      .set("end", info.has_messages() ? Json(to_iso8601(summary.last)) : Json())
      .set("span_s", to_seconds(summary.last - summary.first))
      .set("file_bytes", info.file_bytes)
      .set("hosts", summary.hosts)
      .set("devices", summary.devices)
      .set("chunks", info.chunks)
      .set("keyframes", info.keyframes)
      .set("sample_batches", info.sample_batches)
      .set("sample_values", info.sample_values)
      .set("bytes_per_value", when(info.sample_values > 0, bytes_per_value(info)))
      .set("journaled", info.journaled)
      .set("dropped", info.dropped)
      .set("channels", std::move(channels))
      .set("drops", std::move(drops))
      .set("lost", std::move(lost))
      .set("notes", Json::array_of(info.notes));
}

std::string to_text(const LostRange& lost) {
  const auto time = [](const std::optional<Instant>& at, const char* otherwise) {
    return at ? to_iso8601(*at) : std::string(otherwise);
  };
  return fmt::format("lost: {} bytes at {}, from {} to {}: {}\n", lost.bytes, lost.offset,
                     time(lost.from, "the start"), time(lost.to, "the end"), printable(lost.why));
}

namespace {

std::string time_line(const RecordingSummary& summary) {
  if (!summary.info.has_messages()) {
    return fmt::format("time         no message; started at {}\n", to_iso8601(summary.first));
  }
  return fmt::format("time         {} to {} ({})\n", to_iso8601(summary.first),
                     to_iso8601(summary.last),
                     duration_text(to_seconds(summary.last - summary.first)));
}

}  // namespace

std::string to_text(const RecordingSummary& summary) {
  const RecordingInfo& info = summary.info;
  const auto size = [](std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  std::string text = fmt::format(
      "{}: {}, by {}, at {}\n", printable(summary.path), size(info.file_bytes),
      printable(info.start.software),
      info.start.speed_known ? fmt::format("speed {:g}", info.start.speed) : "unknown speed");
  if (!summary.state.empty()) text += fmt::format("state        {}\n", summary.state);
  text += time_line(summary);
  text += fmt::format("fleet        {}, {}\n", counted(summary.hosts, "host"),
                      counted(summary.devices, "device"));
  text += fmt::format("samples      {}, {}", counted(info.sample_batches, "batch", "batches"),
                      counted(info.sample_values, "value"));
  if (info.sample_values > 0) text += fmt::format(", {:.3f} bytes each", bytes_per_value(info));
  text += fmt::format("\nkeyframes    {}, in {}\n", info.keyframes, counted(info.chunks, "chunk"));
  text += fmt::format("dropped      {} never reached the file\n", counted(info.dropped, "message"));
  for (const DroppedMessages& drop : summary.drops) {
    text += fmt::format("             {} from {} to {}\n", drop.count, to_iso8601(drop.since),
                        to_iso8601(drop.until));
  }
  for (const LostRange& range : info.lost) text += to_text(range);
  for (const std::string& note : info.notes) text += fmt::format("note: {}\n", printable(note));
  std::vector<std::vector<std::string>> rows;
  for (const ChannelFacts& channel : info.channels) {
    rows.push_back({std::string(to_text(channel.channel)), std::to_string(channel.messages),
                    size(bytes_of(summary, channel.channel))});
  }
  return text + "\n" +
         table_text({"CHANNEL", right_aligned("MESSAGES"), right_aligned("SIZE")}, rows);
}

Json to_json(const VerifyReport& report, bool complete, const std::string& state,
             std::uint64_t dropped) {
  return Json::object()
      .set("complete", complete)
      .set("state", text_or_null(state))
      .set("chunks", report.chunks)
      .set("messages", report.messages)
      .set("sample_values", report.sample_values)
      .set("out_of_order", report.out_of_order)
      .set("dropped", dropped)
      .set("problems", Json::array_of(report.problems));
}

std::string to_text(const VerifyReport& report, const std::string& state, std::uint64_t dropped) {
  std::string text =
      fmt::format("checked {}, {}, {}\n", counted(report.chunks, "chunk"),
                  counted(report.messages, "message"), counted(report.sample_values, "value"));
  if (!state.empty()) text += state + "\n";
  if (dropped > 0)
    text += fmt::format("dropped: {} never reached the file\n", counted(dropped, "message"));
  for (const std::string& problem : report.problems) {
    text += fmt::format("problem: {}\n", printable(problem));
  }
  return text;
}

}  // namespace drover::commands
