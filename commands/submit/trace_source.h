// A trace file as work: rows become jobs at their own times; bad rows are reported and skipped.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/submit/trace_options.h"
#include "commands/submit/work_source.h"
#include "devices/catalogue/names.h"
#include "fleet/base/result.h"
#include "fleet/trace/trace.h"

namespace drover::commands {

/// So many bad rows are reported one by one; the others are only counted.
inline constexpr std::uint64_t bad_rows_told_max = 10;

class TraceSource : public WorkSource {
 public:
  /// `tell` is given one line about each of the first bad rows, and what else a person should know
  /// of how the trace is read. A file without a good header is an error; an empty one has no rows.
  /// The catalogue, in which models and devices are found, must outlive the source.
  static Result<std::unique_ptr<TraceSource>> open(const TraceOptions& options,
                                                   const devices::Catalogue& catalogue,
                                                   std::function<void(const std::string&)> tell);

  std::optional<Arrival> next() override;
  std::uint64_t rows() const { return rows_; }        // that became jobs
  std::uint64_t skipped() const { return skipped_; }  // that did not

 private:
  TraceSource(double load, std::unique_ptr<devices::Names> names, TraceReader reader,
              std::ifstream file, std::function<void(const std::string&)> tell);
  Status read_header();
  std::optional<std::string> line();
  void skip(const Error& problem);

  double load_;
  std::unique_ptr<devices::Names> names_;  // that the reader looks names up in; null: it need not
  TraceReader reader_;
  std::ifstream file_;
  std::function<void(const std::string&)> tell_;
  std::vector<char> buffer_;
  Duration latest_{};
  std::uint64_t rows_ = 0;
  std::uint64_t skipped_ = 0;
};

/// Where no row could be read: "all 3 rows are bad".
std::string all_bad_text(std::uint64_t rows);

}  // namespace drover::commands
