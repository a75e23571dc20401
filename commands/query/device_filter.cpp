#include "commands/query/device_filter.h"

#include <fmt/format.h>

#include "fleet/base/contains.h"
#include "fleet/filter/device.h"
#include "fleet/job_target.h"

namespace drover::commands {

namespace {

using filter::Field;
using filter::TextMatcher;

class FilteredDevice : public filter::FilterSubject {
 public:
  FilteredDevice(const DeviceRow& row, const FleetView& fleet, const tui::SpecRow& spec)
      : row_(row), fleet_(fleet), spec_(spec) {}

  double number(Field field) const override {
    filter::DeviceFacts facts;
    facts.index = row_.id.index;
    facts.group = row_.group->number;
    facts.condition = row_.standing;
    facts.slowdown_c = spec_.slowdown_c;
    facts.group_cap_w = row_.group->power_cap_w;
    facts.price_usd_per_h = price_usd_per_h();
    return filter::number_of(field, facts, [&](Metric metric) { return row_.sample[metric]; });
  }

  void texts(Field field, TextMatcher& test) const override {
    switch (field) {
      case Field::id:
        test.match(to_text(row_.id));
        break;
      case Field::host:
        test.match(row_.id.host);
        break;
      case Field::rack:
        show_known(registration().rack, test);
        break;
      case Field::site:
        show_known(registration().site, test);
        break;
      case Field::kind:
        test.match(to_text(spec_.device_class));
        test.match(row_.group->device);
        break;
      case Field::pool:
        show_pool(test);
        break;
      case Field::label:
        for (const auto& [key, value] : registration().labels)
          test.match(fmt::format("{}={}", key, value));
        break;
      case Field::state:
        filter::show_states(row_.standing, test);
        break;
      case Field::throttle:
        filter::show_throttle_reasons(row_.sample[Metric::throttle], test);
        break;
      case Field::model:
        show_models(test);
        break;
      case Field::job:
      case Field::tenant:
        show_jobs(field, test);
        break;
      case Field::alert:
        show_alerts(test);
        break;
      case Field::pause:
        if (!gone()) test.match(row_.pause == Pause::none ? "no" : to_text(row_.pause));
        break;
      default:
        break;
    }
  }

 private:
  const Register& registration() const { return row_.host->changed.registration; }
  bool gone() const { return is_gone(row_.host->changed.health); }

  /// The policy's price, or that of the device's spec if the router has reported none.
  double price_usd_per_h() const {
    const std::size_t group = group_index();
    const auto& prices = row_.host->changed.prices_usd_per_h;
    return group < prices.size() ? prices[group]
                                 : spec_.price_usd_per_h * registration().price_factor;
  }

  std::size_t group_index() const {
    return static_cast<std::size_t>(row_.group - registration().groups.data());
  }

  static void show_known(const std::string& text, TextMatcher& test) {
    if (!text.empty()) test.match(text);
  }

  void show_pool(TextMatcher& test) const {
    const std::size_t group = group_index();
    const HostChanged& host = row_.host->changed;
    if (group < host.pools.size()) show_known(host.pools[group], test);
    for (const GroupPool& further : host.further_pools) {
      if (further.group == group) test.match(further.pool);
    }
  }

  void show_models(TextMatcher& test) const {
    if (gone()) return;
    for (const Replica* replica : fleet_.replicas_on(row_.id)) test.match(replica->model);
    for_jobs([&](const JobId&, const FleetView::PlacedJob& job) { test.match(job.model); });
  }

  void show_jobs(Field field, TextMatcher& test) const {
    if (gone()) return;
    for_jobs([&](const JobId& id, const FleetView::PlacedJob& job) {
      if (field == Field::tenant) {
        test.match(job.tenant);
      } else {
        test.match(to_text(id));
        test.match(job.model);
      }
    });
  }

  void show_alerts(TextMatcher& test) const {
    const std::string device = to_text(row_.id);
    for (const auto& [subject, rules] : fleet_.alerts()) {
      if (!filter::is_about_device(subject, device, row_.id.host)) continue;
      for (const std::string& rule : rules) test.match(rule);
    }
  }

  template <typename Visit>
  void for_jobs(const Visit& visit) const {
    for (const auto& [id, job] : row_.host->jobs) {
      if (is_here(job.place)) visit(id, job);
    }
  }

  bool is_here(std::string_view place) const {
    const auto number = replica_in(place);
    if (!number) return lists_device(place, row_.id.index);
    const auto replica = fleet_.replicas().find({row_.id.host, *number});
    return replica != fleet_.replicas().end() &&
           contains(replica->second.replica.devices, row_.id.index);
  }

  const DeviceRow& row_;
  const FleetView& fleet_;
  const tui::SpecRow& spec_;
};

}  // namespace

void DeviceFilter::narrow(std::vector<DeviceRow>& rows, const FleetView& fleet) {
  if (filter_.empty()) return;
  std::erase_if(rows, [&](const DeviceRow& row) {
    return !filter_.matches(FilteredDevice(row, fleet, spec_of(row)));
  });
}

const tui::SpecRow& DeviceFilter::spec_of(const DeviceRow& row) {
  const std::string& id = row.group->device;
  std::string_view text;
  for (const SpecText& spec : row.host->changed.registration.specs) {
    if (spec.id == id) text = spec.text;
  }
  const auto known = specs_.find(text);
  if (known != specs_.end()) return known->second;
  // Limits the memory if a host reports other specs each time.
  if (specs_.size() >= tui::specs_max) specs_.clear();
  return specs_.emplace(text, tui::parse_spec_row(id, text)).first->second;
}

}  // namespace drover::commands
