#include "tui/panels/device_panels.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"

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

void draw_device_head(const FrameContext& frame, DrawRegion& region, DeviceTable::Row row,
                      const LikelyCause* slow, std::string_view scroll) {
  const Model& model = frame.model;
  const DeviceTable& devices = model.devices();
  const Register& registration = model.host_of(row).reported.registration;
  const ConditionRow* condition = model.condition_of(row);
  const SpecRow& spec = model.spec_of(row);
  const Board* const board = model.board_of(row);
  const std::string& name = board == nullptr || board->name.empty() ? spec.kind() : board->name;
  const std::string mark = spec.real ? fmt::format(", {}, real", printable(name)) : "";
  region.heading(0, fmt::format("Device {}{}", to_text(model.id_of(row)), mark), scroll);
  const Instant arrived = devices.arrived(row);
  const Health health = model.host_of(row).reported.health;
  const bool lost = model.is_gone(row), stale = frame.stale(row);
  const bool sampled = arrived != Instant::min();
  const std::string last_sample =
      sampled ? fmt::format(", last sample {} ago", duration_text(frame.s_since(arrived)))
              : ", no sample";
  std::string state = health == Health::lost   ? "host lost"
                      : health == Health::left ? "host left"
                      : stale                  ? "stale"
                                               : "reporting";
  CellStyle style = health == Health::lost ? CellStyle::critical
                    : stale                ? CellStyle::stale
                                           : CellStyle::good;
  const std::string& why = model.host_of(row).reported.why;
  if (health == Health::lost && !why.empty()) state += ": " + printable(why);
  if (stale) state += last_sample;
  if (condition != nullptr && !condition->reported.usable && !lost) {
    state = stale && sampled ? "not usable" + last_sample : "not usable";
    style = CellStyle::critical;
  }
  int at = region.text(0, 1, state, style);
  if (slow != nullptr && slow->severity != Severity::info) {
    at = region.text(at, 1, fmt::format(", slow: {}", to_text(slow->cause)),
                     severity_style(slow->severity));
  }
  const std::string pools = model.pools_text(row);
  // What says nothing is left out: no pool, no rack, a group of one.
  std::string facts = ", " + spec.kind();
  if (!pools.empty()) {
    facts +=
        fmt::format(", {} {}", model.pool_numbers_of(row).size() > 1 ? "pools" : "pool", pools);
  }
  if (!registration.rack.empty()) facts += fmt::format(", rack {}", registration.rack);
  const Group* const group = model.group_of(row);
  if (group != nullptr && (group->count > 1 || !group->topology.empty())) {
    facts += fmt::format(", one of {} in g{}", group->count, group->number);
    if (!group->topology.empty()) facts += fmt::format(" ({})", group->topology);
  }
  region.field(at, 1, region.columns() - at, facts);
  if (condition == nullptr) return;
  region.field(0, 2, region.columns(), condition_text(condition->reported),
               condition->reported.usable ? CellStyle::fault : CellStyle::critical);
}

void draw_replicas_on(const Model& from, DrawRegion region,
                      const std::vector<const ReplicaRow*>& replicas) {
  region.heading(0, "Replicas", "KV: tokens used of capacity");
  const int kv = std::clamp(region.columns() / 5, 12, 30);
  const int model = std::max(8, region.columns() - 5 - 11 - 5 - 6 - kv);
  const int state = 5 + model;
  const auto header = [&](int column, int width, std::string_view text, Align align) {
    region.field(column, 1, width, text, CellStyle::faint, align);
  };
  header(0, 4, "ID", Align::left);
  header(5, model - 1, "MODEL", Align::left);
  header(state, 10, "STATE", Align::left);
  header(state + 11, 4, "RUN", Align::right);
  header(state + 16, 5, "QUEUE", Align::right);
  header(state + 22, kv, "KV", Align::right);
  int row = 2;
  for (const ReplicaRow* shown : replicas) {
    const Replica& replica = shown->reported.replica;
    region.field(0, row, 4, fmt::format("r{}", replica.id.number));
    region.field(5, row, model - 1,
                 fmt::format("{} {}", replica.model, to_text(replica.precision)));
    if (is_gone(from, replica)) {
      region.field(state, row, 10, "lost", CellStyle::critical);
      region.field(state + 22, row, kv, not_known, CellStyle::faint, Align::right);
      ++row;
      continue;
    }
    const bool paused = replica.state == ReplicaState::ready && replica.pause != Pause::none;
    region.field(
        state, row, 10, paused ? to_text(replica.pause) : to_text(replica.state),
        replica.state == ReplicaState::ready && !paused ? CellStyle::good : CellStyle::warm);
    region.field(state + 11, row, 4, fmt::format("{}", replica.running), CellStyle::plain,
                 Align::right);
    region.field(state + 16, row, 5, fmt::format("{}", replica.queued), CellStyle::plain,
                 Align::right);
    const auto used = static_cast<double>(replica.kv_used_tokens);
    const auto capacity = static_cast<double>(replica.kv_capacity_tokens);
    const double share = capacity > 0 ? used / capacity : absent;
    region.gauge(state + 22, row, std::min(kv, region.columns() - state - 22), share,
                 fmt::format("{}/{}", count_text(used), count_text(capacity)),
                 gauge_style(share, 0.85, 0.97));
    ++row;
  }
  if (replicas.empty()) region.text(0, 2, "no replicas", CellStyle::faint);
}

void draw_device_decisions(DrawRegion region, const std::vector<DeviceDecision>& device_decisions) {
  region.heading(0, "Decisions", "newest first");
  if (device_decisions.empty())
    region.text(0, 1, "no recent decision involved it", CellStyle::faint);
  const int model = std::clamp(region.columns() / 4, 10, 24);
  int row = 1;
  for (const DeviceDecision& entry : device_decisions) {
    const Decision& decision = *entry.decision;
    region.text(0, row, to_clock_text(decision.at), CellStyle::faint);
    region.field(9, row, model, decision.model);
    const int at = 10 + model;
    std::string text =
        decision.action == Action::assign ? "chosen" : std::string(to_text(decision.action));
    CellStyle style = CellStyle::good;
    if (entry.rejected != nullptr) {
      style = CellStyle::warm;
      text = fmt::format("{} rejected: {}, {}", entry.rejected->count,
                         to_text(entry.rejected->reason), facts(entry.rejected->reason).meaning);
    } else if (stayed(decision)) {
      text +=
          fmt::format(", stayed in {}: {}{}{}", decision.pool, to_text(*decision.fallback_reason),
                      decision.change.empty() ? "" : ", ", decision.change);
    } else if (decision.fallback_reason) {
      text += fmt::format(" as a fallback from {}: {}", decision.preferred_pool,
                          to_text(*decision.fallback_reason));
    } else if (!decision.top.empty()) {
      text += fmt::format(", score {:.3f}, best of {}", decision.top.front().score,
                          decision.considered);
    }
    region.field(at, row, region.columns() - at, text, style);
    ++row;
  }
}

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
