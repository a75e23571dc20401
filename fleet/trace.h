// Recorded workloads as jobs. Readers take text line by line; files are opened by commands/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/dice.h"
#include "fleet/job.h"
#include "fleet/result.h"
#include "fleet/time.h"

namespace drover {

enum class TraceFormat : std::uint8_t { azure };
Result<TraceFormat> parse_trace_format(std::string_view name);

struct TraceJob {
  Duration arrival{};  // after the first good row; never negative
  Job job;
};

/// Reads one trace. Feed it lines (with or without their line ends); each answers a job, nothing (a
/// header, an empty line) or a problem that names file, line number and field:
/// `azure.csv:17: GeneratedTokens: found "abc", expected a whole number 1..1000000`. A row with a
/// problem is to be counted and skipped; the reader goes on. Without a good header no row is good.
///
/// A job's id depends on the dice's seed and the row's line number, so a trace fed again with the
/// same seed is recognised job by job, and a repaired row changes no other's id.
///
/// Rows need not be in the order of time: a row earlier than the one before it keeps its true
/// arrival, and who needs them in order sorts. A row earlier than the first good one is a problem:
/// nothing says when it should arrive.
///
/// azure: columns TIMESTAMP, ContextTokens, GeneratedTokens by name, in any order, with others
/// between; LF or CRLF. Each row is one chat request (serve, priority 10). Prompts without tokens
/// and answers without tokens are problems: they say that the row was not logged whole.
class TraceReader {
 public:
  TraceReader(TraceFormat format, std::string file, std::string model, Dice dice);
  Result<std::optional<TraceJob>> read_line(std::string_view line);
  std::uint64_t lines() const { return line_; }
  /// A good header has been read: what follows are rows.
  bool headed() const { return !columns_.empty(); }

 private:
  Result<std::optional<TraceJob>> read_azure(std::string_view line);
  Status read_azure_header(std::string_view line);

  TraceFormat format_;
  std::string file_;
  std::string model_;
  Dice dice_;
  std::uint64_t line_ = 0;
  std::vector<std::string> columns_;
  bool header_refused_ = false;
  std::optional<Instant> first_;
};

/// "2023-11-16 18:17:03.9799600": seconds with up to nine fractional digits; no zone means UTC, `Z`
/// and `+HH:MM` are understood. Years 1970 to 2199.
Result<Instant> parse_timestamp(std::string_view text);

}  // namespace drover
