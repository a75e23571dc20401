// Recorded messages as rows of JSON, and samples as rows of CSV.
#pragma once

#include <functional>
#include <string>

#include "fleet/recording/format/recording.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// Calls `add` with one object per message, for a batch of samples one per device: `time`, then the
/// fields that `drover devices`, `jobs` and `why` print.
void rows_of(const RecordedMessage& recorded, const std::function<void(const Json&)>& add);

/// The header line, with its newline.
std::string csv_header();
/// One line per device of the batch; missing values are empty.
std::string csv_lines(const RecordedMessage& recorded, const SampleBatch& batch);

/// The JSON schema of a channel's rows.
Json schema_of(RecordingChannel channel);

}  // namespace drover::commands
