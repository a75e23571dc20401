// Memory use of one device.
#pragma once

namespace drover::devices {

/// Bytes on one device, by purpose.
struct MemoryUse {
  double weights = 0;
  double states = 0;  // gradients and optimiser
  double activations = 0;
  double cache = 0;     // KV
  double reserved = 0;  // driver, context, libraries
  double total() const { return weights + states + activations + cache + reserved; }
};

}  // namespace drover::devices
