#include "commands/agent/agent_start.h"

#include <cstdlib>
#include <utility>

#include "fleet/text/json.h"

namespace drover::commands {

namespace {

// JSON's integers end at 64 signed bits in many readers: full-width numbers travel as text.
std::string as_text(std::uint64_t number) { return std::to_string(number); }
std::uint64_t as_number(const Json& text) {
  return std::strtoull(text.text().c_str(), nullptr, 10);
}

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

Result<AgentStart> parse_agent_start(std::string_view text) {
  const auto parsed = Json::parse(text);
  if (!parsed) return parsed.error();
  const Json& json = *parsed;
  if (!json["host"].is_text()) return error("host: found nothing, expected the agent's name");
  AgentStart start;
  agents::AgentSettings& settings = start.settings;
  settings.host = json["host"].text();
  settings.rack = json["rack"].text();
  settings.site = json["site"].text();
  for (const std::string& key : json["labels"].keys()) {
    settings.labels[key] = json["labels"][key].text();
  }
  settings.incarnation = {as_number(json["incarnation_high"]), as_number(json["incarnation_low"])};
  for (std::size_t i = 0; i < json["groups"].size(); ++i) {
    const Json& group = json["groups"][i];
    settings.groups.push_back({group["device"].text(),
                               static_cast<std::uint16_t>(group["count"].integer()),
                               group["topology"].text()});
  }
  for (std::size_t i = 0; i < json["replicas"].size(); ++i) {
    const Json& replica = json["replicas"][i];
    settings.replicas.push_back({replica["model"].text(),
                                 static_cast<std::uint16_t>(replica["first"].integer()),
                                 static_cast<std::uint16_t>(replica["last"].integer()),
                                 parse_precision(replica["precision"].text())});
  }
  settings.ambient_c = json["ambient_c"].number();
  settings.sample_every = Duration(json["sample_every_ns"].integer());
  settings.sample_every_min = Duration(json["sample_every_min_ns"].integer());
  settings.seed = as_number(json["seed"]);
  settings.fault_rate = json["fault_rate"].number();
  settings.sample_loss = json["sample_loss"].number();
  settings.sample_delay = Duration(json["sample_delay_ns"].integer());
  start.start = Instant(Duration(json["start_ns"].integer()));
  return start;
}

}  // namespace drover::commands
