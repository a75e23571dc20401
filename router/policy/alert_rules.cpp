#include "router/policy/alert_rules.h"

#include <array>
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "fleet/base/text.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Shipped {
  std::string_view name;
  std::string_view about;
  Severity severity;
  std::string_view when;
  std::string_view clear;
  Duration raise_after;
  Duration clear_after;
  std::string_view help;
};

constexpr std::array<Shipped, 10> conditions = {{
    {condition::host_suspect, "host", Severity::warning, "no heartbeat for 3 wall seconds", "",
     seconds(0), seconds(0), "it gets no new work, and will soon count as lost"},
    {condition::host_lost, "host", Severity::critical,
     "the host is lost: it did not shut down cleanly", "", seconds(0), seconds(0),
     "its work is requeued"},
    {condition::device_unusable, "device", Severity::critical, "its agent reports it as unusable",
     "", seconds(0), seconds(0), "no work can run on it"},
    {condition::place_ejected, "place", Severity::warning,
     "ejected for a while because work fails there", "", seconds(0), seconds(0),
     "jobs keep failing on this replica or group of devices"},
    {condition::throttling, "host", Severity::warning,
     "devices of the host are thermally throttled", "", seconds(3), seconds(10),
     "work there takes longer than estimated"},
    {condition::power_cap, "pool, site", Severity::warning, "sampled power above 98 % of the cap",
     "", seconds(3), seconds(3), "new work will wait for power"},
    {condition::power_cap_unmet, "pool, site", Severity::critical,
     "sampled power above an enforced cap for longer than lowering the devices' caps takes, or the "
     "devices' floors together are above the cap",
     "", seconds(0), seconds(3),
     "the power feed carries more than allowed: drain devices or cancel jobs"},
    {condition::jobs_waiting, "site", Severity::warning,
     "a job has waited longer than 10 wall seconds", "", seconds(0), seconds(3),
     "a user is waiting for an answer"},
    {condition::slo_burn, "class", Severity::critical,
     "burn rate of 14.4 or more over 5 minutes and over an hour, of 10 jobs or more each", "",
     seconds(0), seconds(10), "its jobs miss their target too often"},
    {condition::undecodable, "sender", Severity::info,
     "messages from it were dropped since the last evaluation", "", seconds(0), seconds(60),
     "it runs another version of Drover, or another program"},
}};

// Sources of the thresholds:
//   hot              devices throttle at their limit and release 3 K below it; from 6 K below it
//                    the router treats a device as cool again (hot_release_c); less than half a
//                    minute needs no action
//   over_cap         NVML's power reading is within 5 %; more is not a measurement error
//   memory_full      the rest holds one allocation less than a framework's smallest pool (assumed)
//   idle_loaded      longer than a night without requests; the router unloads the replicas that it
//                    has loaded after ten minutes
//   stale_telemetry  the policy's stale_after_s; silent hosts and unusable devices have alerts of
//                    their own
//   drain_forgotten  longer than a work shift: the person who drained it has gone home
//   long_queue       at queue_max new jobs are rejected: half of it leaves time
//   pool_degraded    Envoy's panic threshold, below which health no longer decides over routing
//   budget_near      at the budget work waits
constexpr std::array<Shipped, 9> filter_rules = {{
    {"hot", "device", Severity::warning, "headroom < 3C", "headroom > 6C", seconds(30), seconds(10),
     "close to thermal throttling"},
    {"over_cap", "device", Severity::warning, "powershare > 105%", "powershare < 101%", seconds(10),
     seconds(10), "power above its limit"},
    {"memory_full", "device", Severity::info, "mem > 98%", "mem < 95%", minutes(1), minutes(1),
     "the next allocation may fail"},
    {"idle_loaded", "device", Severity::info, "mem > 10% & util < 1% & running == 0",
     "util > 1% | mem < 10%", hours(12), seconds(10),
     "holds a model that nobody uses: idle power, and a device that others could use"},
    {"stale_telemetry", "device", Severity::warning,
     "state == stale & state != suspect & state != unusable", "", seconds(5), seconds(5),
     "no samples, although its host is connected: it gets no new work"},
    {"drain_forgotten", "device", Severity::info, "state == drained", "", hours(24), seconds(10),
     "drained for a day: perhaps forgotten"},
    {"long_queue", "site", Severity::critical, "queueshare > 50%", "queueshare < 40%", seconds(10),
     seconds(10), "at 100 % new jobs are refused"},
    {"pool_degraded", "pool", Severity::critical, "healthy < 50%", "healthy > 60%", seconds(10),
     seconds(10), "most of its devices are lost, unusable or ejected"},
    {"budget_near", "site", Severity::warning, "spendshare > 90%", "spendshare < 85%", minutes(1),
     minutes(1), "at 100 % work waits for the budget"},
}};

AlertRule rule_of(const Shipped& row, bool built_in) {
  AlertRule rule;
  rule.published = {std::string(row.name), row.severity,           std::string(row.about),
                    std::string(row.when), std::string(row.clear), row.raise_after,
                    row.clear_after,       std::string(row.help)};
  rule.built_in = built_in;
  return rule;
}

/// The error in this name; empty: none.
std::string wrong_with(const std::string& name, std::set<std::string>& named) {
  if (!is_name(name)) {
    return fmt::format("found \"{}\", expected 1 to 64 characters of A-Z a-z 0-9 . _ : -",
                       excerpt(name));
  }
  return named.insert(name).second ? "" : fmt::format("a second rule has the name \"{}\"", name);
}

AlertRule own_rule(const std::string& name) {
  AlertRule rule;
  rule.published.name = name;
  rule.published.about = "device";
  rule.published.raise_after = alert_raise_after;
  rule.published.clear_after = alert_clear_after;
  return rule;
}

}  // namespace

const std::vector<AlertRule>& shipped_alert_rules() {
  static const std::vector<AlertRule> rules = [] {
    std::vector<AlertRule> all;
    for (const Shipped& row : conditions) all.push_back(rule_of(row, true));
    for (const Shipped& row : filter_rules) all.push_back(rule_of(row, false));
    return all;
  }();
  return rules;
}

/// [[alert]]: changes of the built-in alert rules, and the policy's own rules.
void read_alerts(toml_file::Table file, Policy& policy) {
  policy.alerts = shipped_alert_rules();
  std::set<std::string> named;
  for (toml_file::Table& table : file.tables("alert")) {
    const std::string name = table.text("name");
    const std::string wrong = wrong_with(name, named);
    if (!wrong.empty()) table.add_problem("name", wrong);
    const auto name_of = [](const AlertRule& rule) { return rule.published.name; };
    AlertRule* rule = find_by(policy.alerts, name_of, name);
    AlertRule read = rule == nullptr || !wrong.empty() ? own_rule(name) : *rule;
    read_alert_rule(table, read);
    if (!wrong.empty()) continue;
    if (rule != nullptr) {
      *rule = std::move(read);
    } else if (policy.alerts.size() < alert_rules_max) {
      policy.alerts.push_back(std::move(read));
    } else {
      table.add_problem("name", "expected at most {} rules", alert_rules_max);
    }
  }
}

}  // namespace drover::router
