#include "commands/device_filter.h"

#include <algorithm>
#include <utility>

#include "fleet/filter_sample.h"
#include "fleet/placement.h"

namespace drover::commands {

namespace {

using filter::Field;
using filter::TextTest;

class FilteredDevice : public filter::Thing {
 public:
  FilteredDevice(const DeviceRow& row, const FleetView& fleet, const tui::SpecRow& spec,
                 double stale_after_s)
      : row_(row), fleet_(fleet), spec_(spec), stale_after_s_(stale_after_s) {}

  double number(Field field) const override {
    switch (field) {
      case Field::index:
        return row_.id.index;
      case Field::group:
        return row_.group->number;
      case Field::age:
        return row_.age_s;
      case Field::headroom:
        return spec_.slowdown_c > 0 ? spec_.slowdown_c - row_.sample[Metric::temperature] : absent;
      case Field::price:
        return spec_.price_usd_per_h > 0 ? spec_.price_usd_per_h * hello().price_factor : absent;
      default:
        return filter::sampled(field, [&](Metric metric) { return row_.sample[metric]; });
    }
  }

  void texts(Field field, TextTest& test) const override {
    switch (field) {
      case Field::id:
        test.see(to_text(row_.id));
        break;
      case Field::host:
        test.see(row_.id.host);
        break;
      case Field::rack:
        show_known(hello().rack, test);
        break;
      case Field::site:
        show_known(hello().site, test);
        break;
      case Field::kind:
        test.see(to_text(spec_.device_class));
        test.see(row_.group->device);
        break;
      case Field::pool:
        show_pool(test);
        break;
      case Field::label:
        for (const auto& [key, value] : hello().labels) test.see(key + "=" + value);
        break;
      case Field::state:
        show_states(test);
        break;
      case Field::slowed:
        filter::show_slowed(row_.sample[Metric::throttle], test);
        break;
      case Field::model:
        show_models(test);
        break;
      case Field::job:
      case Field::tenant:
        show_jobs(field, test);
        break;
      case Field::alert:
        show_alerts(to_text(row_.id), test);
        show_alerts(row_.id.host, test);
        break;
      default:
        break;
    }
  }

 private:
  const Hello& hello() const { return row_.host->changed.hello; }
  bool lost() const { return row_.host->changed.health == Health::lost; }

  static void show_known(const std::string& text, TextTest& test) {
    if (!text.empty()) test.see(text);
  }

  void show_pool(TextTest& test) const {
    const auto place = static_cast<std::size_t>(row_.group - hello().groups.data());
    const std::vector<std::string>& pools = row_.host->changed.pools;
    if (place < pools.size()) show_known(pools[place], test);
  }

  void show_states(TextTest& test) const {
    const Health health = row_.host->changed.health;
    const auto found = row_.host->conditions.find(row_.id.index);
    const DeviceChanged* condition =
        found == row_.host->conditions.end() ? nullptr : &found->second;
    const std::pair<bool, std::string_view> states[] = {
        {health == Health::lost, "lost"},
        {health == Health::suspect, "suspect"},
        {health != Health::lost && row_.age_s > stale_after_s_, "stale"},
        {condition != nullptr && !condition->usable, "unusable"},
        {condition != nullptr && condition->drained, "drained"},
        {condition != nullptr && !condition->injected.empty(), "faulty"},
    };
    bool any = false;
    for (const auto& [holds, name] : states) {
      if (!holds) continue;
      any = true;
      test.see(name);
    }
    if (!any) test.see("ok");
  }

  void show_models(TextTest& test) const {
    if (lost()) return;
    for_replicas([&](const ReplicaChanged& replica) { test.see(replica.replica.model); });
    for_jobs([&](const JobId&, const FleetView::PlacedJob& job) { test.see(job.model); });
  }

  void show_jobs(Field field, TextTest& test) const {
    if (lost()) return;
    for_jobs([&](const JobId& id, const FleetView::PlacedJob& job) {
      if (field == Field::tenant) {
        test.see(job.tenant);
      } else {
        test.see(to_text(id));
        test.see(job.model);
      }
    });
  }

  void show_alerts(const std::string& subject, TextTest& test) const {
    const auto rules = fleet_.alerts().find(subject);
    if (rules == fleet_.alerts().end()) return;
    for (const std::string& rule : rules->second) test.see(rule);
  }

  bool has_device(const Replica& replica) const {
    return std::find(replica.devices.begin(), replica.devices.end(), row_.id.index) !=
           replica.devices.end();
  }

  template <typename Visit>
  void for_replicas(const Visit& visit) const {
    const auto& replicas = fleet_.replicas();
    for (auto at = replicas.lower_bound({row_.id.host, 0});
         at != replicas.end() && at->first.host == row_.id.host; ++at) {
      if (has_device(at->second.replica)) visit(at->second);
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
    return replica != fleet_.replicas().end() && has_device(replica->second.replica);
  }

  const DeviceRow& row_;
  const FleetView& fleet_;
  const tui::SpecRow& spec_;
  double stale_after_s_;
};

}  // namespace

DeviceFilter::DeviceFilter(filter::Filter filter, Duration stale_after)
    : filter_(std::move(filter)), stale_after_s_(to_seconds(stale_after)) {}

void DeviceFilter::narrow(std::vector<DeviceRow>& rows, const FleetView& fleet) {
  if (filter_.empty()) return;
  std::erase_if(rows, [&](const DeviceRow& row) {
    return !filter_.matches(FilteredDevice(row, fleet, spec_of(row), stale_after_s_));
  });
}

const tui::SpecRow& DeviceFilter::spec_of(const DeviceRow& row) {
  const std::string& id = row.group->device;
  std::string_view text;
  for (const SpecText& spec : row.host->changed.hello.specs) {
    if (spec.id == id) text = spec.text;
  }
  const auto known = specs_.find(id);
  if (known != specs_.end() && known->second.text == text) return known->second;
  return specs_[id] = tui::read_spec(id, text);
}

}  // namespace drover::commands
