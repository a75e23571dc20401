// What `drover validate` says, as text for a terminal and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "commands/validate/validation.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// A measurement that was left out of the comparisons, and why.
struct LeftOut {
  std::string place;   // "training_throughput.csv:17"
  std::string reason;  // for people; the same words for the same cause
};

struct ValidationReport {
  std::vector<Comparison> comparisons;
  std::vector<LeftOut> left_out;
  std::vector<std::string> devices;  // of the catalogue, for the table of what was measured
};

/// "github owner/repository:path/file.csv" is shown as "owner/repository".
std::string short_source(std::string_view source);

/// "+4.1 %", or in the class's unit where its distances are absolute.
std::string distance_text(const ErrorClass& error_class, double value, bool signed_value);

/// "met", "missed", or "-" where no goal is set.
std::string_view verdict(const ErrorClass& error_class, const Statistics& statistics);

/// How many rows of each class were measured on a device.
struct Coverage {
  std::string device;
  std::vector<std::size_t> rows;  // in the order of `error_classes()`
};
/// All devices of the catalogue, and those that only the measurements name; sorted by name.
std::vector<Coverage> coverage(const ValidationReport& report);

/// Reasons with the number of rows they left out and the first of their places, most rows first.
struct Reason {
  std::string text;
  std::size_t rows = 0;
  std::string places;  // "a.csv:3, a.csv:9, .."
};
std::vector<Reason> reasons(const std::vector<LeftOut>& left_out);

/// Tables: classes with their goals, sources, devices, worst cases, contradictions, coverage, rows
/// left out.
std::string validation_text(const ValidationReport& report);

Json validation_json(const ValidationReport& report);

}  // namespace drover::commands
