// What readings from nvidia-smi and amd-smi have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "agents/watch/reading.h"
#include "fleet/base/search.h"

namespace drover::agents {

/// More than any host has.
inline constexpr std::size_t smi_boards_max = 256;
inline constexpr double smi_mib = 1 << 20;

/// Its UUID, else its PCI address, else its number.
inline std::string identity_of(const BoardReading& reading) {
  if (!reading.board.uuid.empty()) return reading.board.uuid;
  if (!reading.board.bus.empty()) return reading.board.bus;
  return fmt::format("gpu {}", reading.index.value_or(0));
}

/// Gives each metric that has neither value nor reason the reason that the program does not report
/// it.
inline void fill_missing(BoardReading& reading) {
  auto& missing = reading.board.missing;
  for (std::size_t number = 0; number < metric_count; ++number) {
    const auto metric = static_cast<Metric>(number);
    if (metric == Metric::queue || metric == Metric::running) continue;  // of emulated devices
    const auto id = static_cast<std::uint8_t>(number);
    if (!std::isnan(reading.values[metric]) || find_by(missing, &MissingMetric::metric, id))
      continue;
    missing.push_back({id, reading.board.read_by + " does not report it"});
  }
  std::ranges::sort(missing, {}, &MissingMetric::metric);
}

}  // namespace drover::agents
