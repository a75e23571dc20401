// Registration: the rows, groups and specs of a host, and their reuse.
#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "fleet/base/identity.h"
#include "router/fleet_state/fleet_state.h"

namespace drover::router {
namespace {

/// The spec of removed groups, whose own spec is gone too.
const devices::DeviceSpec no_spec{};

/// Checks that groups are ordered by first device, without overlap and without gaps.
Status check_groups(const Register& registration) {
  if (registration.groups.empty())
    return error("Register of {}: no groups, expected at least one", registration.host);
  std::vector<Group> groups = registration.groups;
  std::ranges::sort(groups, [](const Group& a, const Group& b) { return a.first < b.first; });
  std::set<std::uint16_t> numbers;
  std::size_t next = 0;
  for (const Group& group : groups) {
    if (group.count == 0) {
      return error("Register of {}: group g{} has no devices", registration.host, group.number);
    }
    if (group.first < next) {
      return error("Register of {}: group g{} overlaps another at device {}", registration.host,
                   group.number, group.first);
    }
    if (group.first > next) {
      return error("Register of {}: no group contains device {}", registration.host, next);
    }
    if (!numbers.insert(group.number).second) {
      return error("Register of {}: group number g{} is given twice", registration.host,
                   group.number);
    }
    next = std::size_t{group.first} + group.count;
    if (next > devices_per_host_max) {
      return error("Register of {}: group g{} reaches device {}, expected at most {} devices",
                   registration.host, group.number, next - 1, devices_per_host_max);
    }
  }
  return {};
}

Status check_price(const Register& registration) {
  // The most and least expensive offers of one device differ by less than a factor of 100.
  constexpr double factor_max = 1000;
  if (registration.price_factor >= 0 && registration.price_factor <= factor_max) return {};
  return error("Register of {}: price factor {}, expected 0 to {}", registration.host,
               registration.price_factor, factor_max);
}

Status check_spec_count(const Register& registration) {
  if (registration.specs.size() <= specs_per_host_max) return {};
  return error("Register of {}: {} device specs, expected at most {} of one host",
               registration.host, registration.specs.size(), specs_per_host_max);
}

bool same_shape(const Group& a, const Group& b) {
  return a.number == b.number && a.first == b.first && a.count == b.count && a.device == b.device &&
         a.topology == b.topology;
}

std::size_t emulated_devices(const GroupEntry& group) {
  return group.spec->real ? 0 : group.group.count;
}

bool same_groups(const Register& a, const Register& b) {
  return std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(), same_shape);
}

/// The spec without comments and empty lines, by which specs are compared. A line with a quotation
/// mark is kept as it is, because a '#' in it may be text.
std::string content_of(std::string_view text) {
  std::string content;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    if (line.find_first_of("\"'") == std::string_view::npos) line = line.substr(0, line.find('#'));
    content.append(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin)).append(1, '\n');
  }
  return content;
}

}  // namespace

std::string group_place(std::string_view host, std::uint16_t group) {
  return fmt::format("{}/g{}", host, group);
}

/// Returns the spec of each group. Specs of a rejected Register are not kept: repeated rejected
/// ones must not fill the table.
Result<std::vector<const devices::DeviceSpec*>> FleetState::read_specs(
    const Register& registration) {
  std::map<std::string, std::unique_ptr<devices::DeviceSpec>> fresh;  // by content, like `specs_`
  std::map<std::string, const devices::DeviceSpec*> by_id;
  for (const SpecText& spec : registration.specs) {
    const std::string content = content_of(spec.text);
    const auto known = specs_.find(content);
    std::unique_ptr<devices::DeviceSpec>& kept =
        known != specs_.end() ? known->second : fresh[content];
    if (kept == nullptr) {
      if (specs_.size() + fresh.size() > specs_max) {
        return no_capacity(fmt::format(
            "Register of {}: device spec {} would be number {} of the fleet, expected at most {}",
            registration.host, spec.id, specs_.size() + fresh.size(), specs_max));
      }
      DROVER_ASSIGN(auto parsed, devices::parse_received_spec(
                                     spec.text, fmt::format("Register of {}: spec {}",
                                                            registration.host, spec.id)));
      if (parsed.real && !limits_.real_power_caps) parsed.power.cap_min_w = 0;
      kept = std::make_unique<devices::DeviceSpec>(std::move(parsed));
    }
    if (kept->id != spec.id) {
      return error("Register of {}: spec {} says that its id is {}", registration.host, spec.id,
                   kept->id);
    }
    by_id[spec.id] = kept.get();
  }
  std::vector<const devices::DeviceSpec*> of_groups;
  for (const Group& group : registration.groups) {
    const auto found = by_id.find(group.device);
    if (found == by_id.end()) {
      return error(
          "Register of {}: group g{} uses device {}, but none of the {} specs in the message "
          "has that id",
          registration.host, group.number, group.device, registration.specs.size());
    }
    of_groups.push_back(found->second);
  }
  specs_.merge(fresh);
  return of_groups;
}

/// Checks the limits of hosts and devices.
Status FleetState::check_capacity(const Register& registration) {
  std::size_t count = 0;
  for (const Group& group : registration.groups) count += group.count;
  const auto known = host_by_name_.find(registration.host);
  const bool stays =
      known != host_by_name_.end() && same_groups(hosts_[known->second].registration, registration);
  const std::size_t rows =
      known == host_by_name_.end() ? count : rows_wanted(hosts_[known->second], count);
  const bool fits = devices_.size() + rows <= limits_.devices || free_rows_.longest() >= rows;
  if (!stays && !fits) {
    return no_capacity(fmt::format(
        "Register of {}: {} devices on top of the {} already known, expected at most {}",
        registration.host, rows, devices_.size(), limits_.devices));
  }
  if (known == host_by_name_.end() && hosts_.size() >= limits_.hosts && !longest_forgotten()) {
    return no_capacity(
        fmt::format("Register of {}: it would be host number {}, expected at most {}",
                    registration.host, hosts_.size() + 1, limits_.hosts));
  }
  return {};
}

std::optional<HostIndex> FleetState::longest_forgotten() const {
  std::optional<HostIndex> found;
  for (HostIndex host = 0; host < hosts_.size(); ++host) {
    if (!hosts_[host].forgotten) continue;
    if (!found || hosts_[host].health_since < hosts_[*found].health_since) found = host;
  }
  return found;
}

HostIndex FleetState::index_for(const std::string& host) {
  if (const auto known = host_by_name_.find(host); known != host_by_name_.end()) {
    return known->second;
  }
  auto index = static_cast<HostIndex>(hosts_.size());
  if (hosts_.size() < limits_.hosts) {
    hosts_.emplace_back();
  } else {
    const auto forgotten = longest_forgotten();
    DROVER_REQUIRE(forgotten.has_value());  // check_capacity has found one
    index = *forgotten;
    host_by_name_.erase(hosts_[index].registration.host);
    replaced_hosts_.push_back(hosts_[index].registration.host);
    hosts_[index] = HostEntry{};
  }
  host_by_name_.emplace(host, index);
  return index;
}

Result<HostIndex> FleetState::register_host(Instant now, const Register& registration) {
  refused_for_capacity_ = false;
  if (!is_name(registration.host)) return error("Register: the host name is invalid");
  DROVER_TRY(check_groups(registration));
  DROVER_TRY(check_price(registration));
  DROVER_TRY(check_spec_count(registration));
  DROVER_TRY(check_capacity(registration));
  if (specs_.size() + registration.specs.size() > specs_max) drop_unused_specs();
  DROVER_ASSIGN(auto specs, read_specs(registration));
  const auto known = host_by_name_.find(registration.host);
  const bool stays =
      known != host_by_name_.end() && same_groups(hosts_[known->second].registration, registration);

  const HostIndex index = index_for(registration.host);
  HostEntry& entry = hosts_[index];
  for (const ReplicaIndex replica : std::vector<ReplicaIndex>(entry.replicas)) forget(replica);
  if (!stays) drop_groups(index);
  if (entry.registration.incarnation != registration.incarnation) {
    entry.last_sample_sequence = 0;
    for (const DeviceIndex device : entry.devices) assume_idle(device);
  }
  entry.registration = registration;
  entry.registration.replicas.clear();
  entry.registration.held.clear();
  entry.registration.faults.clear();
  entry.term = price_term(registration.labels);
  entry.price_factor = registration.price_factor;
  entry.health = Health::ok;
  entry.health_why.clear();
  entry.forgotten = false;
  entry.health_since = now;
  entry.registered = now;
  if (stays) {
    for (std::size_t position = 0; position < entry.groups.size(); ++position) {
      GroupEntry& group = groups_[entry.groups[position]];
      emulated_device_count_ -= emulated_devices(group);
      group.group = registration.groups[position];
      group.spec = specs[position];
      emulated_device_count_ += emulated_devices(group);
    }
  } else {
    add_groups(index, specs);
  }
  ++version_;
  return index;
}

Error FleetState::no_capacity(std::string why) {
  refused_for_capacity_ = true;
  return error("{}", why);
}

/// Rows to add: 0 if its own are enough.
std::size_t FleetState::rows_wanted(const HostEntry& host, std::size_t count) const {
  if (count <= host.rows) return 0;
  return host.rows == 0 ? count : std::min(std::bit_ceil(count), devices_per_host_max);
}

DeviceIndex FleetState::rows_for(HostIndex host, std::size_t count) {
  HostEntry& entry = hosts_[host];
  if (const std::size_t more = rows_wanted(entry, count); more > 0) {
    free_rows_.give(entry.first_row, entry.rows);
    entry.rows = more;
    if (const auto spare = free_rows_.take(more)) {
      entry.first_row = *spare;
    } else {
      entry.first_row = static_cast<DeviceIndex>(devices_.size());
      grow(devices_, devices_.size() + more);
    }
  }
  clear(devices_, entry.first_row, entry.rows);
  // Unused rows as well: scans read their host.
  std::fill_n(devices_.host.begin() + entry.first_row, entry.rows, host);
  return entry.first_row;
}

GroupIndex FleetState::group_slot(HostEntry& host) {
  std::vector<GroupIndex>& spare = host.free_groups.empty() ? free_groups_ : host.free_groups;
  if (spare.empty()) {
    groups_.emplace_back();
    return static_cast<GroupIndex>(groups_.size() - 1);
  }
  const GroupIndex index = spare.back();
  spare.pop_back();
  renewed_groups_.push_back(index);
  return index;
}

/// A replaced copy goes to `take_unused_specs`: its address may still be in use.
void FleetState::drop_unused_specs() {
  std::set<const devices::DeviceSpec*> used;
  for (const GroupEntry& group : groups_) {
    if (!group.gone) used.insert(group.spec);
  }
  for (auto next = specs_.begin(); next != specs_.end();) {
    const auto known = next++;
    if (used.contains(known->second.get())) continue;
    unused_specs_.push_back(std::move(known->second));
    specs_.erase(known);
  }
}

void FleetState::add_groups(HostIndex host, const std::vector<const devices::DeviceSpec*>& specs) {
  HostEntry& entry = hosts_[host];
  std::size_t count = 0;
  for (const Group& group : entry.registration.groups) count += group.count;
  const DeviceIndex base = rows_for(host, count);
  entry.devices.resize(count);
  for (std::size_t position = 0; position < entry.registration.groups.size(); ++position) {
    GroupEntry added;
    added.host = host;
    added.group = entry.registration.groups[position];
    added.spec = specs[position];
    added.first = base + added.group.first;
    emulated_device_count_ += emulated_devices(added);
    const GroupIndex index = group_slot(entry);
    for (std::uint16_t number = 0; number < added.group.count; ++number) {
      const DeviceIndex device = added.first + number;
      devices_.host[device] = host;
      devices_.group[device] = index;
      devices_.number[device] = static_cast<std::uint16_t>(added.group.first + number);
      entry.devices[devices_.number[device]] = device;
    }
    entry.groups.push_back(index);
    groups_[index] = std::move(added);
  }
  for (std::size_t row = count; row < entry.rows; ++row) {
    devices_.group[entry.first_row + row] = entry.groups.front();
  }
}

void FleetState::drop_groups(HostIndex host) {
  HostEntry& entry = hosts_[host];
  for (const GroupIndex group : entry.groups) {
    dropped_places_.push_back(group_place(entry.registration.host, groups_[group].group.number));
    emulated_device_count_ -= emulated_devices(groups_[group]);
    groups_[group].gone = true;
    groups_[group].spec = &no_spec;
    entry.free_groups.push_back(group);
    groups_[group].pools.clear();
    groups_[group].pool_bits = 0;
  }
  for (const DeviceIndex device : entry.devices) {
    set_power(device, 0, 0);
    devices_.energy_j[device] = 0;
    devices_.gang[device] = {};
  }
  entry.groups.clear();
  entry.devices.clear();
}

void FleetState::forget_host(HostIndex host) {
  HostEntry& entry = this->host(host);
  for (const ReplicaIndex replica : std::vector<ReplicaIndex>(entry.replicas)) forget(replica);
  for (const auto& [number, index] : std::exchange(entry.replica_by_number, {}))
    free_replica(index);
  drop_groups(host);
  free_groups_.insert(free_groups_.end(), entry.free_groups.begin(), entry.free_groups.end());
  entry.free_groups.clear();
  free_rows_.give(entry.first_row, std::exchange(entry.rows, 0));
  entry.registration.groups.clear();
  entry.registration.specs.clear();
  entry.forgotten = true;
  ++version_;
}

}  // namespace drover::router
