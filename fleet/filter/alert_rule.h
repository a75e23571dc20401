// One rule by which alerts are raised: which things it is about, the filter that raises, the one
// that clears, and for how long they must hold. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "fleet/filter/filter_fields.h"
#include "fleet/text/toml.h"

namespace drover {

/// Where a table names none: one odd sample raises nothing, and one good one clears nothing.
inline constexpr Duration alert_raise_after = std::chrono::seconds(10);
inline constexpr Duration alert_clear_after = std::chrono::seconds(10);
/// Longer ones are refused.
inline constexpr Duration alert_span_max = std::chrono::hours(7 * 24);

struct AlertRule {
  AlertRuleText told;
  bool looked_for = false;  // by the router itself: `when` is words, no filter
  bool enabled = true;
  bool operator==(const AlertRule&) const = default;
};

/// What a filter of rules about "device", "pool" or "site" may ask; none: no filter is about that.
std::optional<filter::Subjects> filtered_subjects(std::string_view about);

/// Changes the rule by what a table `[[alert]]` says beside its name; keys that are absent leave it
/// as it is, save that a new `when` takes the old `clear` with it. Problems are the table's; those
/// of a filter name the place in it.
void read_alert_rule(toml_file::Table table, AlertRule& rule);

}  // namespace drover
