// A table of cases, answered row by row.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/text/csv.h"

namespace drover::commands {

struct EstimatedTable {
  std::string text;  // CSV: the input columns, then those of the estimate
  std::size_t rows = 0;
  std::size_t failed = 0;                    // rows whose note says why they have no answer
  std::vector<std::string> unknown_columns;  // carried along, not read
};

EstimatedTable estimate_table(const CsvTable& table, const devices::Catalogue& catalogue);

}  // namespace drover::commands
