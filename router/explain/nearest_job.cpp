// Changes of the job itself: another precision, fewer tokens, another size, another software.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/decision/criteria.h"
#include "router/explain/nearest_changes.h"

namespace drover::router {
namespace {

bool fails_kind(const Missed& missed, Reason reason) {
  return (missed.kind.failed & filters_of(reason)) != 0;
}

/// The size of a gang that the place takes, nearest to the one that is wanted.
int nearest_size(const Missed& missed) {
  const int wanted = missed.question.ask.job->work.devices;
  const auto& of_pool = missed.question.pool->slices;
  const auto& sizes = of_pool.empty() ? missed.kind.spec->slice_sizes : of_pool;
  int nearest = std::min(wanted, missed.kind.group_devices);
  for (const int size : sizes) {
    if (size > missed.kind.group_devices) continue;
    const bool first = std::find(sizes.begin(), sizes.end(), nearest) == sizes.end();
    if (first || std::abs(size - wanted) < std::abs(nearest - wanted)) nearest = size;
  }
  return nearest;
}

Found allow_distance(const Missed& missed) {
  const double over_s = missed.rows.rtt_s[missed.row] - missed.question.rule.rtt_max_s;
  const double more_ms = rounded_up(over_s * 1e3, 1);
  return change_of(more_ms, fmt::format("+{:.0f} ms of require.rtt_ms", more_ms),
                   [more_ms, rule = missed.question.rule.name](Trial& trial) {
                     if (Rule* found = trial.rule(rule)) found->rtt_max_s += more_ms / 1e3;
                   });
}

}  // namespace

Found allow_precision(const Missed& missed) {
  if (!missed.kind.precision) return std::nullopt;
  const Precision precision = *missed.kind.precision;
  return change_of(0, fmt::format("{} allowed", to_text(precision)),
                   [precision, rule = missed.question.rule.name](Trial& trial) {
                     const auto allow = [&](std::vector<Precision>& list) {
                       const bool there =
                           std::find(list.begin(), list.end(), precision) != list.end();
                       if (!list.empty() && !there) list.push_back(precision);
                     };
                     allow(trial.job.work.precisions);
                     if (Rule* found = trial.rule(rule)) allow(found->precisions);
                   });
}

Found take_fewer_tokens(const Missed& missed) {
  const Question& question = missed.question;
  std::uint64_t limit = question.ask.model->context_max;
  const std::uint64_t of_pool = question.pool->context_max;
  if (of_pool > 0) limit = limit > 0 ? std::min(limit, of_pool) : of_pool;
  const std::uint64_t over = question.need_tokens - std::min(limit, question.need_tokens);
  if (over > question.ask.job->work.input_tokens) return std::nullopt;
  return change_of(
      static_cast<double>(over), counted(over, "token fewer", "tokens fewer"),
      [over](Trial& trial) { trial.job.work.input_tokens -= static_cast<std::uint32_t>(over); });
}

Found take_other_topology(const Missed& missed) {
  if (!fails_kind(missed, Reason::topology)) return allow_distance(missed);
  const int wanted = missed.question.ask.job->work.devices;
  const int nearest = nearest_size(missed);
  if (nearest == wanted) {
    return change_of(0, "any interconnect (require.interconnect)",
                     [rule = missed.question.rule.name](Trial& trial) {
                       if (Rule* found = trial.rule(rule)) found->interconnects.clear();
                     });
  }
  const auto count = static_cast<std::uint64_t>(nearest);
  return change_of(
      std::abs(static_cast<double>(nearest - wanted)),
      fmt::format("{} instead of {}", counted(count, "device"), wanted),
      [nearest](Trial& trial) { trial.job.work.devices = static_cast<std::uint16_t>(nearest); });
}

Found take_other_framework(const Missed& missed) {
  const Pool& pool = *missed.question.pool;
  const Needs& needs = missed.question.needs;
  const auto& able = pool.frameworks.empty() ? missed.kind.spec->frameworks : pool.frameworks;
  const bool runs = needs.framework.empty() || able.empty() ||
                    std::find(able.begin(), able.end(), needs.framework) != able.end();
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
                     [to = able.front()](Trial& trial) { trial.job.work.framework = to; });
  }
  return change_of(0, names, [others](Trial& trial) {
    for (const std::string& name : others) trial.job.work.versions.erase(name);
  });
}

Found without_operations(const Missed& missed) {
  const auto& pool = *missed.question.pool;
  const auto lacks = [&](const std::string& op) {
    const auto in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), op) != list.end();
    };
    const bool dynamic = pool.dynamic_shapes == false && op == "dynamic_shape";
    return dynamic || in(missed.kind.spec->missing_ops) || in(pool.missing_ops);
  };
  std::vector<std::string> missing;
  std::string names;
  for (const std::string& op : missed.question.ask.job->work.ops) {
    if (!lacks(op)) continue;
    missing.push_back(op);
    names += (names.empty() ? "without operation " : ", ") + op;
  }
  return change_of(0, names, [missing](Trial& trial) {
    std::erase_if(trial.job.work.ops, [&](const std::string& op) {
      return std::find(missing.begin(), missing.end(), op) != missing.end();
    });
  });
}

Found wait_longer(const Missed& missed) {
  const Question& question = missed.question;
  const double own_s = to_seconds(question.ask.job->deadline);
  const double finish_s = missed.rows.finish_s[missed.row];
  double over_s = own_s > 0 ? question.waited_s + finish_s - own_s : 0;
  const double rule_s = question.rule.slo_deadline_s;
  if (rule_s > 0) over_s = std::max(over_s, finish_s - rule_s);
  if (!std::isfinite(over_s)) return std::nullopt;
  const double more_s = duration_rounded_up(over_s);
  return change_of(more_s, "+" + duration_text(more_s) + " of deadline",
                   [more_s, rule = question.rule.name](Trial& trial) {
                     if (trial.job.deadline > Duration{0}) {
                       trial.job.deadline += from_seconds(more_s);
                     }
                     Rule* found = trial.rule(rule);
                     if (found != nullptr && found->slo_deadline_s > 0) {
                       found->slo_deadline_s += more_s;
                     }
                   });
}

}  // namespace drover::router
