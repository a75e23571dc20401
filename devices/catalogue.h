// Named device and model specs: those embedded in the program, extended by files of the user.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "devices/model.h"
#include "devices/spec.h"
#include "fleet/result.h"

namespace drover::devices {

template <typename Spec>
struct Entry {
  Spec spec;
  std::string text;    // the TOML it was read from: what travels in Hello and Assign
  std::string origin;  // "embedded" or the file
};

class Catalogue {
 public:
  /// The specs built into the program. A broken one stops the program.
  static const Catalogue& embedded();

  /// A text with `kind = "device"` or `kind = "model"`. It may replace an embedded spec of its id,
  /// but none that was added.
  Status add(std::string_view toml, std::string place);

  /// The error lists the nearest known names.
  Result<const Entry<DeviceSpec>*> device(std::string_view id) const;
  Result<const Entry<ModelSpec>*> model(std::string_view id) const;

  const std::map<std::string, Entry<DeviceSpec>>& devices() const { return devices_; }
  const std::map<std::string, Entry<ModelSpec>>& models() const { return models_; }

 private:
  std::map<std::string, Entry<DeviceSpec>> devices_;
  std::map<std::string, Entry<ModelSpec>> models_;
};

}  // namespace drover::devices
