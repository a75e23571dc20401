#include "devices/catalogue/catalogue.h"

#include <utility>

#include "devices/catalogue/embedded_specs.h"
#include "devices/catalogue/spec_file.h"
#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/text/toml.h"

namespace drover::devices {
namespace {

template <typename Entries>
Error unknown(std::string_view what, std::string_view id, const Entries& entries) {
  std::vector<std::string> known;
  for (const auto& [name, entry] : entries) known.push_back(name);
  return error("unknown {} \"{}\"{}", what, excerpt(id), suggestion(id, known));
}

constexpr std::string_view embedded_origin = "embedded";
/// The id of the file with facts common to all generations.
constexpr std::string_view every_generation = "every_generation";

/// Adds or replaces an entry. Only an embedded entry may be replaced; two files with the same id
/// are an error.
template <typename Value>
Status put(std::map<std::string, Value>& entries, const std::string& id, Value value) {
  const auto known = entries.find(id);
  if (known != entries.end() && known->second.origin != embedded_origin) {
    return error("{}: id: \"{}\" is already in {}", value.origin, id, known->second.origin);
  }
  entries[id] = std::move(value);
  return {};
}

/// The value of a key at the beginning of an embedded file, whose format the tests check.
std::string head_of(std::string_view text, std::string_view key) {
  const std::string start = fmt::format("\n{} = \"", key);
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return "";
  const std::size_t from = at + start.size();
  return std::string(text.substr(from, text.find('"', from) - from));
}

/// Whether a device would inherit a number from this generation, if the generation had it.
bool takes_from(const DeviceSpec& spec, std::string_view name, std::string_view id) {
  const auto basis = spec.bases.find(name);
  if (basis == spec.bases.end()) return false;
  if (id == every_generation) return basis->second.file >= FactFile::every_generation;
  return spec.generation == id && basis->second.file >= FactFile::generation;
}

/// The tests read every embedded spec, so this stops only untested builds.
template <typename T>
T good(Result<T> result) {
  if (!result) stop_broken_invariant(result.error().message.c_str(), __FILE__, __LINE__);
  return *std::move(result);
}

}  // namespace

const Catalogue& Catalogue::embedded() {
  static const Catalogue catalogue = [] {
    Catalogue loaded;
    for (const EmbeddedSpec& spec : embedded_specs()) {
      const std::string kind = head_of(spec.text, "kind"), id = head_of(spec.text, "id");
      if (kind == "generation") {
        loaded.generations_[id] = {std::string(spec.text), std::string(embedded_origin), {}};
      } else {
        (kind == "model" ? loaded.unread_models_ : loaded.unread_devices_).emplace(id, spec);
      }
    }
    return loaded;
  }();
  return catalogue;
}

void Catalogue::read_embedded_device(Unread::iterator unread) const {
  Entry<DeviceSpec> entry =
      good(read_device(unread->second.text, std::string(unread->second.file)));
  entry.origin = embedded_origin;
  devices_.emplace(unread->first, std::move(entry));
  unread_devices_.erase(unread);
}

void Catalogue::read_embedded_model(Unread::iterator unread) const {
  const std::string text(unread->second.text);
  ModelSpec model = good(parse_model_spec(text, std::string(unread->second.file)));
  models_.emplace(unread->first,
                  Entry<ModelSpec>{std::move(model), text, text, std::string(embedded_origin)});
  unread_models_.erase(unread);
}

const std::map<std::string, Entry<DeviceSpec>>& Catalogue::devices() const {
  while (!unread_devices_.empty()) read_embedded_device(unread_devices_.begin());
  return devices_;
}

const std::map<std::string, Entry<ModelSpec>>& Catalogue::models() const {
  while (!unread_models_.empty()) read_embedded_model(unread_models_.begin());
  return models_;
}

Status Catalogue::add(std::string_view toml, std::string place) {
  if (toml.size() > spec_bytes_max) {
    return error("{}: found {} bytes, expected at most {}", place, toml.size(), spec_bytes_max);
  }
  DROVER_ASSIGN(auto root, toml_file::Table::parse(toml, place));
  const std::string kind = root.text("kind");
  if (kind == "device") return add_device(toml, std::move(place));
  if (kind == "model") return add_model(toml, std::move(place));
  if (kind == "generation") return add_generation(toml, root.text("id"), std::move(place));
  root.add_problem("kind", fmt::format("found \"{}\", expected \"device\", \"model\" or "
                                       "\"generation\"",
                                       excerpt(kind)));
  return root.finish();
}

Result<std::optional<toml_file::Table>> Catalogue::generation_table(std::string_view id) const {
  const auto found = generations_.find(std::string(id));
  if (found == generations_.end()) return std::optional<toml_file::Table>{};
  std::optional<toml_file::Table>& table = found->second.table;
  if (!table) {
    DROVER_ASSIGN(table, toml_file::Table::parse(found->second.text, found->second.origin));
  }
  return table;
}

Result<Entry<DeviceSpec>> Catalogue::read_device(std::string_view toml, std::string place) const {
  DROVER_ASSIGN(auto root, toml_file::Table::parse(toml, place));
  // A self-contained spec, such as a received one, is read without its generation.
  DROVER_ASSIGN(const auto shared, generation_table(root.text("generation", "")));
  DROVER_ASSIGN(const auto every, generation_table(every_generation));
  DROVER_ASSIGN(auto spec, read_device_spec(root, shared, every));
  std::string text = to_toml(spec);
  if (text.size() > spec_bytes_max) {
    return error("{}: {} bytes with the facts of its generation, expected at most {}", place,
                 text.size(), spec_bytes_max);
  }
  return Entry<DeviceSpec>{std::move(spec), std::move(text), std::string(toml), std::move(place)};
}

Status Catalogue::add_device(std::string_view toml, std::string place) {
  DROVER_ASSIGN(auto entry, read_device(toml, std::move(place)));
  const std::string id = entry.spec.id;
  unread_devices_.erase(id);
  return put(devices_, id, std::move(entry));
}

Status Catalogue::add_model(std::string_view toml, std::string place) {
  DROVER_ASSIGN(auto spec, parse_model_spec(toml, place));
  const std::string id = spec.id;
  const std::string text(toml);
  unread_models_.erase(id);
  return put(models_, id, Entry<ModelSpec>{std::move(spec), text, text, std::move(place)});
}

Status Catalogue::add_generation(std::string_view toml, const std::string& id, std::string place) {
  if (!is_name(id)) {
    return error("{}: id: is not a name of letters, digits and . _ : - (1 to 64 of them)", place);
  }
  DROVER_TRY(check_generation(toml, place));
  devices();  // read all devices before the generation changes
  Status added = put(generations_, id, Generation{std::string(toml), std::move(place), {}});
  if (!added) return added;
  for (auto& [name, entry] : devices_) {
    if (entry.spec.generation != id && id != every_generation) continue;
    DROVER_ASSIGN(entry, read_device(entry.file, entry.origin));
  }
  return {};
}

Status Catalogue::set(std::string_view id_section_key, double value) {
  const std::size_t key_dot = id_section_key.rfind('.');
  const std::size_t section_dot =
      key_dot == 0 ? std::string_view::npos : id_section_key.rfind('.', key_dot - 1);
  if (key_dot == std::string_view::npos || section_dot == std::string_view::npos) {
    return error("found \"{}\", expected ID.SECTION.KEY", excerpt(id_section_key));
  }
  const std::string id(id_section_key.substr(0, section_dot));
  const std::string_view name = id_section_key.substr(section_dot + 1);
  const bool is_generation = generations_.contains(id);
  if (is_generation) devices();  // read all devices that inherit from it
  if (!is_generation && !device(id)) return device(id).error();
  const FactFile file = !is_generation           ? FactFile::device
                        : id == every_generation ? FactFile::every_generation
                                                 : FactFile::generation;
  bool any = false;
  for (auto& [device_id, entry] : devices_) {
    if (is_generation ? !takes_from(entry.spec, name, id) : device_id != id) continue;
    if (const Status changed = set_fact(entry.spec, name, value); !changed) {
      return error("{}.{}", id, changed.error().message);
    }
    // As if the number were in that file.
    const auto basis = entry.spec.bases.find(name);
    if (basis != entry.spec.bases.end()) basis->second.file = file;
    entry.text = to_toml(entry.spec);
    any = true;
  }
  if (!any) return error("{}: no device inherits such a number from it", excerpt(id_section_key));
  return {};
}

Result<const Entry<DeviceSpec>*> Catalogue::device(std::string_view id) const {
  const auto unread = unread_devices_.find(id);
  if (unread != unread_devices_.end()) read_embedded_device(unread);
  const auto found = devices_.find(std::string(id));
  if (found != devices_.end()) return &found->second;
  return unknown("device", id, devices());
}

Result<const Entry<ModelSpec>*> Catalogue::model(std::string_view id) const {
  const auto unread = unread_models_.find(id);
  if (unread != unread_models_.end()) read_embedded_model(unread);
  const auto found = models_.find(std::string(id));
  if (found != models_.end()) return &found->second;
  return unknown("model", id, models());
}

}  // namespace drover::devices
