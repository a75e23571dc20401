// Estimates a table of cases row by row.
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
  std::size_t failed = 0;                    // rows without an answer; their note says why
  std::vector<std::string> unknown_columns;  // copied to the output, not read
};

EstimatedTable estimate_table(const CsvTable& table, const devices::Catalogue& catalogue);

}  // namespace drover::commands
