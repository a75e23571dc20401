// docs/real-devices.md as a test: its tables of series are those that are read.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agents/scrape/known_series.h"
#include "fleet/base/search.h"
#include "fleet/sample/metric_keys.h"

namespace drover::agents {
namespace {

constexpr std::array<const char*, fact_count> fact_words = {
    "names and labels alone",
    "number on the host",
    "free memory (for the total)",
    "reserved memory (for the total)",
    "least power cap",
    "largest power cap",
    "power cap of the maker",
    "largest clock",
    "slowdown temperature",
    "speed of a PCIe lane (for its generation)",
    "largest speed of a PCIe lane",
    "largest PCIe generation",
    "largest number of PCIe lanes",
    "memory of a process",
};

std::string words_of(std::size_t slot) {
  if (slot < metric_count) return fmt::format("`{}`", metric_keys[slot].name);
  return fact_words.at(slot - metric_count);
}

/// The rows of the exporter's table, as the page must have them.
std::vector<std::string> expected_rows(Exporter exporter) {
  std::map<std::size_t, std::vector<std::string>> series;
  for (const KnownSeries& known : all_known_series()) {
    if (known.exporter != exporter) continue;
    std::vector<std::string>& names = series[known.slot.index()];
    std::string name = fmt::format("`{}`", known.name);
    if (!contains(names, name)) names.push_back(std::move(name));
  }
  std::vector<std::string> rows;
  for (const auto& [slot, names] : series)
    rows.push_back(fmt::format("| {} | {} |", words_of(slot), fmt::join(names, ", ")));
  return rows;
}

/// The rows of the table with that heading.
std::vector<std::string> rows_of_page(const std::string& heading) {
  std::ifstream page(DROVER_SOURCE_DIR "/docs/real-devices.md");
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == fmt::format("| {} | series |", heading)) {
      inside = true;
    } else if (inside && !line.starts_with('|')) {
      break;
    } else if (inside && !line.starts_with("|--")) {
      rows.push_back(line);
    }
  }
  return rows;
}

TEST(RealDevicesPage, HasEverySeriesThatIsReadAndNoOther) {
  for (std::size_t each = 0; each < exporter_count; ++each) {
    const auto exporter = static_cast<Exporter>(each);
    const std::string name(to_text(exporter));
    EXPECT_EQ(rows_of_page(name), expected_rows(exporter)) << name;
    EXPECT_FALSE(expected_rows(exporter).empty());
  }
}

}  // namespace
}  // namespace drover::agents
