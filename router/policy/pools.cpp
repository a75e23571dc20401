// [pool.NAME] and [capability.NAME].
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "devices/catalogue/spec.h"
#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

using toml_file::Table;

/// "spot" requires the label, "tier=gold" its value (a glob).
void read_labels(Table match, PoolMatch& into) {
  for (const std::string& label : match.texts("label")) {
    const auto equals = label.find('=');
    const std::string name = label.substr(0, equals);
    if (!is_name(name)) {
      match.add_problem("label", "found \"{}\", expected NAME or NAME=VALUE", printable(label));
    }
    into.labels[name] = equals == std::string::npos ? "*" : label.substr(equals + 1);
  }
}

void read_match(Table match, PoolMatch& into) {
  into.device_class = read_word<std::optional<DeviceClass>>(
      match, "kind", {{"gpu", DeviceClass::gpu}, {"tpu", DeviceClass::tpu}}, std::nullopt);
  into.model = match.text("model", "");
  into.rack = match.text("rack", "");
  into.host = match.text("host", "");
  into.site = match.text("site", "");
  into.rest = match.boolean("rest", false);
  read_labels(match, into);
}

void read_warmup(Table warmup, Pool& pool) {
  pool.warmup_compile_s = warmup.number_in("compile_s", 0, 86'400);
  const std::string per = warmup.text("per", "model+shape");
  if (per != "model+shape") {
    warmup.add_problem("per",
                       "\"{}\" is not supported by this version, expected "
                       "\"model+shape\"",
                       printable(per));
  }
}

/// `price_per_hour` is a number, or a table by purchase option.
void read_prices(Table table, Prices& prices) {
  if (table.holds_table("price_per_hour")) {
    auto by_term = table.table("price_per_hour");
    struct Row {
      std::string_view key;
      std::optional<double> Prices::*price;
    };
    constexpr std::array<Row, 3> rows = {{{"on_demand", &Prices::on_demand_usd_per_h},
                                          {"reserved", &Prices::reserved_usd_per_h},
                                          {"spot", &Prices::spot_usd_per_h}}};
    for (const Row& row : rows) {
      if (by_term->has(row.key))
        prices.*row.price = by_term->number_in(row.key, 0, price_max_usd_per_h);
    }
  } else if (table.has("price_per_hour")) {
    prices.on_demand_usd_per_h = table.number_in("price_per_hour", 0, price_max_usd_per_h);
  }
  prices.reclaim_per_h = table.number_in("reclaim_per_hour", 0, 1000, 0.0);
  auto owned = table.table("owned");
  if (!owned) return;
  if (prices.given()) table.add_problem("owned", "conflicts with `price_per_hour`, expected one");
  prices.purchase_usd = owned->number_in("purchase_usd", 0, 1e9);
  prices.years = owned->number_in("years", 0.1, 100);
  prices.energy_usd_per_kwh = owned->number_in("energy_usd_per_kwh", 0, 100, 0.0);
  prices.pue = owned->number_in("pue", 1, 10, 1.0);
}

Pool read_pool(Table table) {
  Pool pool;
  if (auto match = table.table("match")) {
    read_match(*match, pool.match);
  } else {
    table.add_problem("match", "found nothing, expected a table such as { kind = \"gpu\" }");
  }
  pool.tier = static_cast<int>(table.integer_in("tier", 0, 100, 0));
  read_prices(table, pool.prices);
  pool.concurrency = table.number_in("concurrency", 0.001, 1e6, 0.0);
  pool.overprovision = table.number_in("overprovision", 1, 100, 1.0);
  pool.max_share = table.number_in("max_share", 0.0001, 1, 1.0);
  if (auto warmup = table.table("warmup")) read_warmup(*warmup, pool);
  return pool;
}

void read_capability(Table table, Pool& pool) {
  pool.precisions = read_precisions(table, "precisions");
  pool.frameworks = table.texts("frameworks");
  pool.missing_ops = table.texts("missing_ops");
  if (table.has("dynamic_shapes")) pool.dynamic_shapes = table.boolean("dynamic_shapes");
  pool.context_max =
      static_cast<std::uint64_t>(table.integer_in("max_context", 0, 1'000'000'000, 0));
  if (auto versions = table.table("versions")) {
    for (const std::string& name : versions->keys()) {
      const auto range = parse_version_range(versions->text(name));
      if (!range) versions->add_problem(name, range.error().message);
      if (range) pool.versions[name] = *range;
    }
  }
  for (const double size : table.numbers("slices")) {
    if (size < 1 || size > 4096 || size != std::floor(size)) {
      table.add_problem("slices", "found {}, expected whole numbers from 1 to 4096", size);
      return;
    }
    pool.slices.push_back(static_cast<int>(size));
  }
  std::ranges::sort(pool.slices);
}

}  // namespace

void read_pools(Table file, Policy& policy) {
  auto pools = file.table("pool");
  if (!pools) {
    file.add_problem("pool", "found nothing, expected at least one [pool.NAME]");
    return;
  }
  for (const std::string& name : pools->keys()) {
    auto table = pools->table(name);
    if (!is_name(name))
      pools->add_problem(name, "a pool's name is letters, digits, `.`, `_`, `:`, `-`");
    Pool pool;
    if (table) pool = read_pool(*table);
    pool.name = name;
    policy.pools.push_back(std::move(pool));
  }
  if (policy.pools.empty()) file.add_problem("pool", "expected at least one [pool.NAME]");
}

void read_capabilities(Table file, Policy& policy) {
  auto capabilities = file.table("capability");
  if (!capabilities) return;
  for (const std::string& name : capabilities->keys()) {
    auto table = capabilities->table(name);
    const auto index = policy.pool_index(name);
    if (!index) {
      capabilities->add_problem(name, "no such pool{}",
                                suggestion(name, names_of(policy.pools, &Pool::name)));
    }
    Pool spare;
    if (table) read_capability(*table, index ? policy.pools[*index] : spare);
  }
}

}  // namespace drover::router
