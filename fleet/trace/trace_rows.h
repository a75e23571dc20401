// What the formats of traces share: a row before it is a job, and how its fields are read.
// Problems here name the field; the reader adds file and line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/trace/trace.h"

namespace drover {

/// No trace met has prompts of more than 200,000 tokens, or jobs of half these steps.
inline constexpr std::uint32_t trace_tokens_max = 1'000'000;
inline constexpr std::uint32_t trace_steps_max = 1'000'000'000;
inline constexpr std::uint32_t trace_batch_max = 100'000'000;
inline constexpr std::uint16_t trace_devices_max = 4096;

struct TraceRow {
  Instant at{};            // on the trace's own clock
  std::string time_field;  // where `at` stood, and what stood there
  std::string time_text;
  std::string model_field;  // where the model's name stood
  Job job;                  // without an id; with the model's name as the row has it
  std::string remark;       // see TraceReader::take_remarks
};

/// One format.
class TraceRows {
 public:
  virtual ~TraceRows() = default;
  /// Nothing: a header.
  virtual Result<std::optional<TraceRow>> read(std::string_view text) = 0;
  virtual bool headed() const { return true; }
};

std::unique_ptr<TraceRows> azure_rows(const TraceReading& reading);
std::unique_ptr<TraceRows> mooncake_rows(const TraceReading& reading);
std::unique_ptr<TraceRows> gavel_rows(const TraceReading& reading);
std::unique_ptr<TraceRows> tiresias_rows(const TraceReading& reading);
std::unique_ptr<TraceRows> csv_rows(const TraceReading& reading);

/// A table's columns by name. Its first row is the header; columns may stand in any order with
/// others between them. Once a header is refused, so is every row.
class TraceHeader {
 public:
  explicit TraceHeader(std::vector<std::string> wanted);
  /// The cells under the wanted columns, in the order in which they are wanted, without blanks
  /// around them; nothing for the header.
  Result<std::optional<std::vector<std::string>>> read(std::string_view text);
  bool good() const { return !columns_.empty(); }

 private:
  Status read_columns(std::string_view text);

  std::vector<std::string> wanted_;
  std::vector<std::string> columns_;
  std::vector<std::size_t> places_;  // of the wanted ones
  bool refused_ = false;
};

Error in_field(std::string_view field, const Error& problem);
Result<std::uint32_t> parse_count(std::string_view text, std::uint32_t low, std::uint32_t high);

/// A chat request.
Job request_job(std::string model, std::uint32_t input_tokens, std::uint32_t output_tokens);
/// Training of 32 samples a step, each of one token as for images, unless the caller knows better.
Job training_job(std::string model, std::uint32_t steps, std::uint16_t devices);

}  // namespace drover
