// The alert rules that every policy has by default: conditions that the router evaluates itself,
// and filters over devices, pools and the site. A policy changes them by name ([[alert]],
// docs/policies.md).
#pragma once

#include <string_view>
#include <vector>

#include "fleet/filter/alert_rule.h"

namespace drover::router {

/// Names of the conditions in router/alert_evaluation.cpp.
namespace condition {
inline constexpr std::string_view host_suspect = "host_suspect";
inline constexpr std::string_view host_lost = "host_lost";
inline constexpr std::string_view device_unusable = "device_unusable";
inline constexpr std::string_view place_ejected = "outlier_ejected";
inline constexpr std::string_view throttling = "throttling";
inline constexpr std::string_view power_cap = "power_cap";
inline constexpr std::string_view power_cap_unmet = "power_cap_unmet";
inline constexpr std::string_view jobs_waiting = "jobs_waiting";
inline constexpr std::string_view slo_burn = "slo_burn";
inline constexpr std::string_view undecodable = "undecodable";
}  // namespace condition

const std::vector<AlertRule>& shipped_alert_rules();

}  // namespace drover::router
