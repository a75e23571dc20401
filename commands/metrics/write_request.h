// A page of `/metrics` as requests of Prometheus' remote write 1.0: protobuf, compressed by snappy.
//
// Source: prometheus.io/docs/specs/prw/remote_write_spec. The four messages have six fields in all,
// which are written here without protobuf's library.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "commands/metrics/page/page.h"

namespace drover::commands {

inline constexpr std::size_t request_samples_max = 2'000;

struct WriteRequest {
  std::string bytes;  // compressed
  std::size_t samples = 0;
};

/// Labels that every series gets: what Prometheus adds when it scrapes.
using AddedLabels = std::vector<std::pair<std::string, std::string>>;

/// The samples of a page in the text format. `at_ms`: their time, in ms since 1970.
std::vector<WriteRequest> write_requests(const Page& page, const AddedLabels& added,
                                         std::int64_t at_ms);
/// The same of text; REQUIRES whole lines, as FleetMetrics writes them.
std::vector<WriteRequest> write_requests(std::string_view text, const AddedLabels& added,
                                         std::int64_t at_ms);

}  // namespace drover::commands
