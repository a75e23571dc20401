#include "fleet/filter/filter_fields.h"

#include <algorithm>
#include <array>

#include "fleet/filter/filter_words.h"

namespace drover::filter {

namespace {

constexpr std::uint8_t of_device = devices | alerts;
constexpr std::uint8_t of_job = jobs;
constexpr std::uint8_t of_alert = alerts;
constexpr std::uint8_t of_sums = pools | sites;
constexpr std::uint8_t of_place = devices | jobs | alerts;  // of a job: of the place where it is

constexpr bool name = true;
constexpr bool plain = false;

constexpr std::array<FieldFacts, field_count> table = {{
    {Field::id, "id", Kind::text, of_place, name,
     "HOST/N of a device, the digits of a job, what an alert is about"},
    {Field::host, "host", Kind::text, of_place, name, "name of the host"},
    {Field::index, "index", Kind::number, of_device, plain, "number of the device on its host"},
    {Field::rack, "rack", Kind::text, of_place, name, "rack of the host"},
    {Field::site, "site", Kind::text, of_place, name, "site of the host"},
    {Field::kind, "kind", Kind::text, of_place, name, "gpu or tpu, and the kind, such as h100-sxm"},
    {Field::pool, "pool", Kind::text, of_place | pools, name, "pool of the policy in force"},
    {Field::group, "group", Kind::number, of_device, plain, "number of the device's group"},
    {Field::label, "label", Kind::text, of_device, plain, "KEY=VALUE of the host's labels"},
    {Field::state, "state", Kind::text, of_device, plain,
     "lost, unusable, suspect, faulty, stale, drained, left; ok when none of these"},
    {Field::utilization, "util", Kind::share, of_device, plain,
     "share of time that something ran, %"},
    {Field::matrix, "matrix", Kind::share, of_device, plain,
     "share of the matrix units' peak that was reached, %"},
    {Field::memory_bandwidth, "membw", Kind::share, of_device, plain,
     "share of the memory bandwidth that was reached, %"},
    {Field::memory_share, "mem", Kind::share, of_device, plain, "share of the memory in use, %"},
    {Field::memory, "memory", Kind::bytes, of_device, plain, "memory in use, bytes"},
    {Field::power, "power", Kind::watts, of_device | of_sums, plain, "power, W"},
    {Field::cap, "cap", Kind::watts, of_device | of_sums, plain, "power cap, W"},
    {Field::power_share, "powershare", Kind::share, of_device | of_sums, plain,
     "power as a share of the power cap, %"},
    {Field::temperature, "temp", Kind::celsius, of_device, plain, "temperature, C"},
    {Field::headroom, "headroom", Kind::celsius, of_device, plain,
     "degrees below the temperature at which heat slows it, C"},
    {Field::memory_temperature, "memtemp", Kind::celsius, of_device, plain,
     "temperature of the memory, C"},
    {Field::clock, "clock", Kind::megahertz, of_device, plain, "clock, MHz"},
    {Field::slowed, "slowed", Kind::text, of_device, plain,
     "what holds the clock down: power, heat, \"hw heat\", hw, other; no when nothing does"},
    {Field::pause, "pause", Kind::text, of_device | of_job, plain,
     "why work there stands still: loading, compiling, prefill, peer; no when it does not"},
    {Field::queue, "queue", Kind::number, of_device | of_sums, plain,
     "requests that wait on the device; jobs that wait for the pool, or at all"},
    {Field::running, "running", Kind::number, of_device, plain,
     "requests or training jobs that run on the device"},
    {Field::energy, "energy", Kind::joules, of_place, plain,
     "since the agent started; of a job when an attempt has ended, J"},
    {Field::age, "age", Kind::seconds, of_device, plain, "since the last sample, s"},
    {Field::price, "price", Kind::dollars, of_device, plain, "of the device, $/h"},
    {Field::model, "model", Kind::text, of_place, name,
     "model loaded or run on the device, or of the job"},
    {Field::job, "job", Kind::text, of_place, name, "digits and model of a job, there or itself"},
    {Field::tenant, "tenant", Kind::text, of_place, name, "tenant of a job, there or itself"},
    {Field::alert, "alert", Kind::text, of_device, name,
     "rule of the alert, or of one raised for the device or its host"},
    {Field::work, "work", Kind::text, of_job, plain, "serve or train"},
    {Field::work_class, "class", Kind::text, of_job, name, "class of work of the policy in force"},
    {Field::priority, "priority", Kind::number, of_job, plain, "higher goes first"},
    {Field::job_state, "jobstate", Kind::text, of_job, plain,
     "queued, leased, running, finished, failed, cancelled"},
    {Field::reason, "reason", Kind::text, of_job, plain, "what it waits for, or why it failed"},
    {Field::progress, "progress", Kind::share, of_job, plain, "share that is done, of training, %"},
    {Field::remaining, "remaining", Kind::seconds, of_job, plain, "until its end at this pace, s"},
    {Field::waited, "waited", Kind::seconds, of_job, plain, "since it is queued, while it is, s"},
    {Field::cost, "cost", Kind::dollars, of_job, plain, "of all its attempts that have ended, $"},
    {Field::severity, "severity", Kind::text, of_alert, plain, "info, warning, critical"},
    {Field::devices, "devices", Kind::number, pools, plain, "devices of hosts that are not lost"},
    {Field::well, "well", Kind::share, pools, plain,
     "share of the devices that are not lost, unusable or ejected, %"},
    {Field::queue_share, "queueshare", Kind::share, sites, plain,
     "jobs that wait as a share of the policy's limit, %"},
    {Field::spend, "spend", Kind::dollars, of_sums, plain, "of devices that work, $/h"},
    {Field::spend_share, "spendshare", Kind::share, sites, plain,
     "the same as a share of the policy's budget, %"},
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
    Alias{"throttle", Field::slowed},
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

std::string_view meaning(Kind kind) {
  static constexpr std::array<std::string_view, 10> meanings = {
      "text",           "a number", "a share",   "a power",        "degrees", "a size in bytes",
      "a span of time", "a clock",  "an energy", "an amount in $",
  };
  return meanings[static_cast<std::size_t>(kind)];
}

}  // namespace drover::filter
