// Which recorded workload to feed, and how to read it: the same for every verb that takes one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/shell/options.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/trace/trace.h"

namespace drover::commands {

struct TraceOptions {
  std::string file;
  std::string format = "azure";
  std::string model;        // empty: the trace names them
  std::string columns;      // of a table, --format csv
  std::string throughputs;  // a file, --format gavel
  std::string measured_on;  // a device, --format tiresias
  double load = 1;          // arrivals come so many times faster
  std::uint64_t seed = 1;
};

/// --trace, --format and what belongs to the formats.
std::vector<Option> trace_options();
/// Examples of the formats, as lines of a verb's help.
std::string trace_examples(const std::string& verb);
/// Complains of what is unknown or does not fit together.
TraceOptions read_trace_options(Arguments& arguments, const devices::Catalogue& catalogue);
/// The same as words of a command line.
std::vector<std::string> trace_words(const TraceOptions& options);

/// What the options say of format, model and columns; the problem names the option.
Result<TraceReading> trace_reading(const TraceOptions& options);

}  // namespace drover::commands
