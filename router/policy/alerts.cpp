// [[alert]]: changes of the built-in alert rules, and the policy's own rules.
#include <algorithm>
#include <set>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/filter/filter.h"
#include "router/policy/alert_rules.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

/// The limit of PolicyChanged.
constexpr std::size_t rules_max = 128;

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

void read_alerts(toml_file::Table file, Policy& policy) {
  policy.alerts = shipped_alert_rules();
  std::set<std::string> named;
  for (toml_file::Table& table : file.tables("alert")) {
    const std::string name = table.text("name");
    const std::string wrong = wrong_with(name, named);
    if (!wrong.empty()) table.add_problem("name", wrong);
    auto rule = std::find_if(policy.alerts.begin(), policy.alerts.end(),
                             [&](const AlertRule& each) { return each.published.name == name; });
    AlertRule read = rule == policy.alerts.end() || !wrong.empty() ? own_rule(name) : *rule;
    read_alert_rule(table, read);
    if (!wrong.empty()) continue;
    if (rule != policy.alerts.end()) {
      *rule = std::move(read);
    } else if (policy.alerts.size() < rules_max) {
      policy.alerts.push_back(std::move(read));
    } else {
      table.add_problem("name", fmt::format("expected at most {} rules", rules_max));
    }
  }
}

}  // namespace drover::router
