// Reads pages of metrics: the text formats of Prometheus and of OpenMetrics.
//
//   DCGM_FI_DEV_GPU_TEMP{gpu="0",Hostname="node-7"} 61
//
// A page comes from outside: nothing on it is trusted, and a bad line does not lose the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover {

struct PageLimits {
  std::size_t page_bytes = std::size_t{64} << 20;
  std::size_t line_bytes = std::size_t{64} << 10;  // longer lines are skipped
  std::size_t labels = 64;                         // of one series; others are skipped
};

struct SeriesLabel {
  std::string_view name;
  std::string_view value;  // without escapes; any bytes
};

/// One series with its value. Valid during the call that gets it.
struct SeriesView {
  std::string_view name;
  std::span<const SeriesLabel> labels;  // in the page's order
  double value = 0;                     // may be NaN or infinite
  std::optional<std::int64_t> timestamp_ms;
};
using TakeSeries = std::function<void(const SeriesView&)>;

/// What reading a page gave.
struct PageSummary {
  std::uint64_t series = 0;
  std::uint64_t blank = 0;      // series without a value
  std::uint64_t malformed = 0;  // lines that were skipped
  std::string first_malformed;  // "line 12: a label has no value"; empty: none
};

/// Whether the page is known to have come whole. The last line of one that may be cut off is
/// skipped unless it ends with a line feed: 40 may be the beginning of 409.6.
enum class PageEnd : std::uint8_t { whole, may_be_cut };

/// Gives every series to `take`. A page without any is an error that says what it is instead.
Result<PageSummary> read_page(std::string_view page, const TakeSeries& take,
                              PageEnd end = PageEnd::whole, const PageLimits& limits = {});

}  // namespace drover
