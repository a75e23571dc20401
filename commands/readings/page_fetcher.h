// Fetches pages of metrics over HTTP, on threads of its own: a server that hangs delays no other
// page, and the loop never waits. A server that fails is asked again after a pause of 1 s, or of
// --every if that is longer; with each further failure the pause doubles, up to 30 s.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "commands/readings/reading_source.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// A page, or the answer of a Prometheus server to a query.
struct PageTarget {
  std::string url;    // http:// or https://, with or without user:password@
  std::string query;  // of a Prometheus server; empty: the URL is a page of metrics
  // "start=1763692681&end=1763696281&step=60": the query asks for values over time, whose text
  // `take_texts` returns; empty: for those of now.
  std::string range;
};

/// What came of a query over time.
struct FetchedText {
  std::string text;
  std::string failure;  // why it did not come: "cannot connect to it"; or empty
};

/// Checks scheme, host and port. `place` is the location of the URL in the error: "--scrape". A URL
/// without a path is completed with /metrics.
Result<PageTarget> parse_page_target(std::string_view url, std::string_view place);
Result<PageTarget> parse_prometheus_target(std::string_view url, std::string query,
                                           std::string_view place);

struct PageFetcherSettings {
  WallSpan connect_within = std::chrono::seconds(2);
  WallSpan answer_within = std::chrono::seconds(5);  // for the whole page
  std::size_t threads_max = 32;
  std::size_t page_bytes_max = std::size_t{64} << 20;  // after decompression
  WallSpan pause_min = std::chrono::seconds(1);        // after a failure, between two requests
  WallSpan pause_max = std::chrono::seconds(30);
};

class PageFetcher : public ReadingSource {
 public:
  explicit PageFetcher(std::vector<PageTarget> targets, PageFetcherSettings settings = {});
  /// Cuts off requests that have not ended; waits while the name of a host is looked up.
  ~PageFetcher() override;
  PageFetcher(const PageFetcher&) = delete;
  PageFetcher& operator=(const PageFetcher&) = delete;

  int descriptor() const override;
  /// A target that is not asked because of its last failure fails again with the same reason.
  void request(WallTime now) override;
  /// Pages, already read into hosts and devices. One that did not come has its reason: "cannot
  /// connect to it", "answers with HTTP status 404".
  std::vector<agents::TargetNews> take(WallTime now) override;
  std::vector<FetchedText> take_texts();
  /// About pages, each once: "http://n1:9400/metrics: 2 lines are malformed: ..".
  std::vector<std::string> take_notes() override;

 private:
  class Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace drover::commands
