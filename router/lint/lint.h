// The parts of lint: each checks one aspect of a policy that was read.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/text/toml.h"
#include "router/lint/policy_file.h"
#include "router/policy/policy.h"

namespace drover::router {

class Lint {
 public:
  /// `file` is the name that its tables were parsed with. The policy must outlive this.
  Lint(const Policy& policy, std::string file) : policy_(policy), file_(std::move(file)) {}

  const Policy& policy() const { return policy_; }
  /// Unreadable tables hold defaults in the policy, and findings about defaults would not be the
  /// file's fault: for such tables, lint reports wrong names only.
  void note_unread(const std::vector<Error>& problems);
  /// `item` is "pool.a", "class.chat", "rule[2]", or a section such as "limits"; a section is
  /// unread when any of its tables is.
  bool is_unread(std::string_view item) const { return unread_.find(item) != unread_.end(); }
  bool is_rule_unread(std::size_t index) const;
  /// Whether any pool of the rule or its fallbacks is unread.
  bool are_pools_unread(const Rule& rule) const;

  template <typename... Args>
  void error(const toml_file::Table& table, std::string_view key,
             fmt::format_string<Args...> format, Args&&... args) {
    if (!is_read(table, key)) return;
    add(true, table.location_of(key), fmt::format(format, std::forward<Args>(args)...));
  }
  /// A name that is unknown or ambiguous.
  template <typename... Args>
  void wrong_name(const toml_file::Table& table, std::string_view key,
                  fmt::format_string<Args...> format, Args&&... args) {
    add(true, table.location_of(key), fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void warn(const toml_file::Table& table, std::string_view key, fmt::format_string<Args...> format,
            Args&&... args) {
    if (!is_read(table, key)) return;
    add(false, table.location_of(key), fmt::format(format, std::forward<Args>(args)...));
  }
  /// An error of the reader: "FILE:LINE: KEY: found .., expected ..".
  void refuse(const Error& problem);
  /// The findings by line; within a line in the order in which they were added.
  std::vector<Finding> take();

 private:
  void add(bool error, const std::string& place, std::string_view text);
  /// "rule[2]" of "FILE:LINE: rule[2].when.kind: ..".
  std::string item_of(std::string_view place) const;
  bool is_read(const toml_file::Table& table, std::string_view key) const {
    return !is_unread(item_of(table.location_of(key)));
  }

  const Policy& policy_;
  std::string file_;
  std::vector<Finding> findings_;
  std::set<std::string, std::less<>> unread_;
};

// All REQUIRE that the policy was read from this file and its errors were passed to note_unread.

/// Rules that no job reaches, unknown names, spills that oscillate, preemption without effect.
void lint_rules(Lint& lint, toml_file::Table file);
/// Fallbacks that lead back, lead nowhere or never apply.
void lint_fallbacks(Lint& lint, toml_file::Table file);
/// Classes without jobs, and metrics that their jobs do not have.
void lint_classes(Lint& lint, toml_file::Table file);
/// Unused pools, and settings of pools without effect.
void lint_pools(Lint& lint, toml_file::Table file);
/// Pools that match no known device, and pools that share devices at different prices.
void lint_devices(Lint& lint, toml_file::Table file, const devices::Catalogue& known);
/// Jobs that no rule matches, jobs that nothing can ever run, and reasons without an outcome.
void lint_outcomes(Lint& lint, toml_file::Table file);

}  // namespace drover::router
