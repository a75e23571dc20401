#include "commands/agent/start.h"

#include <utility>

#include "fleet/text/json.h"

namespace drover::commands {

namespace {

// Many JSON readers limit integers to 64 signed bits, so full-width numbers are written as text.
std::string as_text(std::uint64_t number) { return std::to_string(number); }

Json groups_of(const agents::AgentSettings& settings) {
  Json groups = Json::array();
  for (const agents::GroupRequest& group : settings.groups) {
    groups.add(Json::object()
                   .set("device", group.device)
                   .set("count", group.count)
                   .set("topology", group.topology));
  }
  return groups;
}

Json replicas_of(const agents::AgentSettings& settings) {
  Json replicas = Json::array();
  for (const agents::ReplicaRequest& replica : settings.replicas) {
    Json entry = Json::object();
    entry.set("model", replica.model).set("first", replica.first).set("last", replica.last);
    if (replica.precision) entry.set("precision", to_text(*replica.precision));
    replicas.add(std::move(entry));
  }
  return replicas;
}

}  // namespace

std::string to_text(const AgentStart& start) {
  const agents::AgentSettings& settings = start.settings;
  Json labels = Json::object();
  for (const auto& [key, value] : settings.labels) labels.set(key, value);
  return Json::object()
      .set("host", settings.host)
      .set("rack", settings.rack)
      .set("site", settings.site)
      .set("labels", std::move(labels))
      .set("incarnation_high", as_text(settings.incarnation.high))
      .set("incarnation_low", as_text(settings.incarnation.low))
      .set("groups", groups_of(settings))
      .set("replicas", replicas_of(settings))
      .set("ambient_c", settings.ambient_c)
      .set("sample_every_ns", settings.sample_every.count())
      .set("sample_every_min_ns", settings.sample_every_min.count())
      .set("seed", as_text(settings.seed))
      .set("fault_rate", settings.fault_rate)
      .set("sample_loss", settings.sample_loss)
      .set("sample_delay_ns", settings.sample_delay.count())
      .set("start_ns", start.start.time_since_epoch().count())
      .dump();
}

}  // namespace drover::commands
