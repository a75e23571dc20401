#include "router/policy/alert_rules.h"

#include <array>
#include <chrono>
#include <string>

#include "fleet/base/time.h"

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

constexpr std::array<Shipped, 9> conditions = {{
    {condition::host_suspect, "host", Severity::warning, "nothing heard of it for a while", "",
     seconds(0), seconds(0), "it gets no new work; soon it is lost"},
    {condition::host_lost, "host", Severity::critical, "it is lost, and did not leave in order", "",
     seconds(0), seconds(0), "its work begins anew elsewhere"},
    {condition::device_unusable, "device", Severity::critical, "its agent says so", "", seconds(0),
     seconds(0), "no work can run on it"},
    {condition::place_ejected, "place", Severity::warning,
     "work fails there: it is left alone for a while", "", seconds(0), seconds(0),
     "a replica, or a group of devices, that breaks what it is given"},
    {condition::throttling, "host", Severity::warning, "devices of it slow down for heat", "",
     seconds(3), seconds(10), "work there takes longer than promised"},
    {condition::power_cap, "pool, site", Severity::warning, "sampled watts above 98 % of the cap",
     "", seconds(3), seconds(3), "new work will wait for power"},
    {condition::power_cap_unmet, "pool, site", Severity::critical,
     "sampled watts above a cap that lowers devices' own caps, longer than that takes, or their "
     "floors are above it",
     "", seconds(0), seconds(3), "the feed carries more than was allowed: drain, or cancel work"},
    {condition::jobs_waiting, "site", Severity::warning,
     "a job has waited longer than 10 wall seconds", "", seconds(0), seconds(3),
     "somebody waits for an answer"},
    {condition::undecodable, "sender", Severity::info,
     "messages of it were dropped since the last look", "", seconds(0), seconds(60),
     "another version of the program, or no program of ours"},
}};

// Where each threshold comes from:
//   hot              devices slow down at their limit and release 3 K below it; 6 K is where the
//                    router calls a device cool again (roster.h); what passes within half a minute
//                    needs nobody
//   over_cap         NVML's power reading is within 5 %; more is no error of the meter
//   memory_full      the rest holds one allocation less than a framework's smallest pool (assumed)
//   idle_loaded      longer than a night without requests; what the router has loaded itself it
//                    unloads after ten minutes
//   stale_telemetry  the policy's stale_after_s; a silent host has an alert of its own, and so has
//   a
//                    device that cannot be used
//   drain_forgotten  a shift, and then some: who drained it has gone home
//   long_queue       at queue_max new jobs are refused: half of it leaves time
//   pool_unwell      Envoy's panic threshold, where health no longer decides over routing
//   budget_near      at the budget work waits
constexpr std::array<Shipped, 9> filters = {{
    {"hot", "device", Severity::warning, "headroom < 3C", "headroom > 6C", seconds(30), seconds(10),
     "about to slow down for heat"},
    {"over_cap", "device", Severity::warning, "powershare > 105%", "powershare < 101%", seconds(10),
     seconds(10), "draws more than its power limit allows"},
    {"memory_full", "device", Severity::info, "mem > 98%", "mem < 95%", minutes(1), minutes(1),
     "the next allocation may fail"},
    {"idle_loaded", "device", Severity::info, "mem > 10% & util < 1% & running == 0",
     "util > 1% | mem < 10%", hours(12), seconds(10),
     "holds a model, and nothing asks for it: idle watts and a device that others could use"},
    {"stale_telemetry", "device", Severity::warning,
     "state == stale & state != suspect & state != unusable", "", seconds(5), seconds(5),
     "no samples, though its host is there: work keeps away from it"},
    {"drain_forgotten", "device", Severity::info, "state == drained", "", hours(24), seconds(10),
     "drained for a day: does anybody remember?"},
    {"long_queue", "site", Severity::critical, "queueshare > 50%", "queueshare < 40%", seconds(10),
     seconds(10), "at 100 % new jobs are refused"},
    {"pool_unwell", "pool", Severity::critical, "well < 50%", "well > 60%", seconds(10),
     seconds(10), "most of its devices are lost, unusable or ejected"},
    {"budget_near", "site", Severity::warning, "spendshare > 90%", "spendshare < 85%", minutes(1),
     minutes(1), "at 100 % work waits for the budget"},
}};

AlertRule rule_of(const Shipped& row, bool looked_for) {
  AlertRule rule;
  rule.told = {std::string(row.name), row.severity,           std::string(row.about),
               std::string(row.when), std::string(row.clear), row.raise_after,
               row.clear_after,       std::string(row.help)};
  rule.looked_for = looked_for;
  return rule;
}

}  // namespace

const std::vector<AlertRule>& shipped_alert_rules() {
  static const std::vector<AlertRule> rules = [] {
    std::vector<AlertRule> all;
    for (const Shipped& row : conditions) all.push_back(rule_of(row, true));
    for (const Shipped& row : filters) all.push_back(rule_of(row, false));
    return all;
  }();
  return rules;
}

}  // namespace drover::router
