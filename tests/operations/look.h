// One look at a fleet through all of its surfaces, taken as nearly at one moment as commands allow.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fleet/text/json.h"
#include "tests/operations/stage.h"

namespace drover::operations {

/// What was expected of which surface, and what was found: a line each.
using Mismatches = std::vector<std::string>;

class FleetSnapshot {
 public:
  /// Asks them all. Those that do not answer as they should are in complaints().
  static FleetSnapshot whole(const FleetProcesses& stage);
  /// Asks those alone that steps expect something of: for as long as that is not so.
  static FleetSnapshot brief(const FleetProcesses& stage);

  /// Of one that was asked: "status --json", "frame --table devices --json".
  const Json& json(const std::string& question) const;
  const std::string& text(const std::string& question) const;
  bool asked(const std::string& question) const { return texts_.contains(question); }
  /// The rows of `drover jobs --json`, all that ended included.
  const Json& jobs() const;
  const Json& table(const std::string& name) const;

  /// Fleet time that passed between the first question and the last answer.
  double took_s() const { return took_s_; }
  const Mismatches& complaints() const { return complaints_; }
  /// Counts the whole looks: of many questions the next ones are asked each time.
  std::size_t number() const { return number_; }

 private:
  FleetSnapshot(const FleetProcesses& stage, const std::vector<std::string>& questions);

  std::map<std::string, std::string> texts_;
  std::map<std::string, Json> json_;
  double took_s_ = 0;
  std::size_t number_ = 0;
  Mismatches complaints_;
};

/// Words between blanks.
std::vector<std::string> words_in(const std::string& text);
/// The lines of a table for people, without its headings, by their first word.
std::map<std::string, std::string> lines_of(const std::string& table);
/// As it is printed: texts without quotes.
std::string shown(const Json& value);
/// The row whose `key` is so; null where none is.
const Json& row_with(const Json& rows, const std::string& key, const std::string& value);

}  // namespace drover::operations
