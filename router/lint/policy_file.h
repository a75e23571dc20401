// A policy from its text: read, and checked for errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "router/lint/findings.h"
#include "router/policy/policy.h"

namespace drover::router {

struct PolicyReading {
  Policy policy;  // complete when no finding is an error
  Status read;    // the first error in reading order; ok: every key is well formed
  std::vector<Finding> findings;
};
/// `known`: devices to compare pools with; null: none.
PolicyReading read_policy(std::string_view toml, std::string place,
                          const devices::Catalogue* known);

/// The error names file, line and key. Rejects unknown keys, pools that do not exist, reasons and
/// scorers that do not exist (with the nearest), weights that are all zero, rules after a rule
/// that always matches, and fallbacks that name the rule's own pools.
Result<Policy> parse_policy(std::string_view toml, std::string place);

std::string_view builtin_policy_text();
const Policy& builtin_policy();

}  // namespace drover::router
