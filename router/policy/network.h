// How far places are from each other: between sites by round trip, bandwidth and price, and where
// data sets lie. Data of the policy's [network].
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::router {

/// Between two sites, either way. Within one site all is near: no round trip, no transfer, no
/// price.
struct Path {
  double rtt_s = 0;
  double bytes_per_s = 0;  // 0: as fast as need be
  double usd_per_gb = 0;   // egress; decimal gigabytes
};

struct Link {
  std::string from, to;  // globs over sites
  Path path;
};

struct DataSet {
  std::vector<std::string> sites;  // that hold a copy
  double bytes = 0;
};

struct Network {
  Path otherwise;           // between sites that no link names
  std::vector<Link> links;  // the first that matches counts
  std::map<std::string, DataSet, std::less<>> data_sets;
  std::string clients;  // the site that requests come from; empty: beside every device

  bool given() const { return !links.empty() || !data_sets.empty() || !clients.empty(); }
};

Path path_between(const Network& network, std::string_view from, std::string_view to);

/// What it takes to have the data set at this site, from the copy that is soonest there. Nothing:
/// no site holds it.
struct Transfer {
  double seconds = 0;
  double usd = 0;
};
std::optional<Transfer> transfer_of(const Network& network, const DataSet& data_set,
                                    std::string_view to);

}  // namespace drover::router
