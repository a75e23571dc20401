#include "commands/agent/options.h"

#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include "agents/fake_nvml/records.h"
#include "commands/shell/host_name.h"
#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
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

std::map<std::string, std::string> read_labels(Arguments& arguments) {
  std::map<std::string, std::string> labels;
  for (const std::string& label : arguments.text_list("label")) {
    const auto equals = label.find('=');
    if (equals == std::string::npos || !is_name(label.substr(0, equals)) ||
        !is_name(label.substr(equals + 1))) {
      arguments.add_problem(
          error("--label: found '{}', expected KEY=VALUE, each of A-Z a-z 0-9 . _ : -",
                printable(label)));
      return {};
    }
    labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return labels;
}

Status read_settings(Arguments& arguments, const devices::Catalogue& catalogue,
                     agents::AgentSettings& settings) {
  settings.host = arguments.name("name", own_host_name());
  settings.rack = arguments.name("rack", "rack-1");
  settings.site = arguments.name("site", "local");
  settings.ambient_c = arguments.number("ambient", ambient_min_c, ambient_max_c, 22);
  settings.seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, INT64_MAX, 1));
  settings.fault_rate = arguments.number("faults", 0, 1e9, 0);
  settings.sample_loss = arguments.number("sample-loss", 0, 1, 0);
  settings.sample_delay = arguments.duration("sample-delay", Duration{0});
  settings.incarnation = fresh_incarnation();
  settings.labels = read_labels(arguments);
  if (!arguments.has("devices")) {
    arguments.add_problem(
        error("--devices is required: the devices to emulate, such as h100-sxm:8; or --real or "
              "--scrape for real ones"));
  }
  DROVER_TRY(arguments.status());
  auto groups = agents::parse_device_list(arguments.text("devices"), catalogue);
  if (!groups) return error("--devices: {}", groups.error().message);
  settings.groups = std::move(*groups);
  if (arguments.has("replicas")) {
    auto replicas = agents::parse_replica_list(arguments.text("replicas"), catalogue);
    if (!replicas) return error("--replicas: {}", replicas.error().message);
    settings.replicas = std::move(*replicas);
  }
  return agents::Agent::check(settings, catalogue);
}

}  // namespace

Incarnation fresh_incarnation() {
  std::random_device kernel;
  const auto word = [&] { return (static_cast<std::uint64_t>(kernel()) << 32) | kernel(); };
  return {word(), word()};
}

Result<AgentOptions> read_agent_options(Arguments& arguments, const devices::Catalogue& catalogue) {
  AgentOptions options;
  options.endpoint = endpoint_of(arguments);
  options.journal = arguments.text("journal");
  options.log = arguments.text("log");
  options.state = arguments.text("state");
  options.exit_after_silence = arguments.duration("exit-after-silence", Duration{0});
  options.metrics = read_metrics_options(arguments);
  options.rate_hz = arguments.number("sample-rate", 0.001, 1000, 1);
  DROVER_TRY(read_settings(arguments, catalogue, options.settings));
  if (arguments.has("fake-nvml")) {
    options.fake_nvml = arguments.text("fake-nvml");
    if (fake_nvml::device_count(options.settings, catalogue) == 0) {
      return error("--fake-nvml: no NVIDIA GPU among --devices {}", arguments.text("devices"));
    }
  }
  return options;
}

Result<WatchedAgentOptions> read_watched_options(Arguments& arguments,
                                                 const SourceOptions& sources) {
  for (const char* name : {"devices", "replicas", "ambient", "sample-rate", "seed", "faults",
                           "sample-loss", "sample-delay", "journal", "fake-nvml"}) {
    if (!arguments.has(name)) continue;
    arguments.add_problem(error(
        "--{} is about emulated devices: it excludes --real, --scrape and --prometheus", name));
  }
  if (arguments.has("control") && !sources.real) {
    arguments.add_problem(error("--control works only with --real"));
  }
  WatchedAgentOptions options;
  options.endpoint = endpoint_of(arguments);
  options.sources = sources;
  options.log = arguments.text("log");
  options.state = arguments.text("state");
  options.exit_after_silence = arguments.duration("exit-after-silence", Duration{0});
  options.metrics = read_metrics_options(arguments);
  options.settings.host = arguments.name("name", own_host_name());
  options.settings.rack = arguments.has("rack") ? arguments.name("rack", "") : "";
  options.settings.site = arguments.has("site") ? arguments.name("site", "") : "";
  options.settings.labels = read_labels(arguments);
  options.settings.read_every = sources.every;
  options.settings.control = arguments.has("control");
  options.settings.incarnation = fresh_incarnation();
  DROVER_TRY(arguments.status());
  return options;
}

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
