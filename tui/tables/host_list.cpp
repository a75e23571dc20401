#include "tui/tables/host_list.h"

namespace drover::tui {
namespace {

bool any_shown(const FleetFilter& fleet_filter, const HostRow& host) {
  const auto shows = [&](DeviceTable::Row row) { return fleet_filter.shows(row); };
  return !fleet_filter.active() || host.has_row(shows);
}

}  // namespace

std::vector<std::uint32_t> list_hosts(const Model& model, const FleetFilter& fleet_filter,
                                      Instant now) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t number : model.host_order()) {
    if (any_shown(fleet_filter, model.hosts()[number])) numbers.push_back(number);
  }
  // Stable, so that lines of hosts in the same state do not move.
  const auto badness = [&](std::uint32_t number) {
    const HostRow& host = model.hosts()[number];
    if (host.reported.health == Health::left) return -1;
    if (host.reported.health != Health::ok) return static_cast<int>(host.reported.health) + 1;
    return host.count > 0 && model.is_stale(now, host) ? 1 : 0;
  };
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return badness(a) > badness(b); });
  return numbers;
}

int index_of_chosen(const Model& model, const HostList& list) {
  return index_where(list.numbers, [&](std::uint32_t number) {
    return number < model.hosts().size() &&
           model.hosts()[number].reported.registration.host == list.chosen;
  });
}

}  // namespace drover::tui
