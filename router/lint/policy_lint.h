// The parts of lint: each looks at one side of a policy that was read.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/text/toml.h"
#include "router/policy/policy_findings.h"

namespace drover::router {

class Lint {
 public:
  /// `file` is the name that its tables were parsed with. The policy must outlive this.
  Lint(const Policy& policy, std::string file) : policy_(policy), file_(std::move(file)) {}

  const Policy& policy() const { return policy_; }
  /// Of what could not be read a default stands in the policy, and what lint would say of that is
  /// none of the file's faults: of such tables it says nothing but that names are wrong.
  void note_unread(const std::vector<Error>& problems);
  /// `item` is "pool.a", "class.chat", "rule[2]", or a section such as "limits"; a section has a
  /// problem when any of its tables has.
  bool is_unread(std::string_view item) const { return unread_.find(item) != unread_.end(); }
  bool is_rule_unread(std::size_t index) const;
  /// Whether any pool that the rule names, or its fallbacks, has a problem.
  bool are_pools_unread(const Rule& rule) const;

  void error(const toml_file::Table& table, std::string_view key, std::string_view text) {
    if (is_read(table.place_of(key))) add(true, table.place_of(key), text);
  }
  /// A name that stands for nothing, or for two things.
  void wrong_name(const toml_file::Table& table, std::string_view key, std::string_view text) {
    add(true, table.place_of(key), text);
  }
  void warn(const toml_file::Table& table, std::string_view key, std::string_view text) {
    if (is_read(table.place_of(key))) add(false, table.place_of(key), text);
  }
  /// A problem of the reader: "FILE:LINE: KEY: found .., expected ..".
  void refuse(const Error& problem);
  /// By line; those of one line as they were added.
  std::vector<Finding> take();

 private:
  void add(bool error, const std::string& place, std::string_view text);
  /// "rule[2]" of "FILE:LINE: rule[2].when.kind: ..".
  std::string item_of(std::string_view place) const;
  bool is_read(const std::string& place) const;

  const Policy& policy_;
  std::string file_;
  std::vector<Finding> findings_;
  std::set<std::string, std::less<>> unread_;
};

/// Sizes in `when` that no job has; `table` holds `when`.
void lint_empty_ranges(Lint& lint, toml_file::Table table, const When& when);

// REQUIRES of all: the policy was read from this file, and its problems were noted.

/// Rules that no job reaches, names that do not exist, spills that swing.
void lint_rules(Lint& lint, toml_file::Table file);
/// What a rule may preempt: classes that do not exist, and work that never makes room.
void lint_preempt(Lint& lint, toml_file::Table table, const Rule& rule);
/// Fallbacks that lead back, lead nowhere or never fire.
void lint_fallbacks(Lint& lint, toml_file::Table file);
/// Classes that no job gets, and metrics that their jobs do not have.
void lint_classes(Lint& lint, toml_file::Table file);
/// Pools without use, and what is said of them without effect.
void lint_pools(Lint& lint, toml_file::Table file);
/// Pools that no known device is of, and those that share devices at different prices.
void lint_devices(Lint& lint, toml_file::Table file, const devices::Catalogue& known);
/// Jobs that no rule is for, that nothing can ever run, and reasons that nothing is said for.
void lint_outcomes(Lint& lint, toml_file::Table file);

}  // namespace drover::router
