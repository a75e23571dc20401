// A work source that reads a trace file: each row becomes a job at its own time. Bad rows are
// reported and skipped.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/submit/trace_options.h"
#include "commands/submit/work_source.h"
#include "devices/catalogue/spec_name_resolver.h"
#include "fleet/base/result.h"
#include "fleet/trace/trace.h"

namespace drover::commands {

/// The number of bad rows that are reported one by one; the others are only counted.
inline constexpr std::uint64_t bad_rows_reported_max = 10;

class TraceSource : public WorkSource {
 public:
  /// Calls `report` with a line for each of the first bad rows and for each remark about how the
  /// trace is read. A file without a valid header is an error; an empty one has no rows. The
  /// catalogue must outlive the source.
  static Result<std::unique_ptr<TraceSource>> open(const TraceOptions& options,
                                                   const devices::Catalogue& catalogue,
                                                   std::function<void(const std::string&)> report);

  std::optional<Arrival> next() override;
  std::uint64_t rows() const { return rows_; }        // rows that became jobs
  std::uint64_t skipped() const { return skipped_; }  // rows that did not

 private:
  TraceSource(double load, std::unique_ptr<devices::SpecNameResolver> names, TraceReader reader,
              std::ifstream file, std::function<void(const std::string&)> report);
  Status read_header();
  std::optional<std::string> line();
  void skip(const Error& problem);

  double load_;
  std::unique_ptr<devices::SpecNameResolver> names_;  // null if the format has no names to resolve
  TraceReader reader_;
  std::ifstream file_;
  std::function<void(const std::string&)> report_;
  std::vector<char> buffer_;
  Duration latest_{};
  std::uint64_t rows_ = 0;
  std::uint64_t skipped_ = 0;
};

/// For a trace of which no row could be read: "all 3 rows are bad".
std::string all_bad_text(std::uint64_t rows);

}  // namespace drover::commands
