#include "fleet/recording/format/recording.h"

#include <algorithm>
#include <array>

namespace drover {
namespace {

constexpr std::array<std::string_view, recording_channel_count> channel_names = {
    "samples", "state",     "jobs",      "decisions",  "events", "audit",
    "alerts",  "bookmarks", "keyframes", "dictionary", "drops"};

}  // namespace

std::string_view to_text(RecordingChannel channel) {
  const auto number = static_cast<std::size_t>(channel);
  return number >= 1 && number <= channel_names.size() ? channel_names[number - 1] : "unknown";
}

std::optional<RecordingChannel> channel_of(const Message& message) {
  switch (facts(message).publication) {
    case Publication::none:
    case Publication::bundles:  // what is in them is recorded
      return std::nullopt;
    case Publication::samples:
      return RecordingChannel::samples;
    case Publication::state:
      return RecordingChannel::state;
    case Publication::jobs:
      return RecordingChannel::jobs;
    case Publication::decisions:
      return RecordingChannel::decisions;
    case Publication::events:
      return RecordingChannel::events;
    case Publication::audit:
      return RecordingChannel::audit;
    case Publication::alerts:
      return RecordingChannel::alerts;
  }
  return std::nullopt;
}

Status TextSource::read(std::uint64_t offset, std::span<char> out) {
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset) {
    return error("byte {}: found the end, expected {} bytes", offset, out.size());
  }
  std::copy_n(bytes_.data() + offset, out.size(), out.data());
  return {};
}

}  // namespace drover
