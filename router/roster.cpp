// Belief about hosts, groups and devices. Replicas are in roster_replicas.cpp, power and heat in
// roster_power.cpp.
//
// Samples arrive as columns and stay columns: each is decoded straight into the devices' column.
#include "router/roster.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "fleet/identity.h"
#include "router/sample_runs.h"

namespace drover::router {
namespace {

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

bool same_shape(const Group& a, const Group& b) {
  return a.number == b.number && a.first == b.first && a.count == b.count && a.device == b.device &&
         a.topology == b.topology;
}

bool same_groups(const Hello& a, const Hello& b) {
  return std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(), same_shape);
}

using FloatColumn = std::vector<float> DeviceColumns::*;
using DoubleColumn = std::vector<double> DeviceColumns::*;

/// Where a metric is kept: one of the two is set, or neither: power and throttle bits are special.
struct Home {
  FloatColumn narrow = nullptr;
  DoubleColumn wide = nullptr;
  double unknown = 0;  // stands there until a sample tells it
};

constexpr std::array<Home, metric_count> homes = {{
    {&DeviceColumns::utilization, nullptr},
    {&DeviceColumns::matrix_activity, nullptr},
    {&DeviceColumns::memory_activity, nullptr},
    {nullptr, &DeviceColumns::memory_used},
    {nullptr, &DeviceColumns::memory_total},
    {nullptr, nullptr},  // power: see set_power
    {&DeviceColumns::power_cap_w, nullptr},
    {&DeviceColumns::temperature_c, nullptr},
    {&DeviceColumns::clock_mhz, nullptr},
    {nullptr, nullptr},  // throttle: bits
    {nullptr, &DeviceColumns::energy_j},
    {&DeviceColumns::queue, nullptr},
    {&DeviceColumns::running, nullptr},
    // Of these only people and alert rules ask.
    {&DeviceColumns::memory_temperature_c, nullptr, absent},
    {nullptr, &DeviceColumns::power_violation_s, absent},
    {nullptr, &DeviceColumns::thermal_violation_s, absent},
    {nullptr, &DeviceColumns::board_violation_s, absent},
}};
static_assert(static_cast<int>(Metric::power) == 5 && static_cast<int>(Metric::throttle) == 9);

template <typename T>
void place(const Column& column, const std::vector<Run>& runs, std::vector<T>& values) {
  for (const Run& run : runs) {
    decode_present(column, run.row, std::span(values).subspan(run.device, run.count));
  }
}

/// `visit(column, value)` for every column, with what stands there before anything is known.
template <typename Visit>
void each_column(DeviceColumns& columns, Visit visit) {
  const auto zero = [&](auto& column) {
    visit(column, typename std::decay_t<decltype(column)>::value_type{});
  };
  zero(columns.host);
  zero(columns.group);
  zero(columns.number);
  zero(columns.sampled);
  for (const Home& home : homes) {
    if (home.narrow != nullptr) visit(columns.*home.narrow, static_cast<float>(home.unknown));
    if (home.wide != nullptr) visit(columns.*home.wide, home.unknown);
  }
  zero(columns.power_w);
  zero(columns.throttle);
  zero(columns.condition);
  zero(columns.gang);
  zero(columns.replicas);
  zero(columns.busy_until);
  zero(columns.promised_w);
  zero(columns.expected_w);
  zero(columns.serving_w);
  zero(columns.prompt_w);
  zero(columns.prompts_until);
  zero(columns.shown_until);
  zero(columns.promised_until);
}

/// A row for each device more, everything unknown or zero.
void grow(DeviceColumns& columns, std::size_t size) {
  each_column(columns, [&](auto& column, auto unknown) { column.resize(size, unknown); });
}

void clear(DeviceColumns& columns, DeviceIndex first, std::size_t count) {
  each_column(columns, [&](auto& column, auto unknown) {
    std::fill_n(column.begin() + first, count, unknown);
  });
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

/// Of groups that are gone: what it was has gone too.
const devices::DeviceSpec no_spec{};

double above_zero(double value) { return value > 0 ? value : absent; }

}  // namespace

double reading(const DeviceColumns& columns, DeviceIndex device, Metric metric) {
  switch (metric) {
    case Metric::utilization:
      return columns.utilization[device];
    case Metric::matrix_activity:
      return columns.matrix_activity[device];
    case Metric::memory_activity:
      return columns.memory_activity[device];
    case Metric::memory_used:
      return columns.memory_total[device] > 0 ? columns.memory_used[device] : absent;
    case Metric::memory_total:
      return above_zero(columns.memory_total[device]);
    case Metric::power:
      return above_zero(columns.power_w[device]);
    case Metric::power_cap:
      return above_zero(columns.power_cap_w[device]);
    case Metric::temperature:
      return above_zero(columns.temperature_c[device]);
    case Metric::clock:
      return above_zero(columns.clock_mhz[device]);
    case Metric::throttle:
      return columns.throttle[device];
    case Metric::energy:
      return above_zero(columns.energy_j[device]);
    case Metric::queue:
      return columns.queue[device];
    case Metric::running:
      return columns.running[device];
    case Metric::memory_temperature:
      return columns.memory_temperature_c[device];
    case Metric::power_violation:
      return columns.power_violation_s[device];
    case Metric::thermal_violation:
      return columns.thermal_violation_s[device];
    case Metric::board_violation:
      return columns.board_violation_s[device];
  }
  return absent;
}

Roster::Roster() = default;
Roster::~Roster() = default;

Result<std::vector<const devices::DeviceSpec*>> Roster::read_specs(const Hello& hello) {
  std::map<std::string, const devices::DeviceSpec*> by_id;
  for (const SpecText& spec : hello.specs) {
    const std::string content = content_of(spec.text);
    auto known = specs_.find(content);
    if (known == specs_.end()) {
      if (specs_.size() >= specs_max) {
        return no_room(fmt::format(
            "Hello of {}: device spec {} would be number {} of the fleet, expected at most {}",
            hello.host, spec.id, specs_.size() + 1, specs_max));
      }
      auto parsed = devices::parse_travelled_spec(
          spec.text, fmt::format("Hello of {}: spec {}", hello.host, spec.id));
      if (!parsed) return parsed.error();
      known =
          specs_.emplace(content, std::make_unique<devices::DeviceSpec>(std::move(parsed).value()))
              .first;
    }
    if (known->second->id != spec.id) {
      return error("Hello of {}: spec {} says that its id is {}", hello.host, spec.id,
                   known->second->id);
    }
    by_id[spec.id] = known->second.get();
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
  return of_groups;
}

Result<HostIndex> Roster::enrol(Instant now, const Hello& hello) {
  if (!is_name(hello.host)) return error("Hello: the host's name is not a name");
  if (auto status = check_groups(hello); !status) return status.error();
  if (!std::isfinite(hello.price_factor) || hello.price_factor < 0) {
    return error("Hello of {}: price factor {}, expected 0 or more", hello.host,
                 hello.price_factor);
  }
  refused_for_room_ = false;
  if (specs_.size() + hello.specs.size() > specs_max) drop_unused_specs();
  auto specs = read_specs(hello);
  if (!specs) return specs.error();
  std::size_t count = 0;
  for (const Group& group : hello.groups) count += group.count;
  const auto known = host_by_name_.find(hello.host);
  const bool stays =
      known != host_by_name_.end() && same_groups(hosts_[known->second].hello, hello);
  const std::size_t rows =
      known == host_by_name_.end() ? count : rows_wanted(hosts_[known->second], count);
  if (!stays && devices_.size() + rows > devices_max) {
    return no_room(
        fmt::format("Hello of {}: {} devices more than the {} known, expected at most {}",
                    hello.host, rows, devices_.size(), devices_max));
  }
  if (known == host_by_name_.end() && hosts_.size() >= hosts_max) {
    return no_room(fmt::format("Hello of {}: it would be host number {}, expected at most {}",
                               hello.host, hosts_.size() + 1, hosts_max));
  }

  const auto index =
      known != host_by_name_.end() ? known->second : static_cast<HostIndex>(hosts_.size());
  if (known == host_by_name_.end()) {
    hosts_.emplace_back();
    host_by_name_.emplace(hello.host, index);
  }
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
    entry.first_row = static_cast<DeviceIndex>(devices_.size());
    entry.rows = more;
    grow(devices_, devices_.size() + more);
  }
  clear(devices_, entry.first_row, entry.rows);
  // Of those that are not in use, too: scans ask whose they are.
  std::fill_n(devices_.host.begin() + entry.first_row, entry.rows, host);
  return entry.first_row;
}

GroupIndex Roster::group_slot(HostEntry& host) {
  if (host.spare_groups.empty()) {
    groups_.emplace_back();
    return static_cast<GroupIndex>(groups_.size() - 1);
  }
  const GroupIndex index = host.spare_groups.back();
  host.spare_groups.pop_back();
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

std::optional<HostIndex> Roster::find_host(std::string_view name) const {
  const auto found = host_by_name_.find(name);
  if (found == host_by_name_.end() || hosts_[found->second].forgotten) return std::nullopt;
  return found->second;
}

void Roster::set_health(Instant now, HostIndex host, Health health) {
  HostEntry& entry = this->host(host);
  if (entry.health == health) return;
  entry.health = health;
  entry.health_since = now;
}

void Roster::forget_host(HostIndex host) {
  HostEntry& entry = this->host(host);
  for (const ReplicaIndex replica : std::vector<ReplicaIndex>(entry.replicas)) forget(replica);
  drop_groups(host);
  entry.hello.groups.clear();
  entry.forgotten = true;
}

void Roster::set_returned(Instant now, HostIndex host) {
  this->host(host).returned = now;
  last_return_ = now;
}

void Roster::set_returned(Instant now, Trust& trust) {
  trust.returned = now;
  last_return_ = now;
  ++version_;
}

void Roster::apply(Instant now, HostIndex host, std::uint64_t sequence, const SampleBatch& batch) {
  DROVER_REQUIRE(host < hosts_.size());
  HostEntry& entry = hosts_[host];
  // What is older than the newest batch is no news: the channel keeps order, so it is a repeat.
  if (sequence <= entry.last_sample_sequence) return;
  if (entry.last_sample_sequence != 0) {
    entry.sample_gaps += sequence - entry.last_sample_sequence - 1;
  }
  entry.last_sample_sequence = sequence;
  const std::vector<Run> runs = runs_of(batch.devices, entry.devices);
  rows_.assign(batch.devices.size(), nowhere);
  unknown_rows_ += rows_.size();
  heat_before_c_.resize(rows_.size());
  const Instant before = runs.empty() ? now : devices_.sampled[runs.front().device];
  for (const Run& run : runs) {
    std::copy_n(&devices_.temperature_c[run.device], run.count, &heat_before_c_[run.row]);
    const auto rows = std::span(rows_).subspan(run.row, run.count);
    std::iota(rows.begin(), rows.end(), run.device);
    std::fill_n(&devices_.sampled[run.device], run.count, now);
    unknown_rows_ -= run.count;
  }
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    const Home& home = homes[column.metric];
    if (home.narrow != nullptr) {
      place(column, runs, devices_.*home.narrow);
    } else if (home.wide != nullptr) {
      place(column, runs, devices_.*home.wide);
    } else if (column.metric == static_cast<std::uint8_t>(Metric::throttle)) {
      place(column, runs, devices_.throttle);
    } else if (column.metric == static_cast<std::uint8_t>(Metric::power)) {
      place_power(column, now);
    }
  }
  judge_heat(runs, to_seconds(now - before));
  ++version_;
}

HostEntry& Roster::host(HostIndex index) {
  DROVER_REQUIRE(index < hosts_.size());
  ++version_;
  return hosts_[index];
}

GroupEntry& Roster::group(GroupIndex index) {
  DROVER_REQUIRE(index < groups_.size());
  ++version_;
  return groups_[index];
}

}  // namespace drover::router
