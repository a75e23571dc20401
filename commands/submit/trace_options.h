// The options that name a recorded workload and describe how to read it, shared by the commands
// that have them.
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
  double load = 1;          // multiplies the arrival rate
  std::uint64_t seed = 1;
};

/// --trace, --format and the options of the formats.
std::vector<Option> trace_options();
/// Examples of the formats, as lines of the help of `command`.
std::string trace_examples(const std::string& command);
/// Adds a problem for unknown names and for options that do not go together.
TraceOptions read_trace_options(Arguments& arguments, const devices::Catalogue& catalogue);
/// The options as words of a command line.
std::vector<std::string> trace_words(const TraceOptions& options);

/// The format, model and columns that the options name. The error names the option.
Result<TraceReaderOptions> trace_reading(const TraceOptions& options);

}  // namespace drover::commands
