// Common to the trace formats: a row before it becomes a job, and the parsing of its fields.
// Errors here name the field; the reader adds file and line.
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

/// The known traces have prompts of at most 200,000 tokens.
inline constexpr std::uint32_t trace_tokens_max = 1'000'000;

struct TraceRow {
  Instant at{};            // on the trace's own clock
  std::string time_field;  // the field of `at`, and its text
  std::string time_text;
  std::string model_field;  // the field of the model's name
  Job job;                  // without an id; with the model's name of the row
  std::string remark;       // see TraceReader::take_remarks
};

/// The parser of one format.
class TraceRows {
 public:
  virtual ~TraceRows() = default;
  /// Returns nothing for a header.
  virtual Result<std::optional<TraceRow>> read(std::string_view text) = 0;
  virtual bool headed() const { return true; }
};

std::unique_ptr<TraceRows> azure_rows(const TraceReaderOptions& reading);
std::unique_ptr<TraceRows> mooncake_rows(const TraceReaderOptions& reading);
std::unique_ptr<TraceRows> gavel_rows(const TraceReaderOptions& reading);
std::unique_ptr<TraceRows> tiresias_rows(const TraceReaderOptions& reading);
std::unique_ptr<TraceRows> csv_rows(const TraceReaderOptions& reading);

/// Finds the columns of a table by name. The first row is the header; columns may be in any order,
/// with others between them. If the header is invalid, every row is an error.
class TraceHeader {
 public:
  explicit TraceHeader(std::vector<std::string> wanted);
  /// The cells of the wanted columns, in the order given to the constructor, without surrounding
  /// blanks; nothing for the header.
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
/// A training job with 32 samples per step, each of one token as for images. Callers may change it.
Job training_job(std::string model, std::uint32_t steps, std::uint16_t devices);

}  // namespace drover
