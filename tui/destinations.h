// Everything that has a name and can be gone to: views, devices, hosts, pools, jobs, saved views,
// alert rules, commands. The search after Ctrl-P and the line after `:` share it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover::tui {

struct DashboardState;

enum class DestinationKind : std::uint8_t {
  view,
  saved_view,
  command,
  pool,
  host,
  device,
  job,
  rule
};

struct Destination {
  DestinationKind kind = DestinationKind::view;
  std::string name;
  std::string search{};  // the text that a search matches; empty: the name
  std::string_view searched() const { return search.empty() ? name : search; }
};

/// "device": what the kind is called.
std::string_view to_text(DestinationKind kind);

/// All of them, views first, in an order that does not change by itself.
std::vector<Destination> destinations_of(const DashboardState& state);
/// Those that a line after `:` may name without a command: devices, hosts, pools, jobs and saved
/// views whose name begins so.
std::vector<std::string> destination_words(const DashboardState& state, std::string_view prefix);

/// Goes there; Esc leads back.
Status go_to(DashboardState& state, const Destination& destination);
/// The same by the name alone. False if nothing has that name.
bool go_to_named(DashboardState& state, std::string_view name);

}  // namespace drover::tui
