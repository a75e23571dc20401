// Named device and model specs: those embedded in the program, extended by files of the user.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/embedded_specs.h"
#include "devices/catalogue/model.h"
#include "devices/catalogue/spec.h"
#include "fleet/base/result.h"
#include "fleet/text/toml.h"

namespace drover::devices {

template <typename Spec>
struct Entry {
  Spec spec;
  std::string text;    // TOML that needs no other file: what travels in Hello and Assign
  std::string file;    // the text of the file it was read from, with its sources
  std::string origin;  // "embedded" or the file's name
};

/// Embedded specs are read when they are first asked for, which even a const catalogue remembers:
/// it is for one thread.
class Catalogue {
 public:
  /// The specs built into the program. A broken one stops the program.
  static const Catalogue& embedded();

  /// A text with `kind = "device"`, "model" or "generation". It may replace an embedded spec of its
  /// id, but none that was added. A replaced generation changes all devices that name it, the
  /// generation `every_generation` all that do not say otherwise.
  Status add(std::string_view toml, std::string place);

  /// Changes one number: "h100-sxm.memory.bandwidth_gb_s", in the file's unit. With the id of a
  /// generation: of every device that has it from there or would, if it stood there.
  Status set(std::string_view id_section_key, double value);

  /// The error lists the nearest known names.
  Result<const Entry<DeviceSpec>*> device(std::string_view id) const;
  Result<const Entry<ModelSpec>*> model(std::string_view id) const;

  /// All of them, by id.
  const std::map<std::string, Entry<DeviceSpec>>& devices() const;
  const std::map<std::string, Entry<ModelSpec>>& models() const;

 private:
  struct Generation {
    std::string text;
    std::string origin;
    std::optional<toml_file::Table> table;  // parsed, once a device has named it
  };
  using Unread = std::map<std::string, EmbeddedSpec, std::less<>>;  // by id
  Status add_generation(std::string_view toml, const std::string& id, std::string place);
  Status add_device(std::string_view toml, std::string place);
  Status add_model(std::string_view toml, std::string place);
  /// Nothing where no file has that id.
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
