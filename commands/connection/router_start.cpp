#include "commands/connection/router_start.h"

#include <utility>

#include "commands/connection/session.h"
#include "commands/shell/clock.h"
#include "fleet/base/version.h"
#include "fleet/text/json.h"
#include "router/lint/policy_file.h"
#include "router/policy/policy.h"

namespace drover::commands {

Result<router::Policy> read_policy(const RouterStart& start) {
  auto policy = start.policy_place.empty()
                    ? Result<router::Policy>(router::builtin_policy())
                    : router::parse_policy(start.policy_text, start.policy_place);
  if (!policy) return policy;
  return router::at_speed(std::move(*policy), start.speed);
}

router::RouterSettings router_settings(const RouterStart& start) {
  router::RouterSettings settings;
  settings.software = software_name;
  settings.speed = start.speed;
  settings.samples_endpoint = start.samples_endpoint;
  settings.publish_endpoint = start.publish_endpoint;
  settings.heartbeat_every = wall_span(1, start.speed);
  settings.suspect_after = wall_span(3, start.speed);
  settings.lease = wall_span(10, start.speed);
  settings.lost_after = wall_span(12, start.speed);
  settings.forget_left_after = wall_span(600, start.speed);
  settings.summary_every = wall_span(0.5, start.speed);
  settings.seed = start.seed;
  settings.policy_place = start.policy_place;
  settings.retention = start.retention;
  settings.fleet_state_limits.real_power_caps = start.control;
  return settings;
}

Result<std::unique_ptr<router::Router>> make_router(const RouterStart& start,
                                                    const devices::Catalogue& catalogue) {
  DROVER_ASSIGN(auto policy, read_policy(start));
  return std::make_unique<router::Router>(router_settings(start), std::move(policy), catalogue,
                                          start.start);
}

std::string to_text(const RouterStart& start) {
  return Json::object()
      .set("speed", start.speed)
      .set("seed", start.seed)
      .set("samples_endpoint", start.samples_endpoint)
      .set("publish_endpoint", start.publish_endpoint)
      .set("policy_text", start.policy_text)
      .set("policy_place", start.policy_place)
      .set("start_ns", start.start.time_since_epoch().count())
      .set("ended_for_ns", start.retention.ended_for.count())
      .set("ended_jobs", start.retention.ended_jobs)
      .set("ids", start.retention.ids)
      .set("control", start.control ? 1 : 0)
      .dump();
}

Result<RouterStart> parse_router_start(std::string_view text) {
  DROVER_ASSIGN(const auto json, Json::parse(text));
  RouterStart start;
  start.speed = json["speed"].number();
  start.seed = static_cast<std::uint64_t>(json["seed"].integer());
  start.samples_endpoint = json["samples_endpoint"].text();
  start.publish_endpoint = json["publish_endpoint"].text();
  start.policy_text = json["policy_text"].text();
  start.policy_place = json["policy_place"].text();
  start.start = Instant(Duration(json["start_ns"].integer()));
  start.retention.ended_for = Duration(json["ended_for_ns"].integer());
  start.retention.ended_jobs = static_cast<std::size_t>(json["ended_jobs"].integer());
  start.retention.ids = static_cast<std::size_t>(json["ids"].integer());
  start.control = json["control"].integer() != 0;
  if (!(start.speed > 0)) return error("speed: found {}, expected a positive number", start.speed);
  return start;
}

}  // namespace drover::commands
