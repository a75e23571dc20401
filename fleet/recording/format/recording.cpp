#include "fleet/recording/format/recording.h"

#include <algorithm>
#include <array>

namespace drover {
namespace {

constexpr std::array<std::string_view, recording_channel_count> channel_names = {
    "samples", "state",     "jobs",      "decisions",  "events", "audit",
    "alerts",  "bookmarks", "keyframes", "dictionary", "drops"};

struct ChannelOf {
  using Found = std::optional<RecordingChannel>;
  Found operator()(const SampleBatch&) const { return RecordingChannel::samples; }
  Found operator()(const HostChanged&) const { return RecordingChannel::state; }
  Found operator()(const HostForgotten&) const { return RecordingChannel::state; }
  Found operator()(const ReplicaChanged&) const { return RecordingChannel::state; }
  Found operator()(const DeviceChanged&) const { return RecordingChannel::state; }
  Found operator()(const PolicyChanged&) const { return RecordingChannel::state; }
  Found operator()(const Summary&) const { return RecordingChannel::state; }
  Found operator()(const JobChanged&) const { return RecordingChannel::jobs; }
  Found operator()(const Decision&) const { return RecordingChannel::decisions; }
  Found operator()(const Event&) const { return RecordingChannel::events; }
  Found operator()(const Caption&) const { return RecordingChannel::events; }
  Found operator()(const Audit&) const { return RecordingChannel::audit; }
  Found operator()(const Alert&) const { return RecordingChannel::alerts; }
  template <typename Other>
  Found operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::string_view to_text(RecordingChannel channel) {
  const auto number = static_cast<std::size_t>(channel);
  return number >= 1 && number <= channel_names.size() ? channel_names[number - 1] : "unknown";
}

std::optional<RecordingChannel> channel_of(const Message& message) {
  return std::visit(ChannelOf{}, message);
}

Status TextSource::read(std::uint64_t offset, std::span<char> out) {
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset) {
    return error("byte {}: found the end, expected {} bytes", offset, out.size());
  }
  std::copy_n(bytes_.data() + offset, out.size(), out.data());
  return {};
}

}  // namespace drover
