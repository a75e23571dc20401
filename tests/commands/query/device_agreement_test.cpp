// Every field of random devices, asked of each caller: the router's rules, the dashboard's model,
// the columns, and the rows that commands print.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "commands/query/table_output.h"
#include "fleet/base/random_stream.h"
#include "fleet/filter/fields.h"
#include "router/alerts/fleet_device.h"
#include "router/jobs/accounting.h"
#include "tests/router/decision_fixture.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/table_rows.h"

namespace drover::commands {
namespace {

using filter::Field;

constexpr const char* two_pools = R"([pool.hopper]
match = { kind = "gpu" }
[pool.all]
match = {}
[[rule]]
name = "all"
pools = ["hopper", "all"]
[[alert]]
name = "busy"
when = "util > 50%"
for = "0s"
clear_for = "0s"
)";

/// The same random facts as the router and a client have them.
class RandomDevices : public router::DecisionFixture {
 public:
  explicit RandomDevices(std::uint64_t seed)
      : DecisionFixture(two_pools), random_(seed), model_(std::chrono::seconds(1)) {
    alerts_.set_rules(policy.alerts);
    for (const char* name : {"a", "b", "c"}) add(name);
    now += std::chrono::milliseconds(random_.below(9'000));
    std::vector<router::AlertCondition> seen;
    for (const char* subject : {"a/0", "b"}) {
      if (random_.chance(0.7)) seen.push_back({"busy", subject, "is busy"});
    }
    for (const Alert& alert : alerts_.observe(now, seen)) say(alert);
    PolicyChanged told;
    told.stale_after_s = policy.stale_after_s;
    say(told);
  }

  const tui::Model& model() const { return model_; }
  router::AlertInputs inputs() const {
    return {fleet_state, policy, jobs_, conditions_, boards_, alerts_, totals_, now};
  }

 private:
  void say(Message body) { model_.apply(now, {"router", 0, now, std::move(body)}); }

  void add(const std::string& name) {
    Register host = registration(name, random_.chance(0.5) ? "h100-sxm" : "tpu-v5e", 4);
    if (host.groups[0].device == "tpu-v5e") host.groups[0].topology = "2x2";
    host.rack = random_.chance(0.3) ? "" : "rack-1";
    host.labels = {{"tier", name}};
    host.price_factor = 1 + random_.uniform();
    host.groups[0].number = static_cast<std::uint16_t>(random_.below(3));
    host.groups[0].power_cap_w = random_.chance(0.5) ? 500 : 0;
    const bool real = random_.chance(0.3);
    if (real) make_real(host);
    const router::HostIndex index = *fleet_state.register_host(now, host);
    router::assign_pools(policy, fleet_state);
    if (random_.chance(0.2)) fleet_state.set_health(now, index, Health::lost);
    HostChanged told;
    told.registration = fleet_state.hosts()[index].registration;
    told.registration.specs = host.specs;
    told.health = fleet_state.hosts()[index].health;
    const auto& group = fleet_state.groups()[fleet_state.hosts()[index].groups[0]];
    told.prices_usd_per_h = {
        router::price_usd_per_h(fleet_state, policy, fleet_state.hosts()[index].groups[0])};
    told.pools = {group.pools.empty() ? "" : policy.pools[group.pools[0]].name};
    for (std::size_t i = 1; i < group.pools.size(); ++i) {
      told.further_pools.push_back({0, policy.pools[group.pools[i]].name});
    }
    say(told);
    sample(index, name);
    if (real) {
      add_users(index, name);
    } else {
      place_work(index, name);
    }
  }

  static void make_real(Register& host) {
    devices::DeviceSpec spec =
        devices::parse_received_spec(host.specs[0].text, host.specs[0].id).value();
    spec.real = true;
    host.specs[0].text = to_toml(spec);
    host.sample_every = std::chrono::seconds(3);
  }

  /// Processes of others, as the drivers of some devices know them.
  void add_users(router::HostIndex index, const std::string& name) {
    for (std::uint16_t device = 0; device < 4; ++device) {
      if (random_.chance(0.3)) continue;
      Board board;
      board.device = device;
      board.processes_known = random_.chance(0.5);
      for (const char* user : {"ann", "bob", ""}) {
        if (random_.chance(0.4)) board.processes.push_back({7, user, "python3", user, {}, {}});
      }
      boards_[{index, device}] = board;
      say(BoardChanged{name, board});
    }
  }

  /// Of two samples, the second may lack what the first had.
  void sample(router::HostIndex index, const std::string& name) {
    for (const std::uint64_t sequence : {1, 2}) sample(index, name, sequence);
  }

  void sample(router::HostIndex index, const std::string& name, std::uint64_t sequence) {
    std::vector<Sample> rows;
    for (std::uint16_t device = 0; device < 4; ++device) {
      if (random_.chance(0.2)) continue;  // it has never reported
      Sample& row = rows.emplace_back();
      row.device = device;
      for (int metric = 0; metric < metric_count; ++metric) {
        const auto which = static_cast<Metric>(metric);
        if (random_.chance(0.2)) continue;
        row[which] = 1 + std::floor(random_.uniform() * 100);
        if (which == Metric::utilization) row[which] /= 101;
        if (which == Metric::throttle) row[which] *= 4;
      }
      row[Metric::memory_total] = 80e9;
      row[Metric::memory_used] = std::floor(random_.uniform() * 80) * 1e9;
    }
    const SampleBatch batch = pack(name, rows);
    fleet_state.apply(now, index, sequence, batch);
    say(batch);
  }

  void place_work(router::HostIndex index, const std::string& name) {
    Replica replica;
    replica.id = {name, 0};
    replica.model = "llama-3.1-8b";
    replica.devices = {0, 1};
    replica.group = fleet_state.hosts()[index].registration.groups[0].number;
    replica.state = ReplicaState::ready;
    replica.pause = random_.chance(0.3) ? Pause::compiling : Pause::none;
    fleet_state.apply(now, index, replica);
    say(ReplicaChanged{replica, ""});
    router::JobRecord& record = jobs_.add(training(2), now);
    record.state = JobState::running;
    record.lease.target = name + "/2-3";
    router::Member member;
    member.host = name;
    member.devices = {2, 3};
    record.lease.members = {member};
    jobs_.bind(record);
    say(router::shown(record));
    if (random_.chance(0.5)) conditions_.report(now, {index, 1}, false, "Xid 79");
    if (random_.chance(0.5)) conditions_.drain(now, {index, 2}, true);
    for (const std::uint16_t device : {1, 2}) {
      const router::ReportedCondition& known = conditions_.of({index, device});
      say(DeviceChanged{name, device, known.usable, now, known.detail, {}, known.drained});
    }
  }

  RandomStream random_;
  router::JobTable jobs_{10};
  router::DeviceConditionTable conditions_;
  router::BoardTable boards_;
  router::AlertTable alerts_;
  Summary totals_;
  tui::Model model_;
};

/// What a caller says of a field: its number, or its texts.
std::string said_of(const filter::DeviceSubject& device, const filter::FieldFacts& field) {
  if (field.kind != filter::ValueKind::text) {
    const double number = device.number(field.field);
    return std::isnan(number) ? "" : fmt::format("{:.5g}", number);  // the router has floats
  }
  std::vector<std::string> values = device.values(field.field);
  std::ranges::sort(values);
  return fmt::format("{}", fmt::join(values, " "));
}

router::DeviceIndex index_of(const router::FleetState& fleet, const DeviceId& id) {
  return fleet.hosts()[*fleet.find_host(id.host)].devices[id.index];
}

TEST(DeviceFieldAgreement, RouterAndClientsGiveTheSameAnswerForEveryField) {
  std::map<Field, std::set<std::string>> answers;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomDevices fleet(seed);
    const tui::JobsByDevice jobs(fleet.model());
    const tui::EvaluationContext at{fleet.model(), fleet.now, jobs};
    const router::AlertInputs inputs = fleet.inputs();
    for (const tui::DeviceTable::Row row : fleet.model().device_order()) {
      const DeviceId id = fleet.model().id_of(row);
      const router::FleetDevice there(inputs, index_of(fleet.fleet_state, id));
      const tui::ModelDevice here(at, row);
      for (const filter::FieldFacts& field : filter::fields()) {
        if ((field.of & filter::devices) == 0) continue;
        const std::string said = said_of(there, field);
        EXPECT_EQ(said, said_of(here, field))
            << field.name << " of " << to_text(id) << ", seed " << seed;
        answers[field.field].insert(said);
      }
    }
  }
  for (const filter::FieldFacts& field : filter::fields()) {
    if ((field.of & filter::devices) == 0 || field.field == Field::site) continue;
    EXPECT_GT(answers[field.field].size(), 1u) << field.name << " was always the same";
  }
}

/// The columns of the rows that commands print, by the field that they are.
constexpr std::pair<Field, const char*> printed[] = {
    {Field::id, "id"},
    {Field::host, "host"},
    {Field::index, "index"},
    {Field::rack, "rack"},
    {Field::site, "site"},
    {Field::pool, "pools"},
    {Field::group, "group"},
    {Field::utilization, "utilization"},
    {Field::tensor, "tensor_activity"},
    {Field::memory_bandwidth, "memory_activity"},
    {Field::memory, "memory_used_bytes"},
    {Field::power, "power_w"},
    {Field::cap, "power_cap_w"},
    {Field::temperature, "temperature_c"},
    {Field::headroom, "headroom_c"},
    {Field::memory_temperature, "memory_temperature_c"},
    {Field::clock, "clock_mhz"},
    {Field::throttle, "throttle"},
    {Field::pause, "pause"},
    {Field::queue, "queue"},
    {Field::running, "running"},
    {Field::energy, "energy_j"},
    {Field::age, "age_s"},
    {Field::price, "usd_per_h"},
    {Field::model, "models"},
    {Field::tenant, "tenants"},
};

/// As `said_of` writes it.
std::string said_by(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number()) return fmt::format("{:.5g}", value.number());
  if (!value.is_array()) return value.text();
  std::vector<std::string> items;
  for (std::size_t i = 0; i < value.size(); ++i) items.push_back(value[i].text());
  std::ranges::sort(items);
  return fmt::format("{}", fmt::join(items, " "));
}

TEST(DeviceFieldAgreement, RowsAndColumnsShowWhatFiltersMatch) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomDevices fleet(seed);
    const tui::JobsByDevice jobs(fleet.model());
    const tui::EvaluationContext at{fleet.model(), fleet.now, jobs};
    const std::vector<tui::DeviceTable::Row>& rows = fleet.model().device_order();
    const Json table = to_json(tui::device_rows(at, rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const tui::ModelDevice device(at, rows[i]);
      for (const auto& [field, key] : printed) {
        std::string said = said_of(device, filter::facts(field));
        if (field == Field::throttle && said == "no") said.clear();  // an empty list
        EXPECT_EQ(said_by(table[i][key]), said) << key << ", seed " << seed;
      }
      for (const tui::DeviceColumn& column : tui::device_columns()) {
        const auto sorted_by = filter::find_field(column.title);
        if (!sorted_by || column.order == nullptr) continue;
        const filter::FieldFacts& field = filter::facts(*sorted_by);
        if (field.kind == filter::ValueKind::text || *sorted_by == Field::age) continue;
        const double number = device.number(field.field);
        const double order = column.order(at, rows[i], 0);
        if (field.field == Field::memory) continue;  // that column is sorted by the share
        EXPECT_TRUE(number == order || (std::isnan(number) && std::isnan(order)))
            << column.title << ": " << order << " and " << number;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 20u * 12 * 8) << "eight columns of every device are fields";
}

}  // namespace
}  // namespace drover::commands
