// What is read of one real device at once: by a driver on this machine, or from a page of metrics.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/board.h"
#include "fleet/host_description.h"
#include "fleet/sample/sample.h"

namespace drover::agents {

struct BoardReading {
  /// The same in every reading of this board, and of no other board of the host: its UUID, else its
  /// PCI address, else "gpu 0".
  std::string identity;
  std::optional<std::uint16_t> index;  // the number that its source gives it; none: any free one
  DeviceClass device_class = DeviceClass::gpu;
  std::string vendor;               // "nvidia", "amd", "intel", "google"; empty: not known
  Board board;                      // `device` is not set here
  Sample values;                    // `device` is not set here
  std::vector<std::uint32_t> xids;  // NVIDIA's error codes that came since the reading before
  std::string lost;  // why the device does not answer: "GPU is lost"; empty: it answers
};

/// All devices of one host at one time.
struct HostReading {
  std::string host;                           // its name; empty: the machine that was read
  std::map<std::string, std::string> labels;  // of the host: "instance", "zone"
  std::vector<BoardReading> boards;
};

/// What came from one target: a page of metrics, or this machine's drivers.
struct TargetNews {
  std::string target;              // its URL; empty: this machine
  std::vector<HostReading> hosts;  // without `failure`
  std::string failure;             // why nothing came: "connection refused"; empty: something did
};

}  // namespace drover::agents
