// The numbers of a device file: one row per key, with the unit of datasheets (GB/s, GiB, us, W),
// the scale to SI units and the range of possible values.
#pragma once

#include <optional>
#include <span>

#include "devices/catalogue/spec.h"

namespace drover::devices {

/// A number in one of the groups of a spec: C++ has no pointer to a member of a member.
template <typename Number>
struct Member {
  const Number& (*read)(const DeviceSpec&);
  Number& (*write)(DeviceSpec&);
};

struct NumberRow {
  const char* section;
  const char* key;
  Member<double> member;
  double scale;
  double low, high;                     // in the file's unit
  std::optional<double> default_value;  // in the file's unit; none: the key is required
};
std::span<const NumberRow> number_rows();

struct CountRow {
  const char* section;
  const char* key;
  Member<std::uint32_t> member;
  std::uint32_t low;
  std::optional<std::uint32_t> default_value;
};
std::span<const CountRow> count_rows();
inline constexpr std::uint32_t count_max = 1 << 20;

/// Two values of which the first must not exceed the second.
struct OrderRow {
  const char* section;
  const char* key;
  Member<double> lower;
  const char* upper_key;
  Member<double> upper;
};
std::span<const OrderRow> order_rows();

}  // namespace drover::devices
