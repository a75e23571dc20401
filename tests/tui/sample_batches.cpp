// What the devices of the sample fleet measure: the same story at every run.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tests/tui/sample_fleet.h"
#include "tests/tui/sample_specs.h"

namespace drover::tui {
namespace {

struct Kind {
  std::string_view id, text;
  double memory_bytes, cap_w;
};
constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr Kind kinds[] = {
    {"h100-sxm", h100_text, 80 * gibibyte, 700},
    {"a100-sxm-80gb",
     "class = \"gpu\"\n[power]\ntdp_w = 400\n[price]\nusd_per_h = 3.43\n[thermal]\nslowdown_c = "
     "89\n",
     80 * gibibyte, 400},
    {"l4",
     "class = \"gpu\"\n[power]\ntdp_w = 72\n[price]\nusd_per_h = 0.81\n[thermal]\nslowdown_c = "
     "89\n",
     24 * gibibyte, 72},
    {"tpu-v5e", "class = \"tpu\"\n[power]\ntdp_w = 220\n[price]\nusd_per_h = 1.2\n", 16 * gibibyte,
     220}};

const Kind& kind_of(const std::string& id) {
  return *std::find_if(std::begin(kinds), std::end(kinds),
                       [&](const Kind& kind) { return kind.id == id; });
}

}  // namespace

double sample_cap_w(const std::string& device) { return kind_of(device).cap_w; }

std::string_view sample_spec_text(const std::string& device) { return kind_of(device).text; }

/// What the router keeps of the lost host: its last values, and when they came.
Envelope SampleFleet::last_of_lost() const {
  std::vector<Sample> rows(4);
  for (std::uint16_t i = 0; i < 4; ++i) {
    rows[i].device = i;
    rows[i][Metric::utilization] = 1;
    rows[i][Metric::power] = 70;
    rows[i][Metric::power_cap] = 72;
    rows[i][Metric::temperature] = 66;
    rows[i][Metric::running] = 1;
  }
  return {"edge-1", 41, start - std::chrono::seconds(13), pack("edge-1", rows)};
}

std::vector<Envelope> SampleFleet::samples(int seconds) {
  std::vector<Envelope> batches;
  ++batches_;
  const Instant at = start + std::chrono::seconds(seconds);
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    if (hosts[h].health == Health::lost) continue;
    const Group& group = hosts[h].registration.groups.front();
    const Kind& kind = kind_of(group.device);
    std::vector<Sample> rows;
    for (std::uint16_t i = 0; i < group.count; ++i) {
      Sample sample;
      sample.device = i;
      // Every device has its own level and its own slow wave, so that screens show variety.
      const double phase = 0.11 * seconds + 0.7 * i + 2.1 * static_cast<double>(h);
      const double level = 0.15 + 0.11 * i - 0.04 * static_cast<double>(h);
      const double load = std::clamp(level + 0.25 * std::sin(phase), 0.0, 1.0);
      sample[Metric::utilization] = load;
      sample[Metric::tensor_activity] = 0.55 * load;
      sample[Metric::memory_activity] = 0.7 * load;
      sample[Metric::memory_total] = kind.memory_bytes;
      sample[Metric::memory_used] = kind.memory_bytes * std::min(0.98, 0.3 + 0.085 * i);
      sample[Metric::power] = kind.cap_w * (0.18 + 0.82 * load);
      sample[Metric::power_cap] = kind.cap_w;
      sample[Metric::temperature] = 31 + 55 * load;
      sample[Metric::clock] = 1'830 - 300 * load;
      sample[Metric::throttle] = load > 0.97   ? double{throttle_sw_power_cap}
                                 : load < 0.02 ? double{throttle_gpu_idle}
                                               : 0.0;
      sample[Metric::energy] = 2.0e5 * (i + 1) + 400 * seconds;
      sample[Metric::queue] = load > 0.9 ? 3 : 0;
      sample[Metric::running] = std::round(24 * load);
      if (group.device == "h100-sxm") {
        sample[Metric::memory_temperature] = 38 + 58 * load;
        sample[Metric::power_violation] = 12.5 * i;
        sample[Metric::thermal_violation] = i == 3 ? 61 : 0;
        sample[Metric::board_limit_violation] = 0;
      }
      if (h == 3 && i == 5) sample[Metric::power] = absent;
      rows.push_back(sample);
    }
    batches.push_back(
        {hosts[h].registration.host, batches_, at, pack(hosts[h].registration.host, rows)});
  }
  return batches;
}

std::vector<Envelope> plain_hosts(int hosts, int devices_each) {
  std::vector<Envelope> all;
  for (int h = 0; h < hosts; ++h) {
    HostChanged host;
    host.registration.host = fmt::format("host-{:04}", h);
    host.registration.rack = fmt::format("r{:02}", h / 16);
    host.registration.specs = {{"h100-sxm", std::string(kinds[0].text)}};
    host.registration.groups = {
        {0, 0, static_cast<std::uint16_t>(devices_each), "h100-sxm", "", 700}};
    all.push_back({"router", static_cast<std::uint64_t>(h) + 1, SampleFleet::start, host});
  }
  return all;
}

std::vector<Envelope> plain_samples(int hosts, int devices_each, std::uint64_t sequence) {
  std::vector<Envelope> all;
  RandomStream random(sequence);
  for (int h = 0; h < hosts; ++h) {
    std::vector<Sample> rows(static_cast<std::size_t>(devices_each));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].device = static_cast<std::uint16_t>(i);
      const double load = random.uniform();
      rows[i][Metric::utilization] = load;
      rows[i][Metric::memory_total] = 80 * gibibyte;
      rows[i][Metric::memory_used] = 80 * gibibyte * random.uniform();
      rows[i][Metric::power] = 700 * load;
      rows[i][Metric::power_cap] = 700;
      rows[i][Metric::temperature] = 30 + 50 * load;
      rows[i][Metric::running] = load > 0.5 ? 1 : 0;
    }
    const std::string name = fmt::format("host-{:04}", h);
    all.push_back({name, sequence, SampleFleet::start, pack(name, rows)});
  }
  return all;
}

}  // namespace drover::tui
