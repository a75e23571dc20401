// A page of `/metrics`: pieces of text in order, which a server can send without joining them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "commands/metrics/page/family.h"
#include "commands/metrics/page/series_table.h"

namespace drover::commands {

class Page {
 public:
  Page() = default;
  Page(const Page&) = delete;  // its pieces point into it
  Page& operator=(const Page&) = delete;

  std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  /// The piece with this byte, from it on. REQUIRES offset < size().
  std::string_view from(std::size_t offset) const;
  std::string text() const;

 private:
  friend class FleetMetrics;
  void clear();
  void add(std::string_view piece);

  // Written by FleetMetrics; the next page in this place uses their memory, and what is in them.
  std::vector<SeriesText> tables_;
  std::vector<std::string> headings_;
  std::string totals_;
  std::vector<std::string_view> pieces_;
  std::vector<std::size_t> ends_;  // of the pieces, in the page
};

}  // namespace drover::commands
