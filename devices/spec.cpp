// A device spec file: one table per part of the chip, one row here per key, each with the range in
// which a value is possible at all. Keys carry the unit of the datasheets (GB/s, GiB, us, W); the
// spec carries SI units.
#include "devices/spec.h"

#include <cmath>
#include <utility>

#include "fleet/identity.h"
#include "fleet/toml.h"

namespace drover::devices {
namespace {

using toml_file::Table;

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr double micro = 1e-6;

struct NumberRow {
  const char* section;
  const char* key;
  double DeviceSpec::*member;
  double scale;
  double low, high;  // in the file's unit
};

constexpr NumberRow number_rows[] = {
    {"memory", "capacity_gib", &DeviceSpec::memory_bytes, gib, 0.1, 1e5},
    {"memory", "bandwidth_gb_s", &DeviceSpec::memory_bandwidth, 1e9, 1, 1e6},
    {"memory", "efficiency", &DeviceSpec::memory_efficiency, 1, 0.01, 1},
    {"memory", "reserved_gib", &DeviceSpec::reserved_bytes, gib, 0, 1e4},

    {"links", "bandwidth_gb_s", &DeviceSpec::link_bandwidth, 1e9, 0, 1e6},
    {"links", "efficiency", &DeviceSpec::link_efficiency, 1, 0.01, 1},
    {"links", "latency_us", &DeviceSpec::collective_latency_s, micro, 0, 1e5},
    {"links", "host_gb_s", &DeviceSpec::host_bandwidth, 1e9, 0.01, 1e5},

    {"compute", "efficiency", &DeviceSpec::compute_efficiency, 1, 0.01, 1},
    {"compute", "launch_us", &DeviceSpec::launch_s, micro, 0, 1e5},
    {"compute", "request_us", &DeviceSpec::request_s, micro, 0, 1e5},
    {"compute", "compile_s_per_billion", &DeviceSpec::compile_s, 1, 0, 1e4},

    {"power", "tdp_w", &DeviceSpec::tdp_w, 1, 1, 1e5},
    {"power", "idle_w", &DeviceSpec::idle_w, 1, 0, 1e5},
    {"power", "open_w", &DeviceSpec::open_w, 1, 0, 1e5},
    {"power", "active_w", &DeviceSpec::active_w, 1, 0, 1e5},
    {"power", "memory_w", &DeviceSpec::memory_w, 1, 0, 1e5},
    {"power", "matrix_w", &DeviceSpec::matrix_w, 1, 0, 1e5},
    {"power", "link_w", &DeviceSpec::link_w, 1, 0, 1e5},
    {"power", "cap_min_w", &DeviceSpec::power_cap_min_w, 1, 0, 1e5},

    {"clock", "nominal_mhz", &DeviceSpec::clock_mhz, 1, 1, 1e5},
    {"clock", "min_share", &DeviceSpec::clock_min_share, 1, 0.01, 1},
    {"clock", "step_share", &DeviceSpec::clock_step_share, 1, 0.001, 0.5},
    {"clock", "knee_share", &DeviceSpec::clock_knee_share, 1, 0.01, 1},

    {"heat", "die_k_per_w", &DeviceSpec::die_resistance, 1, 1e-4, 100},
    {"heat", "die_s", &DeviceSpec::die_time_s, 1, 0.01, 1e4},
    {"heat", "sink_k_per_w", &DeviceSpec::sink_resistance, 1, 1e-4, 100},
    {"heat", "sink_s", &DeviceSpec::sink_time_s, 1, 0.01, 1e5},
    {"heat", "max_c", &DeviceSpec::temperature_max_c, 1, 0, 200},
    {"heat", "slowdown_c", &DeviceSpec::temperature_slowdown_c, 1, 0, 200},
    {"heat", "shutdown_c", &DeviceSpec::temperature_shutdown_c, 1, 0, 250},

    {"price", "usd_per_h", &DeviceSpec::price_usd_per_h, 1, 0, 1e5},
    {"price", "spot_usd_per_h", &DeviceSpec::spot_usd_per_h, 1, 0, 1e5},
};

struct CountRow {
  const char* section;
  const char* key;
  std::uint32_t DeviceSpec::*member;
};

constexpr CountRow count_rows[] = {
    {"compute", "tile", &DeviceSpec::matrix_tile},
    {"compute", "units", &DeviceSpec::matrix_units},
    {"compute", "row_padding", &DeviceSpec::row_padding},
};
constexpr std::int64_t count_max = 1 << 20;

/// Two values of which the first may not be above the second.
struct OrderRow {
  const char* section;
  const char* key;
  double DeviceSpec::*lower;
  const char* upper_key;
  double DeviceSpec::*upper;
};

constexpr OrderRow order_rows[] = {
    {"memory", "reserved_gib", &DeviceSpec::reserved_bytes, "capacity_gib",
     &DeviceSpec::memory_bytes},
    {"power", "idle_w", &DeviceSpec::idle_w, "open_w", &DeviceSpec::open_w},
    {"power", "open_w", &DeviceSpec::open_w, "tdp_w", &DeviceSpec::tdp_w},
    {"power", "cap_min_w", &DeviceSpec::power_cap_min_w, "tdp_w", &DeviceSpec::tdp_w},
    {"clock", "min_share", &DeviceSpec::clock_min_share, "knee_share",
     &DeviceSpec::clock_knee_share},
    {"heat", "max_c", &DeviceSpec::temperature_max_c, "slowdown_c",
     &DeviceSpec::temperature_slowdown_c},
    {"heat", "slowdown_c", &DeviceSpec::temperature_slowdown_c, "shutdown_c",
     &DeviceSpec::temperature_shutdown_c},
    {"heat", "die_s", &DeviceSpec::die_time_s, "sink_s", &DeviceSpec::sink_time_s},
};

void read_identity(Table& root, DeviceSpec& spec) {
  const std::string kind = root.text("kind");
  if (kind != "device") {
    root.complain("kind", fmt::format("found \"{}\", expected \"device\"", kind));
  }
  spec.id = root.text("id");
  if (!is_name(spec.id)) {
    root.complain("id", "is not a name of letters, digits and . _ : - (1 to 64 of them)");
  }
  spec.name = root.text("name");
  const std::string device_class = root.text("class");
  if (device_class == "gpu") {
    spec.device_class = DeviceClass::gpu;
  } else if (device_class == "tpu") {
    spec.device_class = DeviceClass::tpu;
  } else {
    root.complain("class", fmt::format("found \"{}\", expected \"gpu\" or \"tpu\"", device_class));
  }
}

void read_peaks(Table& peaks, DeviceSpec& spec) {
  bool any = false;
  for (int i = 0; i < precision_count; ++i) {
    const auto precision = static_cast<Precision>(i);
    const double teraflops = peaks.number_in(to_text(precision), 0, 1e6, 0.0);
    spec.peak_flops[static_cast<std::size_t>(i)] = teraflops * 1e12;
    any = any || teraflops > 0;
  }
  if (!any) peaks.complain("bf16", "no precision has a peak rate above 0");
}

void read_software(Table& software, DeviceSpec& spec) {
  spec.frameworks = software.texts("frameworks");
  spec.missing_ops = software.texts("missing_ops");
  for (const double size : software.numbers("slice_sizes")) {
    if (size < 1 || size > 1e6 || size != std::floor(size)) {
      software.complain("slice_sizes",
                        fmt::format("found {}, expected whole numbers from 1", size));
      return;
    }
    spec.slice_sizes.push_back(static_cast<int>(size));
  }
}

/// The table of a section, or the root with a complaint where it is missing.
Table section_of(Table& root, const char* section) {
  if (std::optional<Table> table = root.table(section)) return *std::move(table);
  root.complain(section, fmt::format("missing, expected a table [{}]", section));
  return root;
}

void read_numbers(Table& root, DeviceSpec& spec) {
  for (const NumberRow& row : number_rows) {
    Table table = section_of(root, row.section);
    spec.*row.member = table.number_in(row.key, row.low, row.high) * row.scale;
  }
  for (const CountRow& row : count_rows) {
    Table table = section_of(root, row.section);
    const std::int64_t count = table.integer(row.key);
    if (count < 1 || count > count_max) {
      table.complain(row.key, fmt::format("found {}, expected 1..{}", count, count_max));
    }
    spec.*row.member = static_cast<std::uint32_t>(count);
  }
}

void check_order(Table& root, const DeviceSpec& spec) {
  for (const OrderRow& row : order_rows) {
    if (spec.*row.lower <= spec.*row.upper) continue;
    section_of(root, row.section)
        .complain(row.key, fmt::format("is above {}, expected at most that", row.upper_key));
  }
  // The closed form of the heat needs two different time constants.
  if (spec.die_time_s * 1.5 > spec.sink_time_s) {
    section_of(root, "heat").complain("die_s", "must be at most two thirds of sink_s");
  }
}

}  // namespace

Result<DeviceSpec> parse_device_spec(std::string_view toml, std::string place) {
  Result<Table> parsed = Table::parse(toml, std::move(place));
  if (!parsed) return parsed.error();
  Table root = *parsed;
  DeviceSpec spec;
  read_identity(root, spec);
  Table peaks = section_of(root, "peak_tflops");
  read_peaks(peaks, spec);
  read_numbers(root, spec);
  Table software = section_of(root, "software");
  read_software(software, spec);
  check_order(root, spec);
  if (const Status status = root.finish(); !status) return status.error();
  return spec;
}

}  // namespace drover::devices
