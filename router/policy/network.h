// Distances between sites (round trip, bandwidth and price) and locations of data sets, from the
// policy's [network].
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::router {

/// The path between two sites, in either direction. Within a site: no round trip, no transfer
/// time, no price.
struct Path {
  double rtt_s = 0;
  double bytes_per_s = 0;  // 0: unlimited
  double usd_per_gb = 0;   // egress; decimal gigabytes
};

struct Link {
  std::string from, to;  // globs on site names
  Path path;
};

struct DataSet {
  std::vector<std::string> sites;  // that hold a copy
  double bytes = 0;
};

struct Network {
  Path otherwise;           // between sites without a link
  std::vector<Link> links;  // the first match counts
  std::map<std::string, DataSet, std::less<>> data_sets;
  std::string clients;  // site that requests come from; empty: near every device

  bool given() const { return !links.empty() || !data_sets.empty() || !clients.empty(); }
};

Path path_between(const Network& network, std::string_view from, std::string_view to);

/// Cost of transferring the data set to this site from the copy that arrives first. Nothing: no
/// site holds it.
struct Transfer {
  double seconds = 0;
  double usd = 0;
};
std::optional<Transfer> transfer_of(const Network& network, const DataSet& data_set,
                                    std::string_view to);

}  // namespace drover::router
