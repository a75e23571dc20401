// An alert rule: its subjects, the filter that raises the alert, the filter that clears it, and for
// how long each must hold. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "fleet/filter/fields.h"
#include "fleet/text/toml.h"

namespace drover {

/// Defaults: a single bad sample raises no alert, and a single good one clears none.
inline constexpr Duration alert_raise_after = std::chrono::seconds(10);
inline constexpr Duration alert_clear_after = std::chrono::seconds(10);
/// The maximum of both.
inline constexpr Duration alert_span_max = std::chrono::hours(7 * 24);

struct AlertRule {
  AlertRuleText published;
  bool built_in = false;  // evaluated by the router's own code: `when` is a description
  bool enabled = true;
  bool operator==(const AlertRule&) const = default;
};

/// The subjects of a filter in rules about "device", "pool" or "site"; none for other rules.
std::optional<filter::Subjects> filtered_subjects(std::string_view about);

/// Applies the keys of a table `[[alert]]` other than its name to the rule. Absent keys leave the
/// rule unchanged, except that a new `when` removes the old `clear`. Problems are added to the
/// table; those of a filter include the position in it.
void read_alert_rule(toml_file::Table table, AlertRule& rule);

}  // namespace drover
