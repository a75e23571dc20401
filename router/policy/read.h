// Reading a policy file: its tables, one function for each. Each records its errors in the file's
// tables and continues, so that all errors are found at once: an element that cannot be read stays
// in the policy under its name, with defaults, and every key is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/text/toml.h"
#include "router/policy/policy.h"

namespace drover::router {

std::vector<Precision> read_precisions(toml_file::Table table, std::string_view key);
/// A number such as 0.1, or a string such as "10%".
double read_share(toml_file::Table table, std::string_view key, double otherwise);
FallbackAction read_action(toml_file::Table table, std::string_view key, FallbackAction otherwise);

void read_pools(toml_file::Table file, Policy& policy);
void read_capabilities(toml_file::Table file, Policy& policy);
void read_network(toml_file::Table file, Policy& policy);
void read_when(toml_file::Table table, When& when);
/// "inference", "serve", "training", "train", "batch".
std::optional<WorkKind> parse_kind_word(std::string_view word);
/// REQUIRES that pools and network have been read.
void read_classes(toml_file::Table file, Policy& policy);
Fallback read_fallback(toml_file::Table table);
Spill read_spill(toml_file::Table table);
Preempt read_preempt(toml_file::Table table);
void read_rules(toml_file::Table file, Policy& policy);
void read_health(toml_file::Table file, Policy& policy);
void read_alerts(toml_file::Table file, Policy& policy);

/// All of the above.
void read_tables(const toml_file::Table& file, Policy& policy);

}  // namespace drover::router
