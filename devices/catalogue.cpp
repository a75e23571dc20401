#include "devices/catalogue.h"

#include <utility>

#include "devices/embedded_specs.h"
#include "fleet/codec.h"
#include "fleet/text.h"
#include "fleet/toml.h"

namespace drover::devices {
namespace {

template <typename Spec>
Result<const Entry<Spec>*> find(const std::map<std::string, Entry<Spec>>& entries,
                                std::string_view id, std::string_view what) {
  const auto found = entries.find(std::string(id));
  if (found != entries.end()) return &found->second;
  std::vector<std::string> known;
  for (const auto& [name, entry] : entries) known.push_back(name);
  return error("unknown {} \"{}\"{}", what, printable(id), suggestion(id, known));
}

Catalogue load_embedded() {
  Catalogue catalogue;
  for (const EmbeddedSpec& spec : embedded_specs()) {
    const Status status = catalogue.add(spec.text, std::string(spec.file));
    // The tests read every embedded spec, so this stops only a build that was never tested.
    if (!status) stop_broken_invariant(status.error().message.c_str(), __FILE__, __LINE__);
  }
  return catalogue;
}

}  // namespace

const Catalogue& Catalogue::embedded() {
  static const Catalogue catalogue = [] {
    Catalogue loaded = load_embedded();
    for (auto& [id, entry] : loaded.devices_) entry.origin = "embedded";
    for (auto& [id, entry] : loaded.models_) entry.origin = "embedded";
    return loaded;
  }();
  return catalogue;
}

Status Catalogue::add(std::string_view toml, std::string place) {
  if (toml.size() > spec_bytes_max) {
    return error("{}: found {} bytes, expected at most {}", place, toml.size(), spec_bytes_max);
  }
  Result<toml_file::Table> root = toml_file::Table::parse(toml, place);
  if (!root) return root.error();
  const std::string kind = root->text("kind");
  if (kind == "device") {
    Result<DeviceSpec> spec = parse_device_spec(toml, place);
    if (!spec) return spec.error();
    const std::string id = spec->id;
    devices_[id] = {*std::move(spec), std::string(toml), std::move(place)};
    return {};
  }
  if (kind == "model") {
    Result<ModelSpec> spec = parse_model_spec(toml, place);
    if (!spec) return spec.error();
    const std::string id = spec->id;
    models_[id] = {*std::move(spec), std::string(toml), std::move(place)};
    return {};
  }
  return error("{}: kind: found \"{}\", expected \"device\" or \"model\"", place, printable(kind));
}

Result<const Entry<DeviceSpec>*> Catalogue::device(std::string_view id) const {
  return find(devices_, id, "device");
}

Result<const Entry<ModelSpec>*> Catalogue::model(std::string_view id) const {
  return find(models_, id, "model");
}

}  // namespace drover::devices
