// How busy the processor cores of this host are: an accelerator beside a saturated core may wait
// for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fleet/base/result.h"

namespace drover::agents {

class BusiestCore {
 public:
  /// `root`: as in DriverPlaces.
  explicit BusiestCore(const std::string& root) : path_(root + "/proc/stat") {}

  /// The share of time since the reading before in which the busiest core worked, 0..1. The first
  /// reading is an error.
  Result<double> read();

 private:
  struct Ticks {
    std::uint64_t all = 0;
    std::uint64_t idle = 0;  // waiting for disks counts as idle
  };

  std::string path_;
  std::map<std::string, Ticks, std::less<>> before_;  // by core: "cpu0"
};

}  // namespace drover::agents
