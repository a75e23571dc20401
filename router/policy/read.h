// Reading a policy file: its tables, one function for each. Each records its errors in the file's
// tables and continues, so that all errors are found at once: an element that cannot be read stays
// in the policy under its name, with defaults, and every key is read.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/text/toml.h"
#include "router/policy/policy.h"

namespace drover::router {

// Small values of the policy language. Errors give what was found and what was expected; the caller
// adds the location.

/// "<=8192", "<8", ">1", ">=4", "100..200" (both ends included), "8".
Result<Range> parse_range(std::string_view text);

/// "10%" or "0.1".
Result<double> parse_share(std::string_view text);

/// The names of all enumerators, for suggestions.
template <typename Enumeration>
std::vector<std::string> words_of(int count) {
  std::vector<std::string> names;
  for (int index = 0; index < count; ++index) {
    names.emplace_back(to_text(static_cast<Enumeration>(index)));
  }
  return names;
}

void add_unknown_word(toml_file::Table table, std::string_view key, std::string_view found,
                      const std::vector<std::string_view>& expected);
/// The value of the word at this key. `otherwise`: without the key, and after a problem.
template <typename Value>
Value read_word(toml_file::Table table, std::string_view key,
                const std::vector<std::pair<std::string_view, Value>>& words, Value otherwise) {
  if (!table.has(key)) return otherwise;
  const std::string found = table.text(key);
  std::vector<std::string_view> expected;
  for (const auto& [word, value] : words) {
    if (word == found) return value;
    expected.push_back(word);
  }
  add_unknown_word(table, key, found, expected);
  return otherwise;
}

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
void read_rules(toml_file::Table file, Policy& policy);
void read_alerts(toml_file::Table file, Policy& policy);

/// All of the above.
void read_tables(toml_file::Table file, Policy& policy);

}  // namespace drover::router
