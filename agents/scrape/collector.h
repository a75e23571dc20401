// Sorts the series of a page by host and board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/scrape/collected_board.h"
#include "agents/scrape/read_hosts.h"

namespace drover::agents {

/// Some 5 KB of memory each. A page could name a hundred times as many.
inline constexpr std::size_t boards_of_page_max = 20'000;

class Collector {
 public:
  explicit Collector(const std::string& url);

  void add(const SeriesView& series);

  /// The error names what the page has instead.
  Result<HostReadings> readings() const;

 private:
  struct Host {
    std::string name;
    std::map<std::string, std::string> labels;
    std::size_t boards = 0;
  };
  struct Place {
    std::size_t host = 0;
    bool host_named = false;  // by the page
    std::string uuid;
    std::optional<std::uint16_t> index;
    CollectedBoard board;
  };
  /// What a series says about which board it is of.
  struct Identity {
    std::string_view host;  // empty: nothing
    std::string uuid;
    std::string_view bus;
    std::optional<std::uint16_t> index;
    Exporter exporter = Exporter::dcgm;
  };
  Place* place_of(const SeriesView& series, const PlacedSeries& placed);
  Place* find(const Identity& identity);
  Place* make(const SeriesView& series, const Identity& identity);
  /// Adds to the place what only this series says.
  Place* complete(std::size_t number, const Identity& identity);
  std::size_t host_number(std::string_view name);
  std::string_view host_named(const Identity& identity) const;
  std::string position_of(const Identity& identity) const;
  void remember_place(std::size_t number, const Identity& identity);
  void remember_unknown(std::string_view name);
  Error without_boards() const;

  std::string url_;
  std::string target_;  // the URL's host
  std::vector<Host> hosts_;
  std::unordered_map<std::string, std::size_t> host_numbers_;
  std::vector<Place> places_;
  // Places by host and UUID, and the first one with each UUID without the host.
  std::unordered_map<std::string, std::size_t> by_uuid_;
  // By host and index, or host and PCI address: one for each maker, or for UUIDs that are not true.
  std::unordered_map<std::string, std::vector<std::size_t>> by_position_;
  std::uint64_t known_ = 0, duplicates_ = 0, without_board_ = 0, left_out_ = 0;
  std::vector<std::string> unknown_names_;  // the first ones
};

}  // namespace drover::agents
