// The part of a device spec that the dashboard shows. It parses the spec text of the Register
// message rather than a catalogue of its own, so it can never disagree with the router.
#pragma once

#include <string>
#include <string_view>

#include "fleet/messages.h"

namespace drover::tui {

/// Device specs. At this limit, specs that no device has are dropped. Routers allow half as many.
inline constexpr std::size_t specs_max = 2'048;

/// How devices of a kind are connected. 0: not known, or there is none.
struct SpecLinks {
  double bandwidth_bytes_per_s = 0;  // of all links of a device, one direction
  int domain = 0;                    // devices connected by them
  int peers = 0;                     // others that have links of their own; 0: a switch or a bridge
  double axis_bytes_per_s = 0;       // TPU: of one link, one direction
  int wrap_axis = 0;                 // TPU: an axis of this length, or a multiple, is a ring
  int pcie_generation = 0, pcie_lanes = 0;
  bool operator==(const SpecLinks&) const = default;
};

struct SpecRow {
  std::string id;
  std::string name;  // "NVIDIA H100 SXM5 80GB"; empty: unknown
  std::string text;  // to detect a change
  DeviceClass device_class = DeviceClass::gpu;
  bool real = false;  // read, not emulated
  // Its throttle reasons include "idle": the drivers of AMD and Intel report none for an idle
  // board.
  bool tells_idle = false;
  bool listed = true;          // in the catalogue: a real board may be in none
  double tdp_w = 0;            // 0: unknown
  double memory_bytes = 0;     // 0: unknown
  double price_usd_per_h = 0;  // 0: unknown
  double clock_max_mhz = 0;    // 0: unknown
  double slowdown_c = 0;       // where thermal throttling begins; 0: unknown
  std::string vendor;          // "nvidia"; empty: unknown
  SpecLinks links;
  // The emulated device's power or temperature depends on assumed constants: shown with ~.
  bool power_assumed = false, temperature_assumed = false;

  /// Its id; of a real board that is in no catalogue, what its driver calls it.
  const std::string& kind() const { return listed || name.empty() ? id : name; }
};

/// Missing facts and a text that does not parse leave zeros, which are shown as unknown.
SpecRow parse_spec_row(const std::string& id, std::string_view text);

}  // namespace drover::tui
