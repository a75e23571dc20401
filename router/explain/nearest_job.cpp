// Changes of the job itself: another precision, fewer tokens, another size, other software.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/decision/criteria.h"
#include "router/explain/nearest_change.h"

namespace drover::router {
namespace {

bool fails_kind(const RejectedCandidate& rejected, Reason reason) {
  return (rejected.kind.failed & filters_of(reason)) != 0;
}

/// The gang size nearest to the requested one that the candidate accepts.
int nearest_size(const RejectedCandidate& rejected) {
  const int wanted = rejected.query.request.job->work.devices;
  const std::vector<int>& sizes = rejected.query.slices_of(*rejected.kind.spec);
  int nearest = std::min(wanted, rejected.kind.group_devices);
  for (const int size : sizes) {
    if (size > rejected.kind.group_devices) continue;
    const bool first = !contains(sizes, nearest);
    if (first || std::abs(size - wanted) < std::abs(nearest - wanted)) nearest = size;
  }
  return nearest;
}

std::optional<Change> allow_distance(const RejectedCandidate& rejected) {
  const double over_s = rejected.rows.rtt_s[rejected.row] - rejected.query.rule.rtt_max_s;
  const double more_ms = rounded_up(over_s * 1e3, 1);
  return change_of_rule(rejected, more_ms,
                        fmt::format("require.rtt_ms raised by {:.0f} ms", more_ms),
                        [more_ms](Rule& rule) { rule.rtt_max_s += more_ms / 1e3; });
}

}  // namespace

std::optional<Change> allow_precision(const RejectedCandidate& rejected) {
  if (!rejected.kind.precision) return std::nullopt;
  const Precision precision = *rejected.kind.precision;
  return change_of(0, fmt::format("{} allowed", to_text(precision)),
                   [precision, rule = rejected.query.rule.name](WhatIf& what_if) {
                     const auto allow = [&](std::vector<Precision>& list) {
                       if (!list.empty() && !contains(list, precision)) list.push_back(precision);
                     };
                     allow(what_if.job.work.precisions);
                     if (Rule* found = what_if.rule(rule)) allow(found->precisions);
                   });
}

std::optional<Change> take_fewer_tokens(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  std::uint64_t limit = query.request.model->context_max;
  const std::uint64_t of_pool = query.pool->context_max;
  if (of_pool > 0) limit = limit > 0 ? std::min(limit, of_pool) : of_pool;
  const std::uint64_t over = query.need_tokens - std::min(limit, query.need_tokens);
  if (over > query.request.job->work.input_tokens) return std::nullopt;
  return change_of(static_cast<double>(over), counted(over, "fewer token"),
                   [over](WhatIf& what_if) {
                     what_if.job.work.input_tokens -= static_cast<std::uint32_t>(over);
                   });
}

std::optional<Change> take_other_topology(const RejectedCandidate& rejected) {
  if (!fails_kind(rejected, Reason::topology)) return allow_distance(rejected);
  const int wanted = rejected.query.request.job->work.devices;
  const int nearest = nearest_size(rejected);
  if (nearest == wanted) {
    return change_of_rule(rejected, 0, "any interconnect (require.interconnect)",
                          [](Rule& rule) { rule.interconnects.clear(); });
  }
  const auto count = static_cast<std::uint64_t>(nearest);
  return change_of(std::abs(static_cast<double>(nearest - wanted)),
                   fmt::format("{} instead of {}", counted(count, "device"), wanted),
                   [nearest](WhatIf& what_if) {
                     what_if.job.work.devices = static_cast<std::uint16_t>(nearest);
                   });
}

std::optional<Change> take_other_framework(const RejectedCandidate& rejected) {
  const Pool& pool = *rejected.query.pool;
  const Needs& needs = rejected.query.needs;
  const auto& able = pool.frameworks.empty() ? rejected.kind.spec->frameworks : pool.frameworks;
  const bool runs = needs.framework.empty() || able.empty() || contains(able, needs.framework);
  std::vector<std::string> others;  // software whose version does not run there
  std::string names;
  for (const auto& [name, version] : needs.versions) {
    const auto range = pool.versions.find(name);
    if (range == pool.versions.end() || range->second.holds(version)) continue;
    others.push_back(name);
    names += (names.empty() ? "another version of " : " and ") + name;
  }
  if (runs == others.empty()) return std::nullopt;  // nothing, or two changes
  if (!runs) {
    return change_of(0, fmt::format("framework {} instead of {}", able.front(), needs.framework),
                     [to = able.front()](WhatIf& what_if) { what_if.job.work.framework = to; });
  }
  return change_of(0, names, [others](WhatIf& what_if) {
    for (const std::string& name : others) what_if.job.work.versions.erase(name);
  });
}

std::optional<Change> without_operations(const RejectedCandidate& rejected) {
  const auto& pool = *rejected.query.pool;
  const auto lacks = [&](const std::string& op) {
    const bool dynamic = pool.dynamic_shapes == false && op == "dynamic_shape";
    return dynamic || contains(rejected.kind.spec->missing_ops, op) ||
           contains(pool.missing_ops, op);
  };
  std::vector<std::string> missing;
  std::string names;
  for (const std::string& op : rejected.query.request.job->work.ops) {
    if (!lacks(op)) continue;
    missing.push_back(op);
    names += (names.empty() ? "without operation " : ", ") + op;
  }
  return change_of(0, names, [missing](WhatIf& what_if) {
    std::erase_if(what_if.job.work.ops,
                  [&](const std::string& op) { return contains(missing, op); });
  });
}

}  // namespace drover::router
