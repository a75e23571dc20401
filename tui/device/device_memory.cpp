#include "tui/device/device_memory.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

using Kind = MemoryOwner::Kind;

/// Smaller shares are ignored: samples are rounded to megabytes and are older than reports.
constexpr double other_share_least = 0.002;

std::string requests_text(std::uint32_t count) { return counted(count, "request"); }

/// The tenants with the most memory, in the order of their names.
std::vector<TenantShare> greatest(std::vector<TenantShare> tenants) {
  if (tenants.size() <= tenant_lines_max) return tenants;
  std::stable_sort(tenants.begin(), tenants.end(), [](const TenantShare& a, const TenantShare& b) {
    return a.kv_tokens > b.kv_tokens;
  });
  tenants.resize(tenant_lines_max);
  std::sort(tenants.begin(), tenants.end(),
            [](const TenantShare& a, const TenantShare& b) { return a.tenant < b.tenant; });
  return tenants;
}

void add_replica(const Replica& replica, std::vector<MemoryOwner>& owners) {
  if (replica.weights_bytes == 0) return;  // not reported by its agent
  const auto bytes_of = [&](std::uint64_t tokens) {
    return static_cast<double>(tokens) * static_cast<double>(replica.kv_token_bytes);
  };
  owners.push_back({Kind::weights,
                    fmt::format("weights of {} {}", replica.model, to_text(replica.precision)),
                    static_cast<double>(replica.weights_bytes)});
  std::uint64_t left = replica.kv_used_tokens;
  std::uint32_t requests = replica.running;
  for (const TenantShare& share : greatest(replica.tenants)) {
    owners.push_back({Kind::tenant,
                      fmt::format("KV of {}: {}", share.tenant, requests_text(share.requests)),
                      bytes_of(share.kv_tokens)});
    left -= std::min(left, share.kv_tokens);
    requests -= std::min(requests, share.requests);
  }
  if (left > 0) {
    owners.push_back(
        {Kind::tenant, fmt::format("KV of others: {}", requests_text(requests)), bytes_of(left)});
  }
  const std::uint64_t capacity = std::max(replica.kv_capacity_tokens, replica.kv_used_tokens);
  owners.push_back(
      {Kind::cache_free, "KV cache, free", bytes_of(capacity - replica.kv_used_tokens)});
}

double sum_of(const std::vector<MemoryOwner>& owners) {
  double sum = 0;
  for (const MemoryOwner& owner : owners) sum += owner.bytes;
  return sum;
}

/// The look of an owner in bar and legend.
struct OwnerLook {
  char sign;
  CellStyle style;
};

OwnerLook look_of(const MemoryUse& use, std::size_t index) {
  switch (use.owners[index].kind) {
    case Kind::weights:
      return {'W', heat_level_style(1)};
    case Kind::cache_free:
      return {'-', CellStyle::track};
    case Kind::training:
      return {'T', heat_level_style(3)};
    case Kind::other:
      return {'?', CellStyle::faint};
    case Kind::tenant:
      break;
  }
  // Each tenant has another letter.
  const auto before =
      std::count_if(use.owners.begin(), use.owners.begin() + static_cast<std::ptrdiff_t>(index),
                    [](const MemoryOwner& owner) { return owner.kind == Kind::tenant; });
  const int letter = static_cast<int>(before % 26);
  return {static_cast<char>('a' + letter), heat_level_style(4 + letter % 4)};
}

/// Draws the owners beside each other from the left; free memory stays empty.
void draw_bar(DrawRegion& region, const MemoryUse& use) {
  const double whole = std::max({use.total, use.used, sum_of(use.owners)});
  double sum = 0;
  int column = 0;
  for (std::size_t i = 0; i < use.owners.size(); ++i) {
    sum += use.owners[i].bytes;
    const int end = static_cast<int>(std::lround(sum / whole * region.columns()));
    const OwnerLook look = look_of(use, i);
    if (end > column) {
      region.text(column, 1, std::string(static_cast<std::size_t>(end - column), look.sign),
                  look.style);
    }
    column = std::max(column, end);
  }
  const auto free = static_cast<std::size_t>(std::max(0, region.columns() - column));
  region.text(column, 1, std::string(free, ' '), CellStyle::track);
}

}  // namespace

MemoryUse memory_use_of(const Model& model, DeviceTable::Row row) {
  MemoryUse use;
  use.used = model.reading(row, Metric::memory_used);
  use.total = model.reading(row, Metric::memory_total);
  const DeviceId id = model.id_of(row);
  for (const ReplicaRow* replica : replicas_on(model, id)) {
    add_replica(replica->reported.replica, use.owners);
  }
  const double rest = use.used - sum_of(use.owners);
  if (!(rest > other_share_least * use.total)) return use;
  for (const JobRow* job : jobs_on(model, id)) {
    const Job& reported = job->reported.job;
    if (reported.work.kind != WorkKind::train || job->reported.state != JobState::running) continue;
    use.owners.push_back({Kind::training,
                          fmt::format("{}: training of {}", reported.tenant, reported.work.model),
                          rest});
    return use;  // a device runs one training job at a time
  }
  use.owners.push_back({Kind::other, "other: not reported", rest});
  return use;
}

int memory_rows(const MemoryUse& use) { return 2 + static_cast<int>(use.owners.size()); }

void draw_memory(DrawRegion region, const MemoryUse& use) {
  const bool known = !std::isnan(use.used) && use.total > 0;
  region.heading(
      0, "Memory by owner",
      known ? fmt::format("{} of {}", bytes_text(use.used), bytes_text(use.total)) : "N/A");
  if (!known) {
    region.text(0, 1, "not reported", CellStyle::faint);
    return;
  }
  draw_bar(region, use);
  constexpr int bytes_columns = 7, share_columns = 5;
  const int words = std::max(0, region.columns() - 2 - bytes_columns - share_columns);
  for (std::size_t i = 0; i < use.owners.size(); ++i) {
    const MemoryOwner& owner = use.owners[i];
    const int line = 2 + static_cast<int>(i);
    const OwnerLook look = look_of(use, i);
    region.text(0, line, std::string(1, look.sign), look.style);
    region.field(2, line, words, owner.name);
    region.field(2 + words, line, bytes_columns, bytes_text(owner.bytes), CellStyle::plain,
                 Align::right);
    region.field(2 + words + bytes_columns, line, share_columns,
                 percent_text(owner.bytes / use.total), CellStyle::faint, Align::right);
  }
}

}  // namespace drover::tui
