#include "tui/tables/host_list.h"

#include <algorithm>

namespace drover::tui {
namespace {

bool any_shown(const Narrowing& narrowing, const HostRow& host) {
  if (!narrowing.active()) return true;
  for (DeviceTable::Row row = host.first; row < host.first + host.count; ++row) {
    if (narrowing.shows(row)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> list_hosts(const Model& model, const Narrowing& narrowing, Instant now) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t number : model.host_order()) {
    if (any_shown(narrowing, model.hosts()[number])) numbers.push_back(number);
  }
  // Worst first; the rest keeps the order of racks and names, so that lines do not jump.
  const auto badness = [&](std::uint32_t number) {
    const HostRow& host = model.hosts()[number];
    if (host.said.health == Health::left) return -1;
    if (host.said.health != Health::ok) return static_cast<int>(host.said.health) + 1;
    return host.count > 0 && model.is_stale(now, host) ? 1 : 0;
  };
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return badness(a) > badness(b); });
  return numbers;
}

int index_of_chosen(const Model& model, const HostList& list) {
  if (!list.chosen) return -1;
  const auto at = std::find_if(list.numbers.begin(), list.numbers.end(), [&](std::uint32_t number) {
    return number < model.hosts().size() && model.hosts()[number].said.hello.host == *list.chosen;
  });
  return at == list.numbers.end() ? -1 : static_cast<int>(at - list.numbers.begin());
}

}  // namespace drover::tui
