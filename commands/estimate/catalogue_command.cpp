// `drover catalogue`: lists the known devices and models, or prints one with all its facts.
#include <fmt/format.h>

#include "commands/estimate/catalogue_files.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "commands/shell/table.h"
#include "commands/subcommands.h"
#include "devices/catalogue/spec_rows.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/json.h"

namespace drover::commands {

namespace {

Json to_json(const devices::Entry<devices::DeviceSpec>& entry) {
  const devices::DeviceSpec& spec = entry.spec;
  Json peaks = Json::object();
  for (int i = 0; i < precision_count; ++i) {
    const auto precision = static_cast<Precision>(i);
    if (spec.runs(precision)) peaks.set(to_text(precision), whole(spec.peak(precision)));
  }
  return Json::object()
      .set("id", spec.id)
      .set("name", spec.name)
      .set("class", to_text(spec.device_class))
      .set("memory_bytes", whole(spec.memory.bytes))
      .set("memory_bandwidth", whole(spec.memory.bandwidth))
      .set("link_bandwidth", when(spec.links.bandwidth > 0, whole(spec.links.bandwidth)))
      .set("peak_flops", std::move(peaks))
      .set("tdp_w", spec.power.tdp_w)
      .set("price_usd_per_h", when(spec.price.usd_per_h > 0, spec.price.usd_per_h))
      .set("origin", entry.origin);
}

Json to_json(const devices::Entry<devices::ModelSpec>& entry) {
  const devices::ModelSpec& spec = entry.spec;
  return Json::object()
      .set("id", spec.id)
      .set("name", spec.name)
      .set("family", spec.family)
      .set("parameters", whole(spec.parameters()))
      .set("layers", when(spec.layers > 0, spec.layers))
      .set("context_max", when(spec.context_max > 0, spec.context_max))
      .set("origin", entry.origin);
}

std::string devices_table(const devices::Catalogue& catalogue) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [id, entry] : catalogue.devices()) {
    const devices::DeviceSpec& spec = entry.spec;
    rows.push_back(
        {id, std::string(to_text(spec.device_class)), bytes_text(spec.memory.bytes),
         fmt::format("{:.0f} GB/s", spec.memory.bandwidth / 1e9),
         spec.runs(Precision::bf16) ? fmt::format("{:.0f} T", spec.peak(Precision::bf16) / 1e12)
                                    : "-",
         watts_text(spec.power.tdp_w),
         spec.price.usd_per_h > 0 ? dollars_text(spec.price.usd_per_h) : "N/A", spec.name});
  }
  return table_text({"DEVICE", "CLASS", right_aligned("MEMORY"), right_aligned("BANDWIDTH"),
                     right_aligned("BF16"), right_aligned("TDP"), right_aligned("$/H"), "NAME"},
                    rows);
}

std::string models_table(const devices::Catalogue& catalogue) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [id, entry] : catalogue.models()) {
    const devices::ModelSpec& spec = entry.spec;
    rows.push_back({id, spec.family, count_text(spec.parameters()),
                    spec.layers > 0 ? std::to_string(spec.layers) : "-",
                    spec.context_max > 0 ? count_text(spec.context_max) : "-", spec.name});
  }
  return table_text({"MODEL", "FAMILY", right_aligned("PARAMETERS"), right_aligned("LAYERS"),
                     right_aligned("CONTEXT"), "NAME"},
                    rows);
}

/// Adds, as comments, the numbers of a device that come from `file` instead of its own file. With
/// comments the output is still a valid file of the device.
template <typename Rows>
void add_facts(std::string& text, const devices::DeviceSpec& spec, const Rows& rows,
               devices::FactFile file,
               double (*value)(const devices::DeviceSpec&, const typename Rows::value_type&)) {
  for (const auto& row : rows) {
    const std::string name = fmt::format("{}.{}", row.section, row.key);
    const auto basis = spec.bases.find(name);
    if (basis == spec.bases.end() || basis->second.file != file) continue;
    if (file == devices::FactFile::none && basis->second.basis == devices::Basis::datasheet) {
      continue;  // unknown
    }
    text += fmt::format("# {} = {:.6g}", name, value(spec, row));
    if (basis->second.basis != devices::Basis::datasheet) {
      text += fmt::format(", {}: {}", to_text(basis->second.basis), printable(basis->second.note));
    }
    text += '\n';
  }
}

/// The numbers that a device gets from other files, nearest first.
std::string inherited_facts(const devices::DeviceSpec& spec) {
  struct FactSource {
    devices::FactFile file;
    std::string title;
  };
  std::string text;
  for (const FactSource& it :
       {FactSource{devices::FactFile::generation, "from the generation " + spec.generation},
        FactSource{devices::FactFile::every_generation, "common to all generations"},
        FactSource{devices::FactFile::none, "in no file"}}) {
    std::string facts;
    add_facts(facts, spec, devices::number_rows(), it.file,
              [](const devices::DeviceSpec& of, const devices::NumberRow& row) {
                return row.member.read(of) / row.scale;
              });
    add_facts(facts, spec, devices::count_rows(), it.file,
              [](const devices::DeviceSpec& of, const devices::CountRow& row) {
                return static_cast<double>(row.member.read(of));
              });
    if (!facts.empty()) text += fmt::format("\n# {}:\n{}", it.title, facts);
  }
  return text;
}

std::string inherited_facts(const devices::ModelSpec&) { return ""; }

template <typename Spec>
CommandOutcome show_one(const Result<const devices::Entry<Spec>*>& entry, bool as_json) {
  if (!entry) return entry.error();
  if (as_json) {
    write_stdout("{}\n", to_json(**entry).dump());
  } else {
    // The spec's own text, with the sources of its facts, then the facts from other files.
    write_stdout("# {} ({})\n{}\n", (*entry)->spec.id, (*entry)->origin, trimmed((*entry)->file));
    write_stdout_text(inherited_facts((*entry)->spec));
  }
  return CommandOutcome::done();
}

template <typename Entries>
void print_all(const Entries& entries) {
  Json array = Json::array();
  for (const auto& [id, entry] : entries) array.add(to_json(entry));
  write_stdout("{}\n", array.dump());
}

}  // namespace

CommandUsage catalogue_usage() {
  return {"usage: drover catalogue devices|models [NAME] [options]",
          "Lists the devices and models that Drover knows. With a name, prints all facts of that "
          "device or model with their sources.",
          {{"catalogue", "DIR", "more devices and models: a folder of *.toml specs"},
           {"json", "", "JSON on stdout"}},
          {"WHAT", "NAME"},
          "  drover catalogue devices\n"
          "  drover catalogue devices tpu-v5e\n"
          "  drover catalogue models --json"};
}

CommandOutcome run_catalogue(Arguments& arguments) {
  DROVER_ASSIGN(const auto catalogue, load_catalogue(arguments.text("catalogue")));
  const std::string what = arguments.text("WHAT");
  const std::string name = arguments.text("NAME");
  const bool as_json = arguments.has("json");
  const std::vector<std::string> known = {"devices", "models"};
  if (what != "devices" && what != "models") {
    return what.empty() ? error("WHAT is required: devices or models")
                        : error("unknown '{}'{}", printable(what), suggestion(what, known));
  }
  if (!name.empty()) {
    return what == "devices" ? show_one(catalogue.device(name), as_json)
                             : show_one(catalogue.model(name), as_json);
  }
  if (as_json) {
    what == "devices" ? print_all(catalogue.devices()) : print_all(catalogue.models());
  } else {
    write_stdout_text(what == "devices" ? devices_table(catalogue) : models_table(catalogue));
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
