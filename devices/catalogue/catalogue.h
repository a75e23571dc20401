// The catalogue of device and model specs: those embedded in the program, and files of the user.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "devices/catalogue/embedded_specs.h"
#include "devices/catalogue/model.h"
#include "devices/catalogue/spec.h"
#include "fleet/base/result.h"
#include "fleet/text/toml.h"

namespace drover::devices {

template <typename Spec>
struct Entry {
  Spec spec;
  std::string text;    // self-contained TOML, as sent in Register and Assign
  std::string file;    // text of its file, with its sources
  std::string origin;  // "embedded" or the file's name
};

/// Embedded specs are parsed on first use and cached, also by a const catalogue. For one thread.
class Catalogue {
 public:
  /// The embedded specs. An invalid one stops the program.
  static const Catalogue& embedded();

  /// Adds a text with `kind = "device"`, "model" or "generation". It may replace an embedded spec
  /// with the same id, but not an added one. A replaced generation changes all devices that name
  /// it; `every_generation` changes all devices that do not override it.
  Status add(std::string_view toml, std::string place);

  /// Changes one number, "h100-sxm.memory.bandwidth_gb_s", in the file's unit. With the id of a
  /// generation: for every device that inherits the number from it, or would if the generation had
  /// it.
  Status set(std::string_view id_section_key, double value);

  /// The error lists the nearest known names.
  Result<const Entry<DeviceSpec>*> device(std::string_view id) const;
  Result<const Entry<ModelSpec>*> model(std::string_view id) const;

  /// All specs by id.
  const std::map<std::string, Entry<DeviceSpec>>& devices() const;
  const std::map<std::string, Entry<ModelSpec>>& models() const;

 private:
  struct Generation {
    std::string text;
    std::string origin;
    std::optional<toml_file::Table> table;  // parsed on first use
  };
  using Unread = std::map<std::string, EmbeddedSpec, std::less<>>;  // by id
  Status add_generation(std::string_view toml, const std::string& id, std::string place);
  Status add_device(std::string_view toml, std::string place);
  Status add_model(std::string_view toml, std::string place);
  /// Nothing when no file has this id.
  Result<std::optional<toml_file::Table>> generation_table(std::string_view id) const;
  Result<Entry<DeviceSpec>> read_device(std::string_view toml, std::string place) const;

  void read_embedded_device(Unread::iterator unread) const;
  void read_embedded_model(Unread::iterator unread) const;

  mutable std::map<std::string, Generation> generations_;
  mutable std::map<std::string, Entry<DeviceSpec>> devices_;
  mutable std::map<std::string, Entry<ModelSpec>> models_;
  mutable Unread unread_devices_, unread_models_;
};

}  // namespace drover::devices
