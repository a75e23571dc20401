// Layouts: struct gpu_metrics_v1_1 to v1_8 in Linux, drivers/gpu/drm/amd/include/
// kgd_pp_interface.h. The driver fills a table with 0xff before it writes the fields that a board
// has (smu_cmn_init_soft_gpu_metrics). Bits of the status: SMU_THROTTLER_.. in
// drivers/gpu/drm/amd/pm/swsmu/inc/amdgpu_smu.h.
#include "agents/drivers/gpu_metrics.h"

#include <algorithm>
#include <array>
#include <limits>

#include "fleet/sample/sample.h"
#include "fleet/sample/sample_bounds.h"

namespace drover::agents {
namespace {

constexpr std::size_t header_bytes = 4;  // u16 size, u8 format, u8 content revision
constexpr int nowhere = -1;
constexpr int link_count = 8;

struct Layout {
  int content = 0;
  std::size_t size = 0;
  bool may_be_longer = false;  // what follows differs between versions of the driver
  // Places of fields in bytes:
  int hottest = nowhere;             // u16, C
  int memory_temperature = nowhere;  // u16, C
  int energy = nowhere;              // u64
  int ticks = nowhere;               // six u32, in the order of ThrottleTicks
  int lanes = nowhere;               // u16, and after it the speed in 0.1 GT/s
  int links_read = nowhere;          // eight u64, kB
  int links_written = nowhere;       // eight u64, kB
  int status = nowhere;              // u64
};

constexpr std::array<Layout, 8> layouts{{
    {1, 96, false, 6, 8, 24, nowhere, 74, nowhere, nowhere, nowhere},
    {2, 104, false, 6, 8, 24, nowhere, 74, nowhere, nowhere, nowhere},
    {3, 120, false, 6, 8, 24, nowhere, 74, nowhere, nowhere, 112},
    // The driver sets the status of 1.4 and 1.5 to 0 whatever happens.
    {4, 288, false, 4, 6, 24, nowhere, 48, 104, 168, nowhere},
    {5, 328, false, 4, 6, 56, nowhere, 80, 144, 208, nowhere},
    {6, 1664, false, 4, 6, 16, 32, 60, 128, 192, nowhere},
    {7, 2208, false, 4, 6, 24, 40, 68, 136, 200, nowhere},
    {8, 344, true, 4, 6, 24, 40, 68, 136, 200, nowhere},
}};

template <typename Integer>
std::optional<Integer> field(std::string_view bytes, int place, int index = 0) {
  if (place == nowhere) return std::nullopt;
  const auto integer = integer_at<Integer>(bytes.data() + place, static_cast<std::size_t>(index));
  if (integer == std::numeric_limits<Integer>::max()) return std::nullopt;
  return integer;
}

std::optional<double> number(std::string_view bytes, int place, double scale = 1) {
  const auto integer = field<std::uint16_t>(bytes, place);
  return integer ? std::optional(*integer * scale) : std::nullopt;
}

std::optional<double> sum_of_links(std::string_view bytes, int place) {
  std::optional<double> sum;
  for (int link = 0; link < link_count; ++link) {
    const auto kilobytes = field<std::uint64_t>(bytes, place, link);
    if (kilobytes) sum = sum.value_or(0) + static_cast<double>(*kilobytes) * 1024;
  }
  return sum;
}

std::optional<ThrottleTicks> ticks_of(std::string_view bytes, int place) {
  std::array<std::uint32_t, 6> values{};
  for (int index = 0; index < 6; ++index) {
    const auto value = field<std::uint32_t>(bytes, place, index);
    if (!value) return std::nullopt;
    values[static_cast<std::size_t>(index)] = *value;
  }
  return ThrottleTicks{values[0], values[1], values[2], values[3], values[4], values[5]};
}

}  // namespace

Result<GpuMetrics> parse_gpu_metrics(std::string_view bytes) {
  if (bytes.size() < header_bytes) return error("gpu_metrics has {} bytes", bytes.size());
  const auto size = integer_at<std::uint16_t>(bytes.data(), 0);
  const int format = static_cast<unsigned char>(bytes[2]);
  const int content = static_cast<unsigned char>(bytes[3]);
  const auto layout = std::find_if(layouts.begin(), layouts.end(), [content](const Layout& each) {
    return each.content == content;
  });
  if (format != 1 || layout == layouts.end()) {
    return error("gpu_metrics has revision {}.{}; 1.1 to 1.8 are known", format, content);
  }
  if (size != bytes.size() || size < layout->size ||
      (size > layout->size && !layout->may_be_longer)) {
    return error("gpu_metrics of revision 1.{} has {} bytes and says {}; expected: {}", content,
                 bytes.size(), size, layout->size);
  }
  GpuMetrics metrics;
  metrics.content_revision = content;
  metrics.energy = field<std::uint64_t>(bytes, layout->energy);
  metrics.temperature_c = number(bytes, layout->hottest);
  metrics.memory_temperature_c = number(bytes, layout->memory_temperature);
  metrics.pcie_lanes = number(bytes, layout->lanes);
  metrics.pcie_gt_s = number(bytes, layout->lanes + 2, 0.1);
  metrics.throttle_status = field<std::uint64_t>(bytes, layout->status);
  if (layout->ticks != nowhere) metrics.throttle_ticks = ticks_of(bytes, layout->ticks);
  metrics.link_read_bytes = sum_of_links(bytes, layout->links_read);
  metrics.link_written_bytes = sum_of_links(bytes, layout->links_written);
  return metrics;
}

std::uint32_t throttle_of_status(std::uint64_t status) {
  constexpr std::uint64_t power_limits = 0xff;            // 0 to 7: PPT0 to SPPT_APU
  constexpr std::uint64_t temperatures = 0xfffULL << 32;  // 32 to 43: TEMP_GPU to TEMP_LIQUID1
  constexpr std::uint64_t regulators_hot = 0x3ULL << 44;  // VRHOT0, VRHOT1
  constexpr std::uint64_t processor_hot = 0x3ULL << 46;   // PROCHOT_CPU, PROCHOT_GFX
  std::uint32_t bits = 0;
  if ((status & power_limits) != 0) bits |= throttle_sw_power_cap;
  if ((status & temperatures) != 0) bits |= throttle_sw_thermal_slowdown;
  if ((status & (regulators_hot | processor_hot)) != 0) bits |= throttle_hw_thermal_slowdown;
  return bits;
}

}  // namespace drover::agents
