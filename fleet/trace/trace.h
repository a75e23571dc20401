// Recorded workloads as jobs. Readers take text line by line; files are opened by commands/.
// docs/traces.md lists each format's columns and what becomes of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/dice.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/trace/throughputs.h"
#include "fleet/trace/trace_columns.h"

namespace drover {

enum class TraceFormat : std::uint8_t { azure, mooncake, gavel, tiresias, csv };
Result<TraceFormat> parse_trace_format(std::string_view name);
std::vector<std::string> trace_format_names();

/// A longer line is a problem: no trace met has rows of more than a tenth of this.
inline constexpr std::size_t trace_line_bytes_max = 64 * 1024;

/// How a trace is to be read.
struct TraceReading {
  TraceFormat format = TraceFormat::azure;
  std::string file;         // as problems name it
  std::string model;        // that every row asks for; empty: the one that it names
  TraceColumns columns;     // csv
  Throughputs throughputs;  // gavel: what was measured; may be empty
  std::string measured_on;  // tiresias: id of the device whose durations it holds; may be empty
  FindName find_model;      // for the names in rows; may be empty where `model` is not
};

/// Whether each row names its model, so that `model` may be empty.
bool names_models(const TraceReading& reading);

struct TraceJob {
  Duration arrival{};  // after the first good row; never negative
  Job job;
};

class TraceRows;  // what knows one format

/// Reads one trace. Feed it lines (with or without their line ends); each answers a job, nothing (a
/// header, an empty line, the first part of a row) or a problem that names file, line and field:
/// `azure.csv:17: GeneratedTokens: found "abc", expected a whole number 1..1000000`. A row with a
/// problem is to be counted and skipped; the reader goes on. Without a good header no row is good.
///
/// A job's id depends on the dice's seed and the row's line number, so a trace fed again with the
/// same seed is recognised job by job, and a repaired row changes no other's id.
///
/// Rows need not be in the order of time: a row earlier than the one before it keeps its true
/// arrival, and who needs them in order sorts. A row earlier than the first good one is a problem:
/// nothing says when it should arrive.
class TraceReader {
 public:
  /// REQUIRES a model where the rows name none, and `find_model` where they do.
  TraceReader(TraceReading reading, Dice dice);
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;

  Result<std::optional<TraceJob>> read_line(std::string_view line);
  /// At the end of the text: a row that began and did not end is a problem.
  Status finish();
  std::uint64_t lines() const { return line_; }
  /// What follows are rows: a good header has been read, or the format has none.
  bool headed() const;
  /// What a person should know of the rows since the last call, such as a model that stands in for
  /// another; each thing once, with file and line.
  std::vector<std::string> take_remarks();

 private:
  Result<std::optional<TraceJob>> read_row(std::string_view text);
  Error at_row(const Error& problem) const;

  TraceReading reading_;
  std::unique_ptr<TraceRows> rows_;
  Dice dice_;
  std::uint64_t line_ = 0;
  std::uint64_t row_line_ = 0;  // where the row begins
  std::string begun_;           // a row whose quotes are still open
  std::optional<Instant> first_;
  std::set<std::string> remarked_;
  std::vector<std::string> remarks_;
};

}  // namespace drover
