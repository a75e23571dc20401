#include "tests/commands/consistency/published_stream_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "fleet/filter/filter.h"
#include "router/policy/alert_rules.h"

namespace drover::commands {
namespace {

namespace condition = router::condition;
using filter::Field;

/// As many as a dashboard keeps.
constexpr std::size_t decisions_kept = 500;
/// So near to its cap a pool or the site is at it (docs/policies.md, power_cap).
constexpr double at_cap_share = 0.98;
/// A sender's messages are new for so long: less than its alert stays up.
constexpr Duration junk_is_new_for = std::chrono::seconds(30);
constexpr std::uint32_t throttles_for_heat =
    throttle_sw_thermal_slowdown | throttle_hw_thermal_slowdown;

double part_of(double part, double whole) { return whole > 0 ? part / whole : absent; }

/// A pool or the site, as filters of alert rules ask of it: docs/filters.md once more, from what a
/// summary says.
class Summed : public filter::FilterSubject {
 public:
  std::map<Field, double> numbers;
  std::string pool;

  double number(Field field) const override {
    const auto found = numbers.find(field);
    return found == numbers.end() ? absent : found->second;
  }
  void texts(Field field, filter::TextMatcher& test) const override {
    if (field == Field::pool && !pool.empty()) test.match(pool);
  }
};

Summed of_pool(const PoolReport& report) {
  const auto all = static_cast<double>(report.devices + report.lost);
  const auto ill = static_cast<double>(report.lost + report.unusable + report.ejected);
  Summed pool;
  pool.pool = report.name;
  pool.numbers = {{Field::devices, static_cast<double>(report.devices)},
                  {Field::healthy, part_of(std::max(0.0, all - ill), all)},
                  {Field::queue, static_cast<double>(report.queued)},
                  {Field::power, report.power_w},
                  {Field::spend, report.spend_usd_per_h},
                  {Field::power_share, part_of(report.power_w, report.power_cap_w)}};
  if (report.power_cap_w > 0) pool.numbers[Field::cap] = report.power_cap_w;
  return pool;
}

Summed of_site(const Summary& sums, const router::Limits& limits, double cap_w) {
  const auto queued = static_cast<double>(sums.queued);
  Summed site;
  site.numbers = {
      {Field::queue, queued},
      {Field::queue_share, part_of(queued, static_cast<double>(limits.queue_max))},
      {Field::power, sums.power_w},
      {Field::power_share, part_of(sums.power_w, cap_w)},
      {Field::spend, sums.spend_usd_per_h},
      {Field::spend_share, part_of(sums.spend_usd_per_h, sums.budget_usd_per_h)},
  };
  if (cap_w > 0) site.numbers[Field::cap] = cap_w;
  return site;
}

bool holds_for(const std::string& filter, std::string_view about,
               const filter::FilterSubject& thing) {
  const auto parsed = filter::Filter::parse(filter, filtered_subjects(about).value());
  DROVER_REQUIRE(std::holds_alternative<filter::Filter>(parsed));
  return std::get<filter::Filter>(parsed).matches(thing);
}

}  // namespace

PublishedStreamView::PublishedStreamView(const router::Policy& policy, Instant now)
    : policy_(policy), life_began_(now) {
  if (policy.limits.site_admission_only) admits_only_.insert("site");
  for (const std::string& pool : policy.limits.pools_admission_only) {
    admits_only_.insert("pool:" + pool);
  }
}

void PublishedStreamView::begin_life(Instant now) {
  life_began_ = now;
  decisions_.clear();
  held_.clear();
  hot_.clear();
  junk_.clear();
}

void PublishedStreamView::hear(Instant now, const Envelope& envelope) {
  if (const auto* policy = std::get_if<PolicyChanged>(&envelope.body)) {
    told_policy_ = *policy;
  } else if (const auto* audit = std::get_if<Audit>(&envelope.body)) {
    take(*audit);
  } else if (const auto* alert = std::get_if<Alert>(&envelope.body)) {
    alerts_told_[{alert->rule, alert->subject}] = now;
  } else if (const auto* summary = std::get_if<Summary>(&envelope.body)) {
    take(now, *summary);
  } else if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
    take(now, *batch);
  } else if (const auto* decision = std::get_if<Decision>(&envelope.body)) {
    decisions_.push_back(*decision);
    if (decisions_.size() > decisions_kept) decisions_.pop_front();
    if (decision->action == Action::assign) {
      ++flows_[{decision->preferred_pool, decision->pool, decision->fallback_reason,
                fell_back(*decision)}];
    }
  }
}

const std::vector<Sample>& PublishedStreamView::samples_of(const DeviceId& device) const {
  static const std::vector<Sample> none;
  const auto found = samples_.find(device);
  return found == samples_.end() ? none : found->second;
}

void PublishedStreamView::note(Instant now, std::string_view rule, const std::string& subject,
                               bool holds, bool over) {
  Held& held = held_[{std::string(rule), subject}];
  held.holds_since = holds ? std::min(held.holds_since, now) : never;
  held.over_since = over ? std::min(held.over_since, now) : never;
}

void PublishedStreamView::take(const Audit& audit) {
  if (!audit.applied || !audit.action.starts_with("cap ")) return;
  if (audit.action.ends_with("for new work only")) {
    admits_only_.insert(audit.target);
  } else {
    admits_only_.erase(audit.target);
  }
}

void PublishedStreamView::take(Instant now, const Summary& summary) {
  summary_ = summary;
  look_at_caps(now, summary);
  look_at_rules(now, summary);
  look_at_junk(now, summary);
}

void PublishedStreamView::look_at_caps(Instant now, const Summary& summary) {
  const auto look = [&](const std::string& subject, double power_w, double cap_w) {
    const bool at_cap = cap_w > 0 && power_w >= at_cap_share * cap_w;
    const bool above = cap_w > 0 && power_w > cap_w;
    note(now, condition::power_cap, subject, at_cap, !at_cap);
    note(now, condition::power_cap_unmet, subject, above, !above);
  };
  look("site", summary.power_w, site_cap_w());
  for (const PoolReport& pool : summary.pools) {
    look("pool:" + pool.name, pool.power_w, pool.power_cap_w);
  }
}

void PublishedStreamView::look_at_rules(Instant now, const Summary& summary) {
  const auto look = [&](const AlertRuleText& rule, const std::string& subject,
                        const Summed& thing) {
    const bool holds = holds_for(rule.when, rule.about, thing);
    const bool clear = rule.clear.empty() || holds_for(rule.clear, rule.about, thing);
    note(now, rule.name, subject, holds, !holds && clear);
  };
  for (const AlertRule& rule : policy_.alerts) {
    if (rule.built_in || !rule.enabled) continue;
    const std::string& about = rule.published.about;
    if (about == "site")
      look(rule.published, about, of_site(summary, policy_.limits, site_cap_w()));
    if (about != "pool") continue;
    for (const PoolReport& pool : summary.pools) {
      look(rule.published, "pool:" + pool.name, of_pool(pool));
    }
  }
}

void PublishedStreamView::look_at_junk(Instant now, const Summary& summary) {
  for (const SenderCount& sender : summary.undecodable_by_sender) {
    const auto [known, first] =
        junk_.try_emplace(sender.sender, Junk{sender.count, Instant::min()});
    Junk& junk = known->second;
    if (sender.count > junk.count) junk = {sender.count, now};
    const bool is_new = junk.came != Instant::min() && now - junk.came < junk_is_new_for;
    note(now, condition::undecodable, sender.sender, is_new, !is_new);
  }
}

void PublishedStreamView::take(Instant now, const SampleBatch& batch) {
  if (!check(batch)) return;
  auto& hot = hot_[batch.host];
  for (const Sample& sample : unpack(batch)) {
    samples_[{batch.host, sample.device}].push_back(sample);
    const double bits = sample[Metric::throttle];
    hot[sample.device] =
        !std::isnan(bits) && (static_cast<std::uint32_t>(bits) & throttles_for_heat) != 0;
  }
  const bool slowed =
      std::any_of(hot.begin(), hot.end(), [](const auto& device) { return device.second; });
  note(now, condition::throttling, batch.host, slowed, !slowed);
}

}  // namespace drover::commands
