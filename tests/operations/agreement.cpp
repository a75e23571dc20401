#include "agreement.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace drover::operations {
namespace {

std::size_t rows_of_csv(const std::string& csv) {
  const auto lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
  return lines > 0 ? lines - 1 : 0;
}

}  // namespace

Complaints disagreements(const Look& look, const Stage& stage) {
  Complaints complaints = look.complaints();
  // Where one does not answer at all there is nothing to compare.
  if (!complaints.empty()) return complaints;
  compare_devices(look, complaints);
  compare_filters(look, stage, complaints);
  compare_pools_and_hosts(look, complaints);
  compare_jobs(look, complaints);
  compare_sums(look, complaints);
  compare_usage(look, complaints);
  compare_reasons(look, stage, complaints);
  compare_alerts(look, complaints);
  compare_csv(look, complaints);
  return complaints;
}

void same(Complaints& complaints, const std::string& what, const std::string& one_surface,
          const std::string& one, const std::string& other_surface, const std::string& other) {
  if (one == other) return;
  complaints.push_back(
      fmt::format("{}: {} says '{}', {} says '{}'", what, one_surface, one, other_surface, other));
}

std::set<std::string> states_in(const Json& device_row) {
  const auto words = words_in(device_row["state"].text());
  return {words.begin(), words.end()};
}

void compare_csv(const Look& look, Complaints& complaints) {
  for (const char* const name : {"hosts", "jobs", "pools"}) {
    const std::string& csv = look.text(fmt::format("frame --table {} --csv", name));
    const Json& rows = look.table(name);
    same(complaints, fmt::format("rows of the table {}", name), "CSV",
         std::to_string(rows_of_csv(csv)), "JSON", std::to_string(rows.size()));
    if (rows.size() == 0) continue;
    std::string heading;
    for (const std::string& key : rows[0].keys()) heading += (heading.empty() ? "" : ",") + key;
    same(complaints, fmt::format("columns of the table {}", name), "CSV",
         csv.substr(0, csv.find_first_of("\r\n")), "JSON", heading);
  }
}

}  // namespace drover::operations
