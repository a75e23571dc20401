// What the agent has published last. Each call opens the file and reads it anew: there is nothing
// to keep, to lock or to close, and an agent that was restarted is found again by itself.
#pragma once

#include <array>
#include <cstddef>

#include "agents/fake_nvml/layout.h"
#include "agents/fake_nvml/library/nvml.h"

namespace drover::fake_nvml {

struct Published {
  FileHeader header;
  std::array<NvmlError, errors_kept> errors;
};

/// All three: driver_not_loaded if no agent lives, or if the file is not one that this library may
/// trust: another layout, another size, of a user who is neither this one nor root, or writable by
/// others.
Return read_header(FileHeader& header);
Return read_errors(Published& published);
/// REQUIRES index < devices_max. not_found: the agent has fewer devices.
Return read_device(std::size_t index, FileHeader& header, NvmlDevice& device);

}  // namespace drover::fake_nvml
