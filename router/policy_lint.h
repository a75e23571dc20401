// The parts of lint: each looks at one side of a policy that was read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue.h"
#include "fleet/toml.h"
#include "router/policy_findings.h"

namespace drover::router {

class Lint {
 public:
  /// `file` is the name that its tables were parsed with. The policy must outlive this.
  Lint(const Policy& policy, std::string file) : policy_(policy), file_(std::move(file)) {}

  const Policy& policy() const { return policy_; }
  /// The file could not be read whole. What depends on values may be wrong of the defaults that
  /// stand for them, and is not told any more; what depends on names alone is.
  void only_names() { only_names_ = true; }
  void error(const toml_file::Table& table, std::string_view key, std::string_view text) {
    if (!only_names_) add(true, table.place_of(key), text);
  }
  /// A name that stands for nothing, or for two things.
  void wrong_name(const toml_file::Table& table, std::string_view key, std::string_view text) {
    add(true, table.place_of(key), text);
  }
  void warn(const toml_file::Table& table, std::string_view key, std::string_view text) {
    if (!only_names_) add(false, table.place_of(key), text);
  }
  /// A problem of the reader: "FILE:LINE: KEY: found .., expected ..".
  void refuse(const Error& problem);
  /// By line; those of one line as they were added.
  std::vector<Finding> take();

 private:
  void add(bool error, const std::string& place, std::string_view text);

  const Policy& policy_;
  std::string file_;
  std::vector<Finding> findings_;
  bool only_names_ = false;
};

/// Sizes in `when` that no job has; `table` holds `when`.
void lint_empty_ranges(Lint& lint, toml_file::Table table, const When& when);

// REQUIRES of all: the policy was read from this file, without a problem unless the lint tells only
// names.

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
