// A trace file as work: rows become jobs at their own times; bad rows are reported and skipped.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/work_source.h"
#include "fleet/result.h"
#include "fleet/trace.h"

namespace drover::commands {

/// So many bad rows are reported one by one; the others are only counted.
inline constexpr std::uint64_t bad_rows_told_max = 10;

struct TraceOptions {
  std::string file;
  std::string format;
  std::string model;
  double load = 1;  // arrivals come so many times faster
  std::uint64_t seed = 1;
};

class TraceSource : public WorkSource {
 public:
  /// `tell` is given one line about each of the first bad rows. A file without a good header is an
  /// error; an empty one has no rows.
  static Result<std::unique_ptr<TraceSource>> open(const TraceOptions& options,
                                                   std::function<void(const std::string&)> tell);

  std::optional<Arrival> next() override;
  std::uint64_t rows() const { return rows_; }        // that became jobs
  std::uint64_t skipped() const { return skipped_; }  // that did not

 private:
  TraceSource(const TraceOptions& options, TraceReader reader, std::ifstream file,
              std::function<void(const std::string&)> tell);
  Status read_header();
  std::optional<std::string> line();

  double load_;
  TraceReader reader_;
  std::ifstream file_;
  std::function<void(const std::string&)> tell_;
  std::vector<char> buffer_;
  Duration latest_{};
  std::uint64_t rows_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace drover::commands
