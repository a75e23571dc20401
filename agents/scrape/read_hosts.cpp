#include "agents/scrape/read_hosts.h"

#include <fmt/format.h>

#include "agents/scrape/collector.h"
#include "fleet/base/text.h"

namespace drover::agents {

Result<HostReadings> read_hosts(std::string_view page, const std::string& url, PageEnd end) {
  Collector collector(url);
  DROVER_ASSIGN(const PageSummary summary,
                read_page(
                    page, [&](const SeriesView& series) { collector.add(series); }, end));
  DROVER_ASSIGN(HostReadings result, collector.readings());
  if (summary.blank > 0) {
    result.notes.push_back(
        fmt::format("{} without a value", counted(summary.blank, "series", "series")));
  }
  if (summary.malformed > 0) {
    result.notes.push_back(fmt::format("{} malformed; {}", counted(summary.malformed, "line"),
                                       summary.first_malformed));
  }
  return result;
}

}  // namespace drover::agents
