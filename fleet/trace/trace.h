// Reads traces of recorded workloads as jobs. Readers take text line by line; commands/ opens the
// files. docs/traces.md lists the columns of each format and their use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/random_stream.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/trace/columns.h"
#include "fleet/trace/throughputs.h"

namespace drover {

enum class TraceFormat : std::uint8_t { azure, mooncake, gavel, tiresias, csv };
Result<TraceFormat> parse_trace_format(std::string_view name);
std::vector<std::string> trace_format_names();

/// Maximum length of a line. The longest row of the known traces has less than a tenth of this.
inline constexpr std::size_t trace_line_bytes_max = 64 * 1024;

/// How to read a trace.
struct TraceReaderOptions {
  TraceFormat format = TraceFormat::azure;
  std::string file;         // name for messages
  std::string model;        // model of every row; empty: the one that the row names
  TraceColumns columns;     // csv
  Throughputs throughputs;  // gavel: measured throughputs; may be empty
  std::string measured_on;  // tiresias: id of the device that the durations are for; may be empty
  FindName find_model;      // for the model names in rows; may be empty if `model` is given
};

/// Whether the rows name their models, so that `model` may be empty.
bool names_models(const TraceReaderOptions& reading);

struct TraceJob {
  Duration arrival{};  // after the first good row; never negative
  Job job;
};

class TraceRows;  // the parser of one format

/// Reads one trace. `read_line` takes a line (with or without its line end) and returns a job,
/// nothing (for a header, an empty line, the first part of a row) or an error that names file, line
/// and field: `azure.csv:17: GeneratedTokens: found "abc", expected a whole number 1..1000000`.
/// Callers count and skip such rows. Without a valid header every row is an error.
///
/// A job's id depends on the seed and the row's line number, so a trace that is submitted again
/// with the same seed has the same ids, and a repaired row changes no other id.
///
/// Rows need not be sorted by time: a row keeps its arrival time, and callers that need order must
/// sort. A row with a time before that of the first valid row is an error, because its arrival
/// would be negative.
class TraceReader {
 public:
  /// REQUIRES `model` when the rows name none, and `find_model` when they do.
  TraceReader(TraceReaderOptions reading, RandomStream random);
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;

  Result<std::optional<TraceJob>> read_line(std::string_view line);
  /// Call at the end of the text. An unfinished row is an error.
  Status finish();
  /// Whether rows follow: a valid header has been read, or the format has none.
  bool headed() const;
  /// Remarks on the rows since the last call, such as a model that replaces another. Each is
  /// returned once, with file and line.
  std::vector<std::string> take_remarks();

 private:
  Result<std::optional<TraceJob>> read_row(std::string_view text);
  Error at_row(const Error& problem) const;

  TraceReaderOptions reading_;
  std::unique_ptr<TraceRows> rows_;
  RandomStream random_;
  std::uint64_t line_ = 0;
  std::uint64_t row_line_ = 0;  // where the row begins
  std::string begun_;           // the beginning of a row whose quotes are still open
  std::optional<Instant> first_;
  std::set<std::string> remarked_;
  std::vector<std::string> remarks_;
};

}  // namespace drover
