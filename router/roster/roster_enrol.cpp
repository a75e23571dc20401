// Who is enrolled: the rows, groups and specs of a host, and how they are used again.
#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <utility>

#include "fleet/base/identity.h"
#include "router/roster/roster.h"
#include "router/roster/roster_columns.h"

namespace drover::router {
namespace {

/// Of groups that are gone: what it was has gone too.
const devices::DeviceSpec no_spec{};

/// Groups in the order of their first devices, without overlap and without holes.
Status check_groups(const Hello& hello) {
  if (hello.groups.empty())
    return error("Hello of {}: no groups, expected at least one", hello.host);
  std::vector<Group> groups = hello.groups;
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.first < b.first; });
  std::set<std::uint16_t> numbers;
  std::size_t next = 0;
  for (const Group& group : groups) {
    if (group.count == 0) {
      return error("Hello of {}: group g{} has no devices", hello.host, group.number);
    }
    if (group.first < next) {
      return error("Hello of {}: group g{} overlaps another at device {}", hello.host, group.number,
                   group.first);
    }
    if (group.first > next) {
      return error("Hello of {}: no group holds device {}", hello.host, next);
    }
    if (!numbers.insert(group.number).second) {
      return error("Hello of {}: group number g{} stands twice", hello.host, group.number);
    }
    next = std::size_t{group.first} + group.count;
    if (next > devices_per_host_max) {
      return error("Hello of {}: group g{} reaches device {}, expected at most {} devices",
                   hello.host, group.number, next - 1, devices_per_host_max);
    }
  }
  return {};
}

Status check_price(const Hello& hello) {
  // Between the dearest and the cheapest offers of one device lies less than a factor of 100.
  constexpr double factor_max = 1000;
  if (hello.price_factor >= 0 && hello.price_factor <= factor_max) return {};
  return error("Hello of {}: price factor {}, expected 0 to {}", hello.host, hello.price_factor,
               factor_max);
}

Status check_spec_count(const Hello& hello) {
  if (hello.specs.size() <= specs_per_host_max) return {};
  return error("Hello of {}: {} device specs, expected at most {} of one host", hello.host,
               hello.specs.size(), specs_per_host_max);
}

bool same_shape(const Group& a, const Group& b) {
  return a.number == b.number && a.first == b.first && a.count == b.count && a.device == b.device &&
         a.topology == b.topology;
}

bool same_groups(const Hello& a, const Hello& b) {
  return std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(), same_shape);
}

/// The spec without comments and empty lines: what makes two texts the same spec. Where a line
/// holds a quotation mark, a '#' in it may be text, and the line stays as it is.
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

/// By the spec of each group. What a refused Hello carries is not kept: of one who is refused again
/// and again nothing would stay but specs that nobody has.
Result<std::vector<const devices::DeviceSpec*>> Roster::read_specs(const Hello& hello) {
  std::map<std::string, std::unique_ptr<devices::DeviceSpec>> fresh;  // by content, as `specs_`
  std::map<std::string, const devices::DeviceSpec*> by_id;
  for (const SpecText& spec : hello.specs) {
    const std::string content = content_of(spec.text);
    const auto known = specs_.find(content);
    std::unique_ptr<devices::DeviceSpec>& kept =
        known != specs_.end() ? known->second : fresh[content];
    if (kept == nullptr) {
      if (specs_.size() + fresh.size() > specs_max) {
        return no_room(fmt::format(
            "Hello of {}: device spec {} would be number {} of the fleet, expected at most {}",
            hello.host, spec.id, specs_.size() + fresh.size(), specs_max));
      }
      auto parsed = devices::parse_travelled_spec(
          spec.text, fmt::format("Hello of {}: spec {}", hello.host, spec.id));
      if (!parsed) return parsed.error();
      kept = std::make_unique<devices::DeviceSpec>(std::move(parsed).value());
    }
    if (kept->id != spec.id) {
      return error("Hello of {}: spec {} says that its id is {}", hello.host, spec.id, kept->id);
    }
    by_id[spec.id] = kept.get();
  }
  std::vector<const devices::DeviceSpec*> of_groups;
  for (const Group& group : hello.groups) {
    const auto found = by_id.find(group.device);
    if (found == by_id.end()) {
      return error("Hello of {}: group g{} is of device {}, whose spec is not among the {} carried",
                   hello.host, group.number, group.device, hello.specs.size());
    }
    of_groups.push_back(found->second);
  }
  specs_.merge(fresh);
  return of_groups;
}

/// Of hosts and devices.
Status Roster::check_room(const Hello& hello) {
  std::size_t count = 0;
  for (const Group& group : hello.groups) count += group.count;
  const auto known = host_by_name_.find(hello.host);
  const bool stays =
      known != host_by_name_.end() && same_groups(hosts_[known->second].hello, hello);
  const std::size_t rows =
      known == host_by_name_.end() ? count : rows_wanted(hosts_[known->second], count);
  const bool fits = devices_.size() + rows <= limits_.devices || spare_rows_.longest() >= rows;
  if (!stays && !fits) {
    return no_room(fmt::format(
        "Hello of {}: {} devices more than the {} that have been known, expected at most {}",
        hello.host, rows, devices_.size(), limits_.devices));
  }
  if (known == host_by_name_.end() && hosts_.size() >= limits_.hosts && !longest_forgotten()) {
    return no_room(fmt::format("Hello of {}: it would be host number {}, expected at most {}",
                               hello.host, hosts_.size() + 1, limits_.hosts));
  }
  return {};
}

std::optional<HostIndex> Roster::longest_forgotten() const {
  std::optional<HostIndex> found;
  for (HostIndex host = 0; host < hosts_.size(); ++host) {
    if (!hosts_[host].forgotten) continue;
    if (!found || hosts_[host].health_since < hosts_[*found].health_since) found = host;
  }
  return found;
}

HostIndex Roster::index_for(const std::string& host) {
  if (const auto known = host_by_name_.find(host); known != host_by_name_.end()) {
    return known->second;
  }
  auto index = static_cast<HostIndex>(hosts_.size());
  if (hosts_.size() < limits_.hosts) {
    hosts_.emplace_back();
  } else {
    const auto forgotten = longest_forgotten();
    DROVER_REQUIRE(forgotten.has_value());  // check_room has found one
    index = *forgotten;
    host_by_name_.erase(hosts_[index].hello.host);
    replaced_hosts_.push_back(hosts_[index].hello.host);
    hosts_[index] = HostEntry{};
  }
  host_by_name_.emplace(host, index);
  return index;
}

Result<HostIndex> Roster::enrol(Instant now, const Hello& hello) {
  refused_for_room_ = false;
  if (!is_name(hello.host)) return error("Hello: the host's name is not a name");
  if (auto status = check_groups(hello); !status) return status.error();
  if (auto status = check_price(hello); !status) return status.error();
  if (auto status = check_spec_count(hello); !status) return status.error();
  if (auto status = check_room(hello); !status) return status.error();
  if (specs_.size() + hello.specs.size() > specs_max) drop_unused_specs();
  auto specs = read_specs(hello);
  if (!specs) return specs.error();
  const auto known = host_by_name_.find(hello.host);
  const bool stays =
      known != host_by_name_.end() && same_groups(hosts_[known->second].hello, hello);

  const HostIndex index = index_for(hello.host);
  HostEntry& entry = hosts_[index];
  for (const ReplicaIndex replica : std::vector<ReplicaIndex>(entry.replicas)) forget(replica);
  if (!stays) drop_groups(index);
  if (entry.hello.incarnation != hello.incarnation) {
    entry.last_sample_sequence = 0;
    for (const DeviceIndex device : entry.devices) believe_idle(device);
  }
  entry.hello = hello;
  entry.hello.replicas.clear();
  entry.hello.held.clear();
  entry.hello.faults.clear();
  entry.term = price_term(hello.labels);
  entry.price_factor = hello.price_factor;
  entry.health = Health::ok;
  entry.forgotten = false;
  entry.health_since = now;
  entry.enrolled = now;
  if (stays) {
    for (std::size_t group = 0; group < entry.groups.size(); ++group) {
      groups_[entry.groups[group]].group = hello.groups[group];
      groups_[entry.groups[group]].spec = (*specs)[group];
    }
  } else {
    add_groups(index, *specs);
  }
  ++version_;
  return index;
}

Error Roster::no_room(std::string why) {
  refused_for_room_ = true;
  return error("{}", why);
}

/// How many rows more it takes: none, when its own are enough.
std::size_t Roster::rows_wanted(const HostEntry& host, std::size_t count) const {
  if (count <= host.rows) return 0;
  return host.rows == 0 ? count : std::min(std::bit_ceil(count), devices_per_host_max);
}

DeviceIndex Roster::rows_for(HostIndex host, std::size_t count) {
  HostEntry& entry = hosts_[host];
  if (const std::size_t more = rows_wanted(entry, count); more > 0) {
    spare_rows_.give(entry.first_row, entry.rows);
    entry.rows = more;
    if (const auto spare = spare_rows_.take(more)) {
      entry.first_row = *spare;
    } else {
      entry.first_row = static_cast<DeviceIndex>(devices_.size());
      grow(devices_, devices_.size() + more);
    }
  }
  clear(devices_, entry.first_row, entry.rows);
  // Of those that are not in use, too: scans ask whose they are.
  std::fill_n(devices_.host.begin() + entry.first_row, entry.rows, host);
  return entry.first_row;
}

GroupIndex Roster::group_slot(HostEntry& host) {
  std::vector<GroupIndex>& spare = host.spare_groups.empty() ? spare_groups_ : host.spare_groups;
  if (spare.empty()) {
    groups_.emplace_back();
    return static_cast<GroupIndex>(groups_.size() - 1);
  }
  const GroupIndex index = spare.back();
  spare.pop_back();
  renewed_groups_.push_back(index);
  return index;
}

/// A replaced copy goes to `take_unused_specs`: others may still know its address.
void Roster::drop_unused_specs() {
  std::set<const devices::DeviceSpec*> used;
  for (const GroupEntry& group : groups_) {
    if (!group.gone) used.insert(group.spec);
  }
  for (auto known = specs_.begin(); known != specs_.end();) {
    if (used.contains(known->second.get())) {
      ++known;
      continue;
    }
    unused_specs_.push_back(std::move(known->second));
    known = specs_.erase(known);
  }
}

void Roster::add_groups(HostIndex host, const std::vector<const devices::DeviceSpec*>& specs) {
  HostEntry& entry = hosts_[host];
  std::size_t count = 0;
  for (const Group& group : entry.hello.groups) count += group.count;
  const DeviceIndex base = rows_for(host, count);
  device_count_ += count;
  entry.devices.resize(count);
  for (std::size_t position = 0; position < entry.hello.groups.size(); ++position) {
    GroupEntry added;
    added.host = host;
    added.group = entry.hello.groups[position];
    added.spec = specs[position];
    added.first = base + added.group.first;
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

void Roster::drop_groups(HostIndex host) {
  HostEntry& entry = hosts_[host];
  for (const GroupIndex group : entry.groups) {
    dropped_places_.push_back(group_place(entry.hello.host, groups_[group].group.number));
    groups_[group].gone = true;
    groups_[group].spec = &no_spec;
    entry.spare_groups.push_back(group);
    groups_[group].pools.clear();
    groups_[group].pool_bits = 0;
  }
  for (const DeviceIndex device : entry.devices) {
    set_power(device, 0, 0);
    devices_.energy_j[device] = 0;
    devices_.gang[device] = {};
  }
  device_count_ -= entry.devices.size();
  entry.groups.clear();
  entry.devices.clear();
}

void Roster::forget_host(HostIndex host) {
  HostEntry& entry = this->host(host);
  for (const ReplicaIndex replica : std::vector<ReplicaIndex>(entry.replicas)) forget(replica);
  for (const auto& [number, index] : std::exchange(entry.replica_by_number, {})) spare(index);
  drop_groups(host);
  spare_groups_.insert(spare_groups_.end(), entry.spare_groups.begin(), entry.spare_groups.end());
  entry.spare_groups.clear();
  spare_rows_.give(entry.first_row, std::exchange(entry.rows, 0));
  entry.hello.groups.clear();
  entry.hello.specs.clear();
  entry.forgotten = true;
  ++version_;
}

}  // namespace drover::router
