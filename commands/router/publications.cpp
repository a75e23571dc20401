#include "commands/router/publications.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fleet/codec/codec.h"

namespace drover::commands {

bool Publications::ever_watched() const {
  const auto watched = {Topic::state, Topic::decisions, Topic::events, Topic::bundles};
  return std::any_of(watched.begin(), watched.end(),
                     [&](Topic topic) { return sockets_.ever_subscribed(topic); });
}

void Publications::publish(const Envelope& envelope) {
  const Topic topic = topic_of(envelope.body);
  if (!sockets_.ever_subscribed(topic) && !sockets_.ever_subscribed(Topic::bundles)) return;
  publish(topic, encode(envelope));
}

void Publications::publish_samples(std::string_view encoded) {
  publish(Topic::samples, std::string(encoded));
}

void Publications::publish(Topic topic, std::string encoded) {
  if (sockets_.ever_subscribed(topic)) sockets_.send(publish_under(topic), encoded);
  if (sockets_.ever_subscribed(Topic::bundles)) {
    bundles_.add(wall_now(), topic, std::move(encoded));
  }
}

void Publications::send_due(Instant now) { send(now, bundles_.take_due(wall_now())); }

void Publications::send_all(Instant now) { send(now, bundles_.take_all()); }

void Publications::send(Instant now, std::vector<Bundle> bundles) {
  for (Bundle& bundle : bundles) {
    sockets_.send(publish_under(Topic::bundles),
                  encode({"router", ++sequence_, now, std::move(bundle)}));
  }
}

std::chrono::milliseconds Publications::wait(std::chrono::milliseconds longest) const {
  const WallTime now = wall_now();
  const WallTime due = bundles_.next_deadline();
  if (due <= now) return std::chrono::milliseconds(0);
  if (due - now >= longest) return longest;
  return std::chrono::ceil<std::chrono::milliseconds>(due - now);
}

}  // namespace drover::commands
