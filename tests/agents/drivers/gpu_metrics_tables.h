// amdgpu's tables as their structs in kgd_pp_interface.h lay them out: field after field.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace drover::agents {

/// Appends little-endian integers.
class TableWriter {
 public:
  template <typename Integer>
  TableWriter& add(Integer value, std::size_t count = 1) {
    for (; count > 0; --count) {
      for (std::size_t byte = 0; byte < sizeof value; ++byte)
        bytes_.push_back(static_cast<char>(value >> (8 * byte)));
    }
    return *this;
  }
  TableWriter& u16(std::uint64_t value, std::size_t count = 1) {
    return add(static_cast<std::uint16_t>(value), count);
  }
  TableWriter& u32(std::uint64_t value, std::size_t count = 1) {
    return add(static_cast<std::uint32_t>(value), count);
  }
  TableWriter& u64(std::uint64_t value, std::size_t count = 1) { return add(value, count); }
  /// With the header, and filled up to the size.
  std::string finish(std::uint16_t size, int format, int content) {
    bytes_.resize(size);
    bytes_[0] = static_cast<char>(size & 0xff);
    bytes_[1] = static_cast<char>(size >> 8);
    bytes_[2] = static_cast<char>(format);
    bytes_[3] = static_cast<char>(content);
    return bytes_;
  }

 private:
  std::string bytes_ = std::string(4, '\0');
};

inline std::string table(std::size_t size, int format, int content) {
  return TableWriter().finish(static_cast<std::uint16_t>(size), format, content);
}

struct TableValues {
  std::uint64_t hottest = 0;
  std::uint64_t memory = 0;
  std::uint64_t power = 0;
  std::uint64_t energy = 0;
  std::array<std::uint32_t, 6> ticks{};
  std::uint64_t lanes = 0;
  std::uint64_t tenths_of_gt_s = 0;
  std::uint64_t read_kb = 0;     // of each link
  std::uint64_t written_kb = 0;  // of each link
  std::uint64_t status = 0;
};

inline std::string table_1_3(const TableValues& values) {
  return TableWriter()
      .u16(50)  // temperature_edge
      .u16(values.hottest)
      .u16(values.memory)
      .u16(60, 3)  // temperature_vr*
      .u16(90, 3)  // average_*_activity
      .u16(values.power)
      .u64(values.energy)
      .u64(1)        // system_clock_counter
      .u16(1000, 7)  // average_*_frequency
      .u16(1100, 7)  // current_*clk
      .u32(0xabcd)   // throttle_status of this chip
      .u16(1200)     // current_fan_speed
      .u16(values.lanes)
      .u16(values.tenths_of_gt_s)
      .u16(0xffff)  // padding
      .u32(1, 2)    // *_activity_acc
      .u16(45, 4)   // temperature_hbm
      .u64(1)       // firmware_timestamp
      .u16(900, 3)  // voltage_*
      .u16(0xffff)  // padding1
      .u64(values.status)
      .finish(120, 1, 3);
}

inline std::string table_1_7(const TableValues& values) {
  TableWriter writer;
  writer.u16(values.hottest)
      .u16(values.memory)
      .u16(60)  // temperature_vrsoc
      .u16(values.power)
      .u16(90)    // average_gfx_activity
      .u16(40)    // average_umc_activity
      .u64(5300)  // mem_max_bandwidth
      .u64(values.energy)
      .u64(1);  // system_clock_counter
  for (const std::uint32_t ticks : values.ticks) writer.u32(ticks);
  return writer
      .u32(0)  // gfxclk_lock_status
      .u16(values.lanes)
      .u16(values.tenths_of_gt_s)
      .u16(16)                    // xgmi_link_width
      .u16(32)                    // xgmi_link_speed
      .u32(1, 2)                  // *_activity_acc
      .u32(0)                     // alignment
      .u64(1, 2)                  // pcie_bandwidth_*
      .u64(2, 3)                  // pcie_l0_to_recov, replay, replay_rover
      .u32(3, 2)                  // pcie_nak_*
      .u64(values.read_kb, 8)     // xgmi_read_data_acc
      .u64(values.written_kb, 8)  // xgmi_write_data_acc
      .finish(2208, 1, 7);
}

}  // namespace drover::agents
