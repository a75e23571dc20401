// The software stack that runs a net; recognised by the text of the precision.
#pragma once

#include <cstdint>

namespace drover::devices {

enum class SoftwareStack : std::uint8_t {
  engine,     // compiled for the device: TensorRT, XLA; layers fused. Training: as framework
  framework,  // layer by layer, mixed precision arranged by hand: "fp16 mixed", "fp32"
  autocast,   // layer by layer, casts inserted automatically: "AMP"
  tuned,      // a benchmark submission: fused norms, CUDA graphs, no padding
};

}  // namespace drover::devices
