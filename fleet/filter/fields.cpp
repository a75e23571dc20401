#include "fleet/filter/fields.h"

#include <algorithm>
#include <array>

#include "fleet/base/text.h"

namespace drover::filter {

namespace {

constexpr std::uint8_t of_device = devices | alerts;
constexpr std::uint8_t of_job = jobs;
constexpr std::uint8_t of_alert = alerts;
constexpr std::uint8_t of_sums = pools | sites;
constexpr std::uint8_t of_place = devices | jobs | alerts;  // for a job: the place where it runs

constexpr bool name = true;
constexpr bool plain = false;

constexpr std::array<FieldFacts, field_count> table = {{
    {Field::id, "id", ValueKind::text, of_place, name,
     "HOST/N of a device, id of a job, subject of an alert"},
    {Field::host, "host", ValueKind::text, of_place, name, "name of the host"},
    {Field::index, "index", ValueKind::number, of_device, plain,
     "number of the device on its host"},
    {Field::rack, "rack", ValueKind::text, of_place, name, "rack of the host"},
    {Field::site, "site", ValueKind::text, of_place, name, "site of the host"},
    {Field::kind, "kind", ValueKind::text, of_place, name,
     "gpu or tpu, and the device kind, such as h100-sxm"},
    {Field::pool, "pool", ValueKind::text, of_place | pools, name, "pool in the current policy"},
    {Field::group, "group", ValueKind::number, of_device, plain, "number of the device's group"},
    {Field::label, "label", ValueKind::text, of_device, plain, "KEY=VALUE of the host's labels"},
    {Field::state, "state", ValueKind::text, of_device, plain,
     "lost, unusable, suspect, faulty, stale, drained, left; ok when none of these"},
    {Field::utilization, "util", ValueKind::share, of_device, plain,
     "share of the time in which something ran, %"},
    {Field::tensor, "tensor", ValueKind::share, of_device, plain,
     "achieved share of the matrix units' peak, %"},
    {Field::memory_bandwidth, "membw", ValueKind::share, of_device, plain,
     "achieved share of the memory bandwidth, %"},
    {Field::memory_share, "mem", ValueKind::share, of_device, plain,
     "share of the memory in use, %"},
    {Field::memory, "memory", ValueKind::bytes, of_device, plain, "memory in use, bytes"},
    {Field::power, "power", ValueKind::watts, of_device | of_sums, plain, "power, W"},
    {Field::cap, "cap", ValueKind::watts, of_device | of_sums, plain, "power cap, W"},
    {Field::power_share, "powershare", ValueKind::share, of_device | of_sums, plain,
     "power as a share of the power cap, %"},
    {Field::temperature, "temp", ValueKind::celsius, of_device, plain, "temperature, C"},
    {Field::headroom, "headroom", ValueKind::celsius, of_device, plain,
     "degrees below the temperature at which it throttles, C"},
    {Field::memory_temperature, "memtemp", ValueKind::celsius, of_device, plain,
     "memory temperature, C"},
    {Field::clock, "clock", ValueKind::megahertz, of_device, plain, "clock, MHz"},
    {Field::throttle, "throttle", ValueKind::text, of_device, plain,
     "why the clock is reduced: power, thermal, \"hw thermal\", hw, other; no when it is not"},
    {Field::pause, "pause", ValueKind::text, of_device | of_job, plain,
     "why work there is paused: loading, compiling, prefill, peer; no when it is not"},
    {Field::queue, "queue", ValueKind::number, of_device | of_sums, plain,
     "requests waiting on the device; jobs waiting for the pool, or in the whole queue"},
    {Field::running, "running", ValueKind::number, of_device, plain,
     "requests or training jobs running on the device"},
    {Field::energy, "energy", ValueKind::joules, of_place, plain,
     "energy since the agent started; for a job, of its ended attempts, J"},
    {Field::age, "age", ValueKind::seconds, of_device, plain, "time since the last sample, s"},
    {Field::price, "price", ValueKind::dollars, of_device, plain, "price of the device, $/h"},
    {Field::model, "model", ValueKind::text, of_place, name,
     "model loaded or running on the device, or the job's model"},
    {Field::job, "job", ValueKind::text, of_place, name,
     "id and model of the job, or of a job on the device"},
    {Field::tenant, "tenant", ValueKind::text, of_place, name,
     "tenant of the job, or of a job on the device"},
    {Field::alert, "alert", ValueKind::text, of_device, name,
     "rule of the alert, or of an alert raised for the device or its host"},
    {Field::work, "work", ValueKind::text, of_job, plain, "serve or train"},
    {Field::work_class, "class", ValueKind::text, of_job, name,
     "class of work in the current policy"},
    {Field::priority, "priority", ValueKind::number, of_job, plain,
     "jobs of higher priority go first"},
    {Field::job_state, "jobstate", ValueKind::text, of_job, plain,
     "queued, leased, running, finished, failed, cancelled"},
    {Field::reason, "reason", ValueKind::text, of_job, plain, "why it waits, or why it failed"},
    {Field::progress, "progress", ValueKind::share, of_job, plain,
     "share of a training job that is done, %"},
    {Field::remaining, "remaining", ValueKind::seconds, of_job, plain,
     "time to its end at the current pace, s"},
    {Field::waited, "waited", ValueKind::seconds, of_job, plain,
     "time in the queue, only while it is queued, s"},
    {Field::cost, "cost", ValueKind::dollars, of_job, plain, "cost of all its ended attempts, $"},
    {Field::severity, "severity", ValueKind::text, of_alert, plain, "info, warning, critical"},
    {Field::devices, "devices", ValueKind::number, pools, plain,
     "devices of hosts that are not lost"},
    {Field::healthy, "healthy", ValueKind::share, pools, plain,
     "share of the devices that are not lost, unusable or ejected, %"},
    {Field::queue_share, "queueshare", ValueKind::share, sites, plain,
     "waiting jobs as a share of the policy's limit, %"},
    {Field::spend, "spend", ValueKind::dollars, of_sums, plain,
     "price of the devices that are working, $/h"},
    {Field::spend_share, "spendshare", ValueKind::share, sites, plain,
     "spend as a share of the policy's budget, %"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].field) != i) return false;
  }
  return true;
}
static_assert(in_order());

constexpr std::array alias_table = {
    Alias{"device", Field::id},
    Alias{"utilization", Field::utilization},
    Alias{"temperature", Field::temperature},
    Alias{"used", Field::memory},
    Alias{"runs", Field::running},
    Alias{"rule", Field::alert},
    Alias{"wants", Field::reason},
    Alias{"eta", Field::remaining},
};

}  // namespace

std::span<const FieldFacts> fields() { return table; }

const FieldFacts& facts(Field field) { return table[static_cast<std::size_t>(field)]; }

std::span<const Alias> aliases() { return alias_table; }

std::optional<Field> find_field(std::string_view wanted) {
  for (const FieldFacts& row : table) {
    if (same_letters(row.name, wanted)) return row.field;
  }
  for (const Alias& alias : alias_table) {
    if (same_letters(alias.name, wanted)) return alias.field;
  }
  return std::nullopt;
}

std::vector<std::string> field_names(Subjects of) {
  std::vector<std::string> names;
  for (const FieldFacts& row : table) {
    if ((row.of & of) != 0) names.emplace_back(row.name);
  }
  return names;
}

std::string_view meaning(ValueKind kind) {
  static constexpr std::array<std::string_view, 10> meanings = {
      "text",          "a number",        "a share",    "a power",
      "a temperature", "a size in bytes", "a duration", "a frequency",
      "an energy",     "an amount in $",
  };
  return meanings[static_cast<std::size_t>(kind)];
}

}  // namespace drover::filter
