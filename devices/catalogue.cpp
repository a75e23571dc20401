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
  return error("unknown {} \"{}\"{}", what, excerpt(id), suggestion(id, known));
}

constexpr std::string_view embedded_origin = "embedded";

/// An embedded entry gives way; two files that say different things of one id are a mistake.
template <typename Spec>
Status put(std::map<std::string, Entry<Spec>>& entries, Entry<Spec> entry) {
  const auto known = entries.find(entry.spec.id);
  if (known != entries.end() && known->second.origin != embedded_origin) {
    return error("{}: id: \"{}\" stands in {} already", entry.origin, entry.spec.id,
                 known->second.origin);
  }
  const std::string id = entry.spec.id;
  entries[id] = std::move(entry);
  return {};
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
    for (auto& [id, entry] : loaded.devices_) entry.origin = embedded_origin;
    for (auto& [id, entry] : loaded.models_) entry.origin = embedded_origin;
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
    return put(devices_, {*std::move(spec), std::string(toml), std::move(place)});
  }
  if (kind == "model") {
    Result<ModelSpec> spec = parse_model_spec(toml, place);
    if (!spec) return spec.error();
    return put(models_, {*std::move(spec), std::string(toml), std::move(place)});
  }
  root->complain("kind",
                 fmt::format("found \"{}\", expected \"device\" or \"model\"", excerpt(kind)));
  return root->finish();
}

Result<const Entry<DeviceSpec>*> Catalogue::device(std::string_view id) const {
  return find(devices_, id, "device");
}

Result<const Entry<ModelSpec>*> Catalogue::model(std::string_view id) const {
  return find(models_, id, "model");
}

}  // namespace drover::devices
