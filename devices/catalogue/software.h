// How the software around a net runs it; told by the words that name the precision.
#pragma once

#include <cstdint>

namespace drover::devices {

enum class Software : std::uint8_t {
  engine,     // compiled for the device: TensorRT, XLA; layers fused. Training: as framework
  framework,  // layer by layer, mixed precision arranged by hand: "fp16 mixed", "fp32"
  autocast,   // layer by layer, casts inserted automatically: "AMP"
  tuned,      // a benchmark submission: fused norms, captured graphs, no padding
};

}  // namespace drover::devices
