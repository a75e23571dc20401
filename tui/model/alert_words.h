// Alert rules in words: "v5e-2/2 is hot" says more than the rule's name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tui/model/model.h"

namespace drover::tui {

/// The raised alerts that nobody has acknowledged.
struct OpenAlerts {
  std::size_t count = 0;
  const Alert* worst = nullptr;  // the newest of the most severe; null: none
};
OpenAlerts open_alerts(const Model& model);
/// "2 alerts: gpu-a/3 is throttled", printable; empty if there are none.
std::string open_alerts_text(const OpenAlerts& alerts);

/// What the rule says about its subject: "is hot". A rule of the user's own is named with its
/// underscores as blanks.
std::string alert_words(std::string_view rule);

}  // namespace drover::tui
