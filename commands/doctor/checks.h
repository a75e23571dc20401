// The checks of `drover doctor` as a table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands/doctor/finding.h"
#include "commands/doctor/probes.h"
#include "fleet/base/result.h"
#include "fleet/text/json.h"

namespace drover::commands {

struct Check {
  const char* name;
  const char* question;  // that it answers
  Finding (*run)(const RouterProbe& router);
};
std::span<const Check> check_table();
std::vector<std::string> check_names();

/// The checks of `only`, or all if it is empty, but for those of `skip`. An error for a name that
/// is no check.
Result<std::vector<const Check*>> selected_checks(const std::vector<std::string>& only,
                                                  const std::vector<std::string>& skip);

struct CheckedItem {
  const Check* check;
  Finding finding;
};
std::size_t problems_in(const std::vector<CheckedItem>& items);
/// For people: a line for each check, and below those that are not well what was expected and how
/// to fix it.
std::string report_text(const std::vector<CheckedItem>& items, bool colour = false);
Json report_json(const std::vector<CheckedItem>& items);

}  // namespace drover::commands
