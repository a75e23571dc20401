// Finds devices, models and precisions by the names in use: catalogue ids, aliases and the common
// spellings of benchmarks. Case, spaces, dashes and underscores are ignored. Brackets after a
// device's name may contain the unit, a power limit or a remark.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "devices/catalogue/catalogue.h"
#include "devices/catalogue/engine.h"
#include "fleet/base/result.h"

namespace drover::devices {

struct FoundDevice {
  const DeviceSpec* spec = nullptr;
  std::optional<double> power_limit_w;  // "V100 (board max limit 250 W)"
};

/// Looks names up. It must outlive its results.
class SpecNameResolver {
 public:
  explicit SpecNameResolver(const Catalogue& catalogue);
  /// The error lists the nearest known names.
  Result<FoundDevice> device(std::string_view name);
  Result<const ModelSpec*> model(std::string_view name);

 private:
  const DeviceSpec& half_of(const DeviceSpec& spec);

  const Catalogue& catalogue_;
  std::map<std::string, const DeviceSpec*> devices_;  // by folded spelling
  std::map<std::string, const ModelSpec*> models_;
  std::map<std::string, std::unique_ptr<DeviceSpec>> halves_;  // by id
};

struct FoundPrecision {
  Precision precision = Precision::bf16;
  SoftwareStack software = SoftwareStack::engine;
};
/// What a text means on this device: "amp_bf16", "fp16 mixed", "MXFP8", "fp8_e4m3 in, bf16 out",
/// "16 bit inputs, ..", "fp32 (TF32 tensor cores allowed ..)", "mixed (submission default ..)".
std::optional<FoundPrecision> find_precision(std::string_view text, const DeviceSpec& device);

}  // namespace drover::devices
