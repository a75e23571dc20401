#include "commands/doctor/support_bundle.h"

#include <cctype>
#include <cstdlib>
#include <variant>

#include <fmt/format.h>

#include "agents/launch/tar.h"
#include "commands/build_facts.h"
#include "commands/connection/keys.h"
#include "commands/dashboard/settings_file.h"
#include "commands/metrics/gzip.h"
#include "commands/query/fleet_client.h"
#include "commands/query/reports.h"
#include "commands/query/table_output.h"
#include "commands/shell/files.h"
#include "commands/shell/host_name.h"
#include "fleet/base/text.h"
#include "fleet/filter/filter.h"
#include "router/lint/policy_file.h"
#include "tui/tables/table_rows.h"

namespace drover::commands {

namespace {

// Shorter parts of patterns, such as "a-f", are no names.
constexpr std::size_t pattern_part_min = 4;

constexpr const char* read_me =
    "Made by `drover doctor --bundle`. Names of hosts, users and tenants, addresses, paths in "
    "home\n"
    "folders and secrets are replaced by placeholders such as host-1, the same one in all files.\n"
    "Names of pools, models and rules, and the ids of jobs, are not replaced. Read the files "
    "before\n"
    "you send them.\n\n"
    "report.txt, report.json  what drover doctor found\n"
    "version.txt              the program and its build\n"
    "settings.toml            the dashboard's settings file\n"
    "policy.toml              the policy of the router\n"
    "status.json              totals of the fleet and its jobs\n"
    "events.json              the last events, alerts and actions\n"
    "hosts.json               the agents\n";

std::string or_error(const Result<std::string>& text) {
  return text ? *text : "not read: " + text.error().message + "\n";
}

Result<std::string> policy_text(Session& session) {
  DROVER_ASSIGN(const auto reply, session.ask<PolicyReply>(PolicyRequest{}));
  return reply.text;
}

Result<std::string> status_text(Session& session) {
  DROVER_ASSIGN(const auto summary, session.ask<Summary>(SummaryRequest{}));
  return commands::to_json(summary).dump() + "\n";
}

/// The fixed parts of a glob: "prod" of "prod*".
void add_tenant_glob(const std::string& glob, Redaction& redaction) {
  for (const std::string& piece : split(glob, '*')) {
    if (!piece.empty()) redaction.add("tenant", piece);
  }
}

/// The kind of name that a field of filters has; empty: none.
std::string_view kind_of_name(filter::Field field) {
  switch (field) {
    case filter::Field::id:
    case filter::Field::host:
      return "host";
    case filter::Field::rack:
      return "rack";
    case filter::Field::site:
      return "site";
    case filter::Field::tenant:
      return "tenant";
    case filter::Field::user:
      return "user";
    default:
      return "";
  }
}

/// The names in the filter of an alert, and the fixed parts of its patterns.
void add_filter(const std::string& text, Redaction& redaction) {
  const auto parsed = filter::Filter::parse(text);
  const auto* conditions = std::get_if<filter::Filter>(&parsed);
  if (conditions == nullptr) return;  // the description of a built-in rule
  for (const auto& [field, words] : conditions->texts()) {
    const std::string_view kind = kind_of_name(field);
    if (kind.empty()) continue;
    std::string part;
    for (const char c : words + '*') {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
        part += c;
      } else {
        if (part.size() >= pattern_part_min || part == words) redaction.add(kind, part);
        part.clear();
      }
    }
  }
}

/// Globs as a whole: a part such as "gpu" of "gpu-*" is no name.
void add_places(const router::Policy& policy, Redaction& redaction) {
  for (const router::Pool& pool : policy.pools) {
    redaction.add("host", pool.match.host);
    redaction.add("rack", pool.match.rack);
    redaction.add("site", pool.match.site);
  }
  for (const router::Link& link : policy.network.links) {
    redaction.add("site", link.from);
    redaction.add("site", link.to);
  }
  for (const auto& [name, data_set] : policy.network.data_sets)
    for (const std::string& site : data_set.sites) redaction.add("site", site);
  redaction.add("site", policy.network.clients);
}

void add_names_of(const tui::Model& model, Redaction& redaction) {
  for (const tui::HostRow& host : model.hosts()) {
    redaction.add("host", host.reported.registration.host);
    redaction.add("user", host.reported.secured_by);
    redaction.add("rack", host.reported.registration.rack);
    redaction.add("site", host.reported.registration.site);
  }
  for (const auto& [id, job] : model.jobs()) redaction.add("tenant", job.reported.job.tenant);
  for (const tui::AuditRow& row : model.audits()) redaction.add("user", row.audit.who);
}

void add_tables(Session& session, Redaction& redaction, std::vector<BundleFile>& files) {
  FleetClient fleet(session);
  if (const Status read = fleet.read_snapshot(); !read) {
    files.push_back({"events.json", or_error(read.error())});
    return;
  }
  add_names_of(fleet.model(), redaction);
  const tui::TableQuery query{fleet.model(), fleet.now(), {}, {}, {}};
  for (const char* table : {"events", "hosts"}) {
    files.push_back({fmt::format("{}.json", table),
                     commands::to_json(tui::table_rows(query, table)).dump() + "\n"});
  }
}

}  // namespace

std::string policy_for_bundle(const std::string& text, Redaction& redaction) {
  const auto policy = router::parse_policy(text, "policy.toml");
  if (!policy) return "left out: this version of drover cannot read it\n";
  for (const auto& [tenant, limit] : policy->limits.tenants) redaction.add("tenant", tenant);
  for (const router::Rule& rule : policy->rules) add_tenant_glob(rule.when.tenant, redaction);
  for (const router::WorkClass& each : policy->classes)
    add_tenant_glob(each.when.tenant, redaction);
  for (const AlertRule& rule : policy->alerts) {
    add_filter(rule.published.when, redaction);
    add_filter(rule.published.clear, redaction);
  }
  add_places(*policy, redaction);
  return text;
}

Redaction redaction_of(const RouterProbe& router) {
  const char* home = std::getenv("HOME");
  Redaction redaction(home == nullptr ? "" : home);
  redaction.add("host", own_host_name());
  redaction.add("user", user_name(""));
  for (const char* variable : {"USER", "LOGNAME", "SUDO_USER"}) {
    if (const char* name = std::getenv(variable)) redaction.add("user", name);
  }
  if (const auto endpoint = parse_endpoint(router.address.endpoint, "")) {
    if (!endpoint->loopback()) redaction.add("host", endpoint->host);
  }
  const auto folder = router.address.keys.empty() ? default_keys_folder()
                                                  : Result<std::string>(router.address.keys);
  if (!folder) return redaction;
  const auto listing = list_keys(*folder);
  if (!listing) return redaction;
  for (const ListedKey& each : listing->keys) {
    if (each.key.role != KeyRole::router) redaction.add("user", each.key.name);
  }
  return redaction;
}

std::vector<BundleFile> bundle_files(const std::vector<CheckedItem>& items, RouterProbe& router) {
  std::vector<BundleFile> files = {{"README.txt", read_me},
                                   {"report.txt", report_text(items)},
                                   {"report.json", report_json(items).dump() + "\n"},
                                   {"version.txt", build_facts()}};
  const SettingsFile settings(SettingsFile::default_path());
  if (settings.exists()) files.push_back({"settings.toml", or_error(read_file(settings.path()))});
  Redaction redaction = redaction_of(router);
  if (router.session != nullptr) {
    const auto policy = policy_text(*router.session);
    files.push_back(
        {"policy.toml", policy ? policy_for_bundle(*policy, redaction) : or_error(policy)});
    files.push_back({"status.json", or_error(status_text(*router.session))});
    add_tables(*router.session, redaction, files);
  }
  // Twice: a name that only a later text shows to be one also stands in earlier texts.
  for (const BundleFile& file : files) (void)redaction.apply(file.text);
  for (BundleFile& file : files) file.text = redaction.apply(file.text);
  return files;
}

std::string packed(const std::vector<BundleFile>& files, const std::string& folder) {
  std::string tar;
  for (const BundleFile& file : files) {
    launch::add_to_tar(tar, fmt::format("{}/{}", folder, file.name), 0600, file.text);
  }
  launch::end_tar(tar);
  return gzip(std::string_view(tar));
}

}  // namespace drover::commands
