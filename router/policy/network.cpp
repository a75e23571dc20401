#include "router/policy/network.h"

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

using toml_file::Table;

constexpr double bytes_per_gb = 1e9;
constexpr double bits_per_byte = 8;

bool joins(const Link& link, std::string_view a, std::string_view b) {
  return (matches_glob(a, link.from) && matches_glob(b, link.to)) ||
         (matches_glob(b, link.from) && matches_glob(a, link.to));
}

Path read_path(Table table) {
  Path path;
  path.rtt_s = table.number_in("rtt_ms", 0, 100'000, 0.0) / 1000;
  path.bytes_per_s = table.number_in("gbps", 0, 1e6, 0.0) * 1e9 / bits_per_byte;
  path.usd_per_gb = table.number_in("usd_per_gb", 0, 1000, 0.0);
  return path;
}

Link read_link(Table table) {
  const Path path = read_path(table);
  const std::vector<std::string> sites = table.texts("between");
  if (sites.size() != 2) {
    table.add_problem("between", "found {}, expected two sites", counted(sites.size(), "name"));
    return {};
  }
  return {sites[0], sites[1], path};
}

DataSet read_data_set(Table table) {
  DataSet data_set;
  data_set.sites = table.texts("at");
  if (data_set.sites.empty()) table.add_problem("at", "found nothing, expected sites that hold it");
  data_set.bytes = static_cast<double>(table.bytes("size"));
  return data_set;
}

}  // namespace

void read_network(Table file, Policy& policy) {
  auto table = file.table("network");
  if (!table) return;
  Network& network = policy.network;
  network.clients = table->text("clients", "");
  if (auto otherwise = table->table("otherwise")) network.otherwise = read_path(*otherwise);
  for (const Table& link : table->tables("link")) network.links.push_back(read_link(link));
  auto data_sets = table->table("data_set");
  if (!data_sets) return;
  for (const std::string& name : data_sets->keys()) {
    auto data_set = data_sets->table(name);
    if (!is_name(name))
      data_sets->add_problem(name, "expected letters, digits, `.`, `_`, `:`, `-`");
    network.data_sets.emplace(name, data_set ? read_data_set(*data_set) : DataSet{});
  }
}

Path path_between(const Network& network, std::string_view from, std::string_view to) {
  if (from == to) return {};
  for (const Link& link : network.links) {
    if (joins(link, from, to)) return link.path;
  }
  return network.otherwise;
}

std::optional<Transfer> transfer_of(const Network& network, const DataSet& data_set,
                                    std::string_view to) {
  std::optional<Transfer> best;
  for (const std::string& site : data_set.sites) {
    const Path path = path_between(network, site, to);
    Transfer one;
    if (path.bytes_per_s > 0) one.seconds = data_set.bytes / path.bytes_per_s;
    one.usd = data_set.bytes / bytes_per_gb * path.usd_per_gb;
    const bool better = !best || one.seconds < best->seconds ||
                        (one.seconds == best->seconds && one.usd < best->usd);
    if (better) best = one;
  }
  return best;
}

}  // namespace drover::router
