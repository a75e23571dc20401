// Topics, and the texts for connections: the parts of fleet/socket/socket.h without sockets.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/socket/socket.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, 4> topics{"state", "samples", "decisions", "events"};

}  // namespace

std::string_view to_text(Topic topic) { return row_at(topics, topic); }

bool is_topic(std::string_view text) {
  return std::find(topics.begin(), topics.end(), text) != topics.end();
}

Topic topic_of(const Message& message) {
  if (std::holds_alternative<SampleBatch>(message)) return Topic::samples;
  if (std::holds_alternative<Decision>(message)) return Topic::decisions;
  if (std::holds_alternative<Event>(message) || std::holds_alternative<Audit>(message) ||
      std::holds_alternative<Alert>(message) || std::holds_alternative<Caption>(message)) {
    return Topic::events;
  }
  return Topic::state;
}

std::string sender_text(const Peer& from, std::string_view address, std::string_view key) {
  std::string text = !key.empty()                       ? fmt::format("key {}", printable(key))
                     : from.channel == Channel::control ? fmt::format("connection {}", from.number)
                     : from.channel == Channel::samples ? std::string("samples")
                                                        : std::string("a subscriber");
  if (!address.empty()) text += fmt::format(" from {}", printable(address));
  return text;
}

Peer publish_under(Topic topic) {
  return Peer{Channel::publish, static_cast<std::uint64_t>(topic)};
}

}  // namespace drover
