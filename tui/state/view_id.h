// The views, in the order of their number keys.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/enum_tables.h"

namespace drover::tui {

enum class ViewId : std::uint8_t {
  fleet,
  devices,
  device,
  jobs,
  routing,
  power,
  events,
  telemetry,
  users,
  help  // the last one; it has no number key
};
inline constexpr int view_count = static_cast<int>(ViewId::help) + 1;

struct ViewFacts {
  ViewId id;
  std::string_view name;
  std::string_view brief;    // the name where there is little room
  std::string_view purpose;  // what the view answers, in one sentence
};

inline constexpr std::array<ViewFacts, view_count> view_facts = {{
    {ViewId::fleet, "fleet", "fleet",
     "The whole fleet on one page: how busy, hot and healthy it is"},
    {ViewId::devices, "devices", "devs", "Every device as a row: sort, group, compare"},
    {ViewId::device, "device", "dev", "One device: its history, its work, and what slows it"},
    {ViewId::jobs, "jobs", "jobs", "Jobs: which wait and why, which run, which failed"},
    {ViewId::routing, "routing", "route", "Decisions: where jobs were placed, and why there"},
    {ViewId::power, "power", "pow", "Power against caps, and what energy and devices cost"},
    {ViewId::events, "events", "ev", "Raised alerts, and what happened, newest first"},
    {ViewId::telemetry, "telemetry", "tel",
     "Age, losses and clocks of each host's samples, and this dashboard"},
    {ViewId::users, "users", "usr", "Who uses it: devices, power and jobs by tenant and user"},
    {ViewId::help, "help", "help", "Keys, commands, reasons and signs"},
}};
static_assert(is_in_order(view_facts, &ViewFacts::id));

constexpr const ViewFacts& facts(ViewId view) { return view_facts[static_cast<std::size_t>(view)]; }
inline const std::vector<std::string>& view_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const ViewFacts& view : view_facts) names.emplace_back(view.name);
    return names;
  }();
  return all;
}
constexpr std::string_view to_text(ViewId view) { return facts(view).name; }

/// The present name of a view: settings and scripts may still have an old one.
inline std::string present_view_name(std::string name) {
  return name == "data-plane" ? std::string(to_text(ViewId::telemetry)) : std::move(name);
}

/// A set of views, with a bit for each one.
using ViewSet = std::uint16_t;
constexpr ViewSet only(ViewId view) {
  return static_cast<ViewSet>(1U << static_cast<unsigned>(view));
}
inline constexpr ViewSet in_every_view = (1U << view_count) - 1;

}  // namespace drover::tui
