// Parses device spec files, which have one table per part of the chip. Missing values are taken
// from the file of the generation.
#include "devices/catalogue/spec.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "devices/catalogue/spec_file.h"
#include "devices/catalogue/spec_rows.h"
#include "fleet/base/enum_tables.h"
#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/text/toml.h"

namespace drover::devices {
namespace {

using toml_file::Table;

constexpr std::array<std::string_view, 3> basis_names{"datasheet", "fitted", "assumed"};

/// The file of a device, and those of its generation and of every generation if they exist.
class Layers {
 public:
  Layers(Table device, std::optional<Table> generation, std::optional<Table> every)
      : device_(std::move(device)), generation_(std::move(generation)), every_(std::move(every)) {}

  Table& device() { return device_; }

  /// The number under a key of a section, in the file's unit.
  double number(DeviceSpec& spec, const char* section, const char* key, double low, double high,
                std::optional<double> default_value) {
    for (const auto& [file, which] : files()) {
      std::optional<Table> table = file->table(section);
      if (!table || !table->has(key)) continue;
      FactProvenance basis;
      const double value = read(*table, key, low, high, basis);
      basis.file = which;
      if (basis.basis != Basis::datasheet || which != FactFile::device) {
        spec.bases[name_of(section, key)] = std::move(basis);
      }
      return value;
    }
    if (!default_value) {
      device_.add_problem(
          section, fmt::format("{}: found nothing, expected a number {}..{}", key, low, high));
    }
    // A default that is in no file is assumed; 0 means unknown.
    const bool guessed = default_value.value_or(0) != 0;
    spec.bases[name_of(section, key)] = {guessed ? Basis::assumed : Basis::datasheet,
                                         FactFile::none, guessed ? "default" : ""};
    return default_value.value_or(low);
  }

  /// The section in the first file that has the key.
  std::optional<Table> holder(const char* section, const char* key) {
    for (const auto& [file, which] : files()) {
      std::optional<Table> table = file->table(section);
      if (table && table->has(key)) return table;
    }
    return std::nullopt;
  }

  /// Reads the source given in a section.
  void read_source(DeviceSpec& spec, const char* section) {
    std::optional<Table> table = device_.table(section);
    if (!table || !table->has("source")) return;
    spec.sources[section] = table->text("source");
  }

  static std::string name_of(const char* section, const char* key) {
    return fmt::format("{}.{}", section, key);
  }

 private:
  std::vector<std::pair<Table*, FactFile>> files() {
    std::vector<std::pair<Table*, FactFile>> files{{&device_, FactFile::device}};
    if (generation_) files.emplace_back(&*generation_, FactFile::generation);
    if (every_) files.emplace_back(&*every_, FactFile::every_generation);
    return files;
  }

  static double read(Table& table, const char* key, double low, double high,
                     FactProvenance& basis) {
    if (!table.holds_table(key)) return table.number_in(key, low, high);
    Table fact = *table.table(key);
    int tags = 0;
    for (std::size_t i = 0; i < basis_names.size(); ++i) {
      if (!fact.has(basis_names[i])) continue;
      basis.basis = static_cast<Basis>(i);
      basis.note = fact.text(basis_names[i]);
      ++tags;
    }
    if (tags != 1) {
      fact.add_problem("value",
                       "expected one of datasheet, fitted, assumed next to it, as a string");
    }
    return fact.number_in("value", low, high);
  }

  Table device_;
  std::optional<Table> generation_, every_;
};

void read_identity(Table& root, DeviceSpec& spec) {
  const std::string kind = root.text("kind");
  if (kind != "device") {
    root.add_problem("kind", fmt::format("found \"{}\", expected \"device\"", kind));
  }
  spec.id = root.text("id");
  if (!is_name(spec.id)) {
    root.add_problem("id", "is not a name of letters, digits and . _ : - (1 to 64 of them)");
  }
  spec.name = root.text("name");
  spec.aliases = root.texts("aliases");
  const std::string device_class = root.text("class");
  if (device_class == "gpu") {
    spec.device_class = DeviceClass::gpu;
  } else if (device_class == "tpu") {
    spec.device_class = DeviceClass::tpu;
  } else {
    root.add_problem("class",
                     fmt::format("found \"{}\", expected \"gpu\" or \"tpu\"", device_class));
  }
  spec.vendor = root.text("vendor", "");
  spec.generation = root.text("generation", "");
  spec.unit = root.text("unit", "");
  spec.confidence = root.text("confidence", "");
  spec.sources[""] = root.text("source", "");
  spec.year = static_cast<std::uint32_t>(root.integer_in("year", 0, 3000, 0));
  spec.real = root.boolean("real", false);
}

bool read_peaks(Layers& layers, DeviceSpec& spec) {
  bool any = false;
  for (int i = 0; i < precision_count; ++i) {
    const std::string precision(to_text(static_cast<Precision>(i)));
    const double teraflops = layers.number(spec, "peak_tflops", precision.c_str(), 0, 1e6, 0.0);
    spec.peak_flops[static_cast<std::size_t>(i)] = teraflops * 1e12;
    any = any || teraflops > 0;
  }
  return any;
}

/// What a number without a default is when the file has none.
enum class MissingNumber : std::uint8_t { problem, lowest, zero };

template <typename Number>
std::optional<double> otherwise_of(const Number& row, MissingNumber missing) {
  if (missing == MissingNumber::lowest) return row.low;
  if (!row.default_value && missing == MissingNumber::zero) return 0;
  return row.default_value;
}

void read_numbers(Layers& layers, DeviceSpec& spec, MissingNumber missing) {
  for (const NumberRow& row : number_rows()) {
    const auto otherwise = otherwise_of(row, missing);
    row.member.write(spec) =
        layers.number(spec, row.section, row.key, row.low, row.high, otherwise) * row.scale;
    layers.read_source(spec, row.section);
  }
  for (const CountRow& row : count_rows()) {
    const auto otherwise = otherwise_of(row, missing);
    const double count = layers.number(spec, row.section, row.key, row.low, count_max, otherwise);
    if (count != std::floor(count)) {
      layers.device().add_problem(
          row.section, fmt::format("{}: found {}, expected a whole number", row.key, count));
    }
    row.member.write(spec) = static_cast<std::uint32_t>(count);
  }
}

void read_torus(Layers& layers, DeviceSpec& spec) {
  std::optional<Table> links = layers.holder("links", "torus");
  if (!links) return;
  const std::string name = links->text("torus");
  if (const auto torus = enumerator_named<Torus>(torus_names, name)) {
    spec.links.torus = *torus;
  } else {
    links->add_problem("torus", fmt::format("found \"{}\", expected \"2d\", \"3d\" or \"\"", name));
  }
}

void read_engine(Layers& layers, DeviceSpec& spec) {
  std::optional<Table> serving = layers.holder("serving", "token_engine");
  if (!serving) return;
  const std::string name = serving->text("token_engine");
  if (const auto engine = parse_engine(name)) {
    spec.token_engine = *engine;
  } else {
    serving->add_problem("token_engine",
                         fmt::format("found \"{}\", expected {}", excerpt(name), engine_choice));
  }
}

void read_software(Layers& layers, DeviceSpec& spec) {
  if (auto table = layers.holder("software", "frameworks")) {
    spec.frameworks = table->texts("frameworks");
  }
  if (auto table = layers.holder("software", "missing_ops")) {
    spec.missing_ops = table->texts("missing_ops");
  }
  std::optional<Table> slices = layers.holder("software", "slice_sizes");
  if (!slices) return;
  for (const double size : slices->numbers("slice_sizes")) {
    if (size < 1 || size > 1e6 || size != std::floor(size)) {
      slices->add_problem("slice_sizes",
                          fmt::format("found {}, expected whole numbers from 1", size));
      return;
    }
    spec.slice_sizes.push_back(static_cast<int>(size));
  }
}

/// If a cooler's resistance is unknown, it is computed from the rise at the board's power limit,
/// which is similar for all boards.
void size_cooler(DeviceSpec& spec) {
  double& sink_k_per_w = spec.thermal.cooling.sink_k_per_w;
  if (sink_k_per_w > 0) return;
  sink_k_per_w = std::max(spec.thermal.sink_rise_k, 1.0) / spec.power.tdp_w;
  // It has the provenance of the rise from which it is computed.
  const auto rise = spec.bases.find("thermal.sink_rise_k");
  if (rise != spec.bases.end()) spec.bases["thermal.sink_k_per_w"] = rise->second;
}

void check_sensor(Table& root, const DeviceSpec& spec) {
  if (spec.sensor.power_refresh_s == 0) return;
  if (spec.sensor.power_window_s > sensor_refreshes_max * spec.sensor.power_refresh_s) {
    root.add_problem("sensor", fmt::format("power_window_s: is above {} times power_refresh_s",
                                           sensor_refreshes_max));
  }
}

void check_order(Table& root, const DeviceSpec& spec) {
  for (const OrderRow& row : order_rows()) {
    if (row.lower.read(spec) <= row.upper.read(spec)) continue;
    root.add_problem(row.section,
                     fmt::format("{}: is above {}, expected at most that", row.key, row.upper_key));
  }
  // The closed form of the temperatures needs two distinct time constants.
  if (spec.thermal.cooling.die_s * 1.5 > spec.thermal.cooling.sink_s) {
    root.add_problem("thermal", "die_s: must be at most two thirds of sink_s");
  }
}

/// Everything except identity and peak rates.
void read_sections(Layers& layers, DeviceSpec& spec, MissingNumber missing) {
  read_numbers(layers, spec, missing);
  read_torus(layers, spec);
  read_engine(layers, spec);
  read_software(layers, spec);
  layers.read_source(spec, "peak_tflops");
  layers.read_source(spec, "software");
}

/// The caller checks for problems.
DeviceSpec read_layers(Layers& layers) {
  DeviceSpec spec;
  read_identity(layers.device(), spec);
  const bool has_peaks = read_peaks(layers, spec);
  if (spec.real) {
    read_sections(layers, spec, MissingNumber::zero);
    return spec;
  }
  if (!has_peaks) {
    layers.device().add_problem("peak_tflops", "no precision has a peak rate above 0");
  }
  read_sections(layers, spec, MissingNumber::problem);
  size_cooler(spec);
  check_order(layers.device(), spec);
  check_sensor(layers.device(), spec);
  return spec;
}

}  // namespace

std::string_view to_text(Basis basis) { return basis_names[static_cast<std::size_t>(basis)]; }

Result<DeviceSpec> read_device_spec(const Table& device, const std::optional<Table>& generation,
                                    const std::optional<Table>& every) {
  Layers layers(device, generation, every);
  DeviceSpec spec = read_layers(layers);
  DROVER_TRY(layers.device().finish());
  return spec;
}

Result<DeviceSpec> parse_received_spec(std::string_view toml, std::string place) {
  DROVER_ASSIGN(auto parsed, Table::parse(toml, std::move(place)));
  Layers layers(parsed, std::nullopt, std::nullopt);
  DeviceSpec spec = read_layers(layers);
  DROVER_TRY(layers.device().problem());
  return spec;
}

Status check_generation(std::string_view toml, std::string place) {
  DROVER_ASSIGN(Table root, Table::parse(toml, std::move(place)));
  root.text("kind");
  root.text("id");
  root.text("name", "");
  root.text("source", "");
  root.integer("year", 0);
  DeviceSpec ignored;
  Layers layers(root, std::nullopt, std::nullopt);
  read_peaks(layers, ignored);
  read_sections(layers, ignored,
                MissingNumber::lowest);  // other numbers must be in the devices' files
  return root.finish();
}

Status set_fact(DeviceSpec& spec, std::string_view section_and_key, double value) {
  const auto named = [&](const auto& row) {
    return section_and_key == fmt::format("{}.{}", row.section, row.key);
  };
  for (const NumberRow& row : number_rows()) {
    if (!named(row)) continue;
    if (!(value >= row.low && value <= row.high)) {
      return error("{}: found {}, expected a number {}..{}", section_and_key, value, row.low,
                   row.high);
    }
    row.member.write(spec) = value * row.scale;
    return {};
  }
  for (const CountRow& row : count_rows()) {
    if (!named(row)) continue;
    if (!(value >= row.low && value <= count_max && value == std::floor(value))) {
      return error("{}: found {}, expected a whole number {}..{}", section_and_key, value, row.low,
                   count_max);
    }
    row.member.write(spec) = static_cast<std::uint32_t>(value);
    return {};
  }
  return error("{}: no such number of a device", section_and_key);
}

}  // namespace drover::devices
