// Short ways to the embedded specs, for tests.
#pragma once

#include <string_view>

#include "devices/catalogue/catalogue.h"
#include "devices/serving/performance.h"

namespace drover::devices {

inline const DeviceSpec& device_named(std::string_view id) {
  return (*Catalogue::embedded().device(id))->spec;
}
inline const ModelSpec& model_named(std::string_view id) {
  return (*Catalogue::embedded().model(id))->spec;
}
inline Placement on(std::string_view device, int devices = 1,
                    Precision precision = Precision::bf16) {
  return {&device_named(device), devices, precision};
}

}  // namespace drover::devices
