// Recorded messages as rows: of JSON, and of CSV for samples.
#pragma once

#include <functional>
#include <string>

#include "fleet/recording/format/recording.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// Hands out one object per message, and of a sample batch one per device: `time`, then the fields
/// that `drover devices`, `jobs` and `why` show as well.
void rows_of(const Recorded& recorded, const std::function<void(const Json&)>& take);

/// With its newline.
std::string csv_heading();
/// One line per device of the batch; absent is empty.
std::string csv_lines(const Recorded& recorded, const SampleBatch& batch);

/// The JSON schema of a channel's rows.
Json schema_of(RecordingChannel channel);

}  // namespace drover::commands
