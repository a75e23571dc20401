#include "tui/moments/change_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/model/alert_words.h"

namespace drover::tui {
namespace {

struct StateWords {
  StateChange change;
  std::string_view words;
  CellStyle style;
};
// What is worst comes first.
constexpr std::array<StateWords, state_change_count> state_words = {{
    {StateChange::host_lost, "host lost", CellStyle::critical},
    {StateChange::host_left, "host left", CellStyle::warm},
    {StateChange::host_back, "host back", CellStyle::good},
    {StateChange::host_joined, "host joined", CellStyle::good},
    {StateChange::unusable, "unusable", CellStyle::critical},
    {StateChange::usable, "usable again", CellStyle::good},
    {StateChange::throttling, "throttling begun", CellStyle::hot},
    {StateChange::not_throttling, "throttling ended", CellStyle::good},
    {StateChange::silent, "samples stopped", CellStyle::warm},
    {StateChange::heard, "samples again", CellStyle::good},
    {StateChange::faulty, "fault injected", CellStyle::fault},
    {StateChange::repaired, "fault ended", CellStyle::good},
    {StateChange::drained, "drained", CellStyle::warm},
    {StateChange::resumed, "resumed", CellStyle::good},
}};

std::string celsius_of(double celsius) { return fmt::format("{:.0f}C", celsius); }
std::string plain_count_text(double count) { return fmt::format("{:.0f}", count); }

/// In the order of compared_readings.
constexpr std::array<std::string (*)(double), compared_readings.size()> reading_texts = {
    percent_text, watts_text, celsius_of, bytes_text};

/// "12% -> 54%"
std::string from_to(std::string_view before, std::string_view after) {
  return fmt::format("{} -> {}", before, after);
}

ChangeSection states_section(const MomentChanges& changes) {
  ChangeSection section{"Hosts and devices", "", {{"", 17}, {"", 5, Align::right}, {"", 10}}, {}};
  for (const StateWords& state : state_words) {
    const std::vector<std::string>& hosts = changes.hosts_of(state.change);
    const std::vector<DeviceId>& devices = changes.devices_of(state.change);
    const std::size_t count = hosts.size() + devices.size();
    if (count == 0) continue;
    section.lines.push_back({{std::string(state.words), fmt::format("{}", count),
                              hosts.empty() ? devices_text(devices) : joined(hosts, " ")},
                             state.style});
  }
  return section;
}

std::string reasons_text(const std::map<Reason, std::uint64_t>& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons) {
    add_part(text, ", ", fmt::format("{} {}", to_text(reason), count));
  }
  return text;
}

std::uint64_t sum_of(const std::map<Reason, std::uint64_t>& reasons) {
  std::uint64_t sum = 0;
  for (const auto& [reason, count] : reasons) sum += count;
  return sum;
}

void add_counts(ChangeSection& section, const CountedChange& counted) {
  const auto add = [&](std::string_view name, std::uint64_t count, CellStyle style,
                       std::string reasons = {}) {
    section.lines.push_back({{std::string(name), fmt::format("+{}", count), std::move(reasons)},
                             count > 0 ? style : CellStyle::faint});
  };
  add("accepted", counted.accepted, CellStyle::plain);
  add("finished", counted.finished, CellStyle::good);
  add("failed", counted.failed, CellStyle::critical, reasons_text(counted.failures));
  add("cancelled", counted.cancelled, CellStyle::warm);
  add("fell back", sum_of(counted.fallbacks), CellStyle::warm, reasons_text(counted.fallbacks));
  if (counted.retries > 0) add("retries", counted.retries, CellStyle::warm);
  if (counted.preempted > 0) add("preempted", counted.preempted, CellStyle::warm);
}

ChangeSection jobs_section(const MomentChanges& changes) {
  ChangeSection section{"Jobs", "", {{"", 12}, {"", 9, Align::right}, {"", 14}}, {}};
  if (!changes.before || !changes.after) {
    section.lines.push_back({{"not known", "", "the router's sums had not arrived"}});
    return section;
  }
  if (changes.counted) {
    add_counts(section, *changes.counted);
  } else {
    section.lines.push_back({{"not counted", "", "the router has another ledger"}});
  }
  const auto level = [&](std::string_view name, std::uint64_t before, std::uint64_t after) {
    const double change = static_cast<double>(after) - static_cast<double>(before);
    section.lines.push_back({{std::string(name), signed_text(plain_count_text, change),
                              from_to(fmt::format("{}", before), fmt::format("{}", after))},
                             change == 0 ? CellStyle::faint : CellStyle::plain});
  };
  level("running", changes.before->running, changes.after->running);
  level("waiting", changes.before->queued, changes.after->queued);
  if (changes.counted) {
    section.lines.push_back(
        {{"energy", signed_text(joules_text, changes.counted->energy_j), "of the fleet"}});
    section.lines.push_back(
        {{"cost", signed_text(dollars_text, changes.counted->cost_usd), "of the fleet"}});
  }
  return section;
}

/// The figures of a pool, or of the site, that are compared.
struct PoolFigures {
  double usable = absent, power_w = absent, usd_per_h = absent, queued = absent;
};

PoolFigures figures_of(const std::optional<PoolReport>& pool) {
  if (!pool) return {};
  return {static_cast<double>(pool->usable), pool->power_w, pool->spend_usd_per_h,
          static_cast<double>(pool->queued)};
}

PoolFigures figures_of(const Summary& site) {
  return {absent, site.power_w, site.spend_usd_per_h, static_cast<double>(site.queued)};
}

/// Empty for what is not known or has not changed.
std::string changed_text(double before, double after, std::string (*text)(double)) {
  if (std::isnan(before) || std::isnan(after)) return "";
  const std::string change = signed_text(text, after - before);
  return change == signed_text(text, 0) || text(after) == text(before) ? "" : change;
}

ChangeLine pool_change_line(const std::string& name, const PoolFigures& before,
                            const PoolFigures& after) {
  const bool fewer = after.usable < before.usable;
  return {{name, changed_text(before.usable, after.usable, plain_count_text),
           changed_text(before.power_w, after.power_w, watts_text),
           changed_text(before.usd_per_h, after.usd_per_h, dollars_text),
           changed_text(before.queued, after.queued, plain_count_text)},
          fewer ? CellStyle::critical : CellStyle::good};
}

ChangeSection pools_section(const MomentChanges& changes) {
  ChangeSection section{"Pools",
                        "",
                        {{"POOL", 12},
                         {"USABLE", 6, Align::right},
                         {"POWER", 8, Align::right},
                         {"$/h", 9, Align::right},
                         {"QUEUED", 7, Align::right}},
                        {}};
  const auto add = [&](ChangeLine line) {
    const bool changed = std::any_of(line.cells.begin() + 1, line.cells.end(),
                                     [](const std::string& cell) { return !cell.empty(); });
    if (changed) section.lines.push_back(std::move(line));
  };
  for (const PoolChange& pool : changes.pools) {
    if (!pool.before || !pool.after) {
      section.lines.push_back({{pool.name, pool.before ? "gone" : "new", "", "", ""},
                               pool.before ? CellStyle::warm : CellStyle::good});
      continue;
    }
    add(pool_change_line(pool.name, figures_of(pool.before), figures_of(pool.after)));
  }
  if (changes.before && changes.after) {
    add(pool_change_line("site", figures_of(*changes.before), figures_of(*changes.after)));
  }
  return section;
}

ChangeSection alerts_section(const MomentChanges& changes) {
  constexpr std::size_t alerts_most = 20;  // of each kind
  ChangeSection section{"Alerts", "", {{"", 9}, {"", 9}, {"", 14}}, {}};
  const auto add = [&](std::string_view verb, const std::vector<MomentAlert>& alerts,
                       CellStyle style) {
    for (std::size_t i = 0; i < std::min(alerts.size(), alerts_most); ++i) {
      const MomentAlert& alert = alerts[i];
      section.lines.push_back(
          {{std::string(verb), std::string(to_text(alert.severity)),
            fmt::format("{} {}", alert.key.subject, alert_words(alert.key.rule))},
           style != CellStyle::good && alert.severity == Severity::critical ? CellStyle::critical
                                                                            : style});
    }
    if (alerts.size() <= alerts_most) return;
    section.lines.push_back(
        {{std::string(verb), "", fmt::format("{} more", alerts.size() - alerts_most)}});
  };
  add("raised", changes.raised, CellStyle::warm);
  add("cleared", changes.cleared, CellStyle::good);
  return section;
}

ChangeSection reading_section(const MomentChanges& changes, std::size_t metric,
                              std::size_t devices_most) {
  std::string title(compared_readings[metric].name);
  title.front() = static_cast<char>(title.front() - 'a' + 'A');
  const bool points = compared_readings[metric].metric == Metric::utilization;
  ChangeSection section{std::move(title),
                        points ? "greatest changes, in points" : "greatest changes",
                        {{"", 17}, {"", 8, Align::right}, {"", 15}},
                        {}};
  const auto text = reading_texts[metric];
  for (const DeviceChange& change : changes.readings[metric]) {
    if (section.lines.size() >= devices_most) break;
    const double more = change.after - change.before;
    section.lines.push_back({{to_text(change.id), signed_text(text, more),
                              from_to(text(change.before), text(change.after))},
                             more > 0 ? CellStyle::warm : CellStyle::accent});
  }
  return section;
}

/// "0-3,7"
std::string index_ranges(std::vector<DeviceId>::const_iterator begin,
                         std::vector<DeviceId>::const_iterator end) {
  std::string text;
  while (begin != end) {
    auto last = begin;
    while (std::next(last) != end && std::next(last)->index == last->index + 1) ++last;
    add_part(text, ",",
             begin == last ? fmt::format("{}", begin->index)
                           : fmt::format("{}-{}", begin->index, last->index));
    begin = std::next(last);
  }
  return text;
}

}  // namespace

bool ChangeSection::has_titles() const {
  return std::ranges::any_of(columns, [](const ChangeColumn& one) { return !one.title.empty(); });
}

int ChangeSection::rows() const {
  return 1 + (has_titles() && !lines.empty() ? 1 : 0) + std::max(1, static_cast<int>(lines.size()));
}

std::string changes_title(const MomentChanges& changes) {
  return fmt::format("Changes from {} to {}, {}", to_clock_text(changes.from),
                     to_clock_text(changes.to),
                     duration_text(to_seconds(changes.to - changes.from)));
}

std::string devices_text(const std::vector<DeviceId>& devices) {
  std::string text;
  for (auto begin = devices.begin(); begin != devices.end();) {
    const auto end = std::find_if(begin, devices.end(),
                                  [&](const DeviceId& id) { return id.host != begin->host; });
    add_part(text, " ", fmt::format("{}/{}", begin->host, index_ranges(begin, end)));
    begin = end;
  }
  return text;
}

std::vector<ChangeSection> sections_of(const MomentChanges& changes, std::size_t devices_most) {
  std::vector<ChangeSection> sections;
  sections.push_back(states_section(changes));
  sections.push_back(jobs_section(changes));
  sections.push_back(pools_section(changes));
  sections.push_back(alerts_section(changes));
  for (std::size_t metric = 0; metric < compared_readings.size(); ++metric) {
    sections.push_back(reading_section(changes, metric, devices_most));
  }
  return sections;
}

std::vector<std::string> texts_of(const std::vector<ChangeSection>& sections) {
  std::vector<std::string> texts;
  for (const ChangeSection& section : sections) {
    for (const ChangeLine& line : section.lines) {
      std::string text = section.title + ":";
      for (const std::string& cell : line.cells) {
        if (!cell.empty()) text += " " + cell;
      }
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace drover::tui
