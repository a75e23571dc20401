// Exports recordings for other programs: as CSV, NDJSON, or an MCAP file of JSON messages.
#pragma once

#include <vector>

#include "commands/shell/options.h"
#include "fleet/recording/reader.h"

namespace drover::commands {

enum class ExportFormat { csv, ndjson, json_mcap };

struct ExportOptions {
  ExportFormat format = ExportFormat::csv;
  std::vector<RecordingChannel> channels;  // empty: the samples; for json-mcap: all
  Instant from{};                          // time of arrival
  Instant to{};                            // not included
};

/// `--format` and `--channel`.
ExportOptions read_export(Arguments& arguments);

/// Writes the messages in the order of arrival.
Status export_recording(RecordingReader& reader, const ExportOptions& options,
                        const ByteSink& sink);

}  // namespace drover::commands
