// The report of `drover validate`, as text and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "commands/validate/validation.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// A measurement that was left out, and why.
struct LeftOut {
  std::string location;  // "training_throughput.csv:17"
  std::string reason;    // the same text for the same cause
};

struct ValidationReport {
  std::vector<Comparison> comparisons;
  std::vector<LeftOut> left_out;
  std::vector<std::string> devices;  // of the catalogue, for the coverage table
};

/// "github owner/repository:path/file.csv" is shown as "owner/repository".
std::string short_source(std::string_view source);

/// "+4.1 %", or in the class's unit if its distances are absolute.
std::string distance_text(const ErrorClass& error_class, double value, bool signed_value);

/// "met", "missed", or "-" without a goal.
std::string_view goal_status(const ErrorClass& error_class, const Statistics& statistics);

/// How many rows of each class were measured on a device.
struct Coverage {
  std::string device;
  std::vector<std::size_t> rows;  // in the order of `error_classes()`
};
/// All devices of the catalogue and of the measurements, sorted by name.
std::vector<Coverage> coverage(const ValidationReport& report);

/// A reason with the number of rows that it applies to and the first of their locations. Sorted by
/// the number of rows.
struct LeftOutReason {
  std::string text;
  std::size_t rows = 0;
  std::string locations;  // "a.csv:3, a.csv:9, .."
};
std::vector<LeftOutReason> left_out_reasons(const std::vector<LeftOut>& left_out);

/// Tables of classes with their goals, sources, devices, worst cases, contradictions, coverage, and
/// rows left out.
std::string validation_text(const ValidationReport& report);

Json validation_json(const ValidationReport& report);

/// Every comparison as a row of CSV. The columns of a case (`drover estimate --cases`; id is the
/// location of the measurement), then answer, value, class, source and remark, so that `drover
/// validate` can read the file, then catalogue_id and predicted. Rates under a power cap are a
/// share of the uncapped rate; ratios of times have no answer. Points of logs are not cases and are
/// not included.
std::string validation_rows(const ValidationReport& report);

}  // namespace drover::commands
