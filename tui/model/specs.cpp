// The device specs that hosts reported. Thousands of hosts share them, so a device stores the
// number of its spec.
#include <algorithm>
#include <limits>

#include "tui/model/model.h"
#include "tui/model/spec_facts.h"

namespace drover::tui {
namespace {

struct Constant {
  std::string_view name;
  bool SpecRow::*mark;
};
// The constants that determine most of a reading; links and limits matter little.
constexpr Constant main_constants[] = {
    {"power.active_w_per_unit", &SpecRow::power_assumed},
    {"power.memory_pj_per_byte", &SpecRow::power_assumed},
    {"power.matrix_w_per_unit", &SpecRow::power_assumed},
    {"thermal.die_k_per_w", &SpecRow::temperature_assumed},
    {"thermal.sink_k_per_w", &SpecRow::temperature_assumed},
    {"thermal.sink_s", &SpecRow::temperature_assumed},
};

SpecLinks links_of(const SpecFacts& facts) {
  const auto value = [&](std::string_view name) {
    const double number = facts.value(name);
    return number > 0 ? number : 0;
  };
  const auto count = [&](std::string_view name) {
    return static_cast<int>(std::min(value(name), 1e6));
  };
  SpecLinks links;
  links.bandwidth_bytes_per_s = value("links.bandwidth_gb_s") * 1e9 / 2;
  links.domain = count("links.domain");
  links.peers = count("links.peers");
  links.axis_bytes_per_s = value("links.link_gb_s") * 1e9;
  links.wrap_axis = count("links.wrap_axis");
  links.pcie_generation = count("links.pcie_gen");
  links.pcie_lanes = count("links.pcie_lanes");
  return links;
}

}  // namespace

SpecRow parse_spec_row(const std::string& id, std::string_view text) {
  const SpecFacts facts(text);
  const auto value = [&](std::string_view name) {
    const SpecFact* const fact = facts.find(name);
    return fact == nullptr ? 0 : fact->value;
  };
  SpecRow row;
  row.id = id;
  row.text = text;
  // A guess by name for a spec without a class; only the counts of GPUs and TPUs depend on it.
  const std::string_view known = facts.device_class();
  const bool is_tpu = known.empty() ? id.starts_with("tpu") : known == "tpu";
  row.device_class = is_tpu ? DeviceClass::tpu : DeviceClass::gpu;
  row.name = facts.name();
  row.real = facts.real();
  row.vendor = facts.vendor();
  row.links = links_of(facts);
  row.tells_idle = row.real && facts.vendor() == "nvidia";
  // Every device of the catalogue has a peak rate; a real board that is in none has only what its
  // driver says.
  row.listed = !row.real || facts.has_section("peak_tflops");
  row.tdp_w = value("power.tdp_w");
  row.memory_bytes = value("memory.capacity_gib") * 1024 * 1024 * 1024;
  row.clock_max_mhz = std::max(value("clock.nominal_mhz"), value("clock.boost_mhz"));
  // Software throttles a device before its hardware does.
  const double software_c = value("thermal.max_c");
  row.slowdown_c = software_c > 0 ? software_c : value("thermal.slowdown_c");
  row.price_usd_per_h = value("price.usd_per_h");
  if (row.real) return row;  // nothing that it shows is computed
  for (const Constant& constant : main_constants) {
    row.*constant.mark |= facts.is_assumed(constant.name);
  }
  return row;
}

/// `taken`: specs of groups of the same host whose devices are not in the table yet.
std::uint16_t Model::spec_number(const std::string& id, const std::vector<SpecText>& texts,
                                 const std::vector<std::uint16_t>& taken) {
  const auto text = std::ranges::find(texts, id, &SpecText::id);
  const std::string& spec_text = text == texts.end() ? std::string() : text->text;
  // Hosts may have different specs of the same name, so the text must be equal, too.
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].id != id) continue;
    if (specs_[i].text.empty() && !spec_text.empty()) specs_[i] = parse_spec_row(id, spec_text);
    if (spec_text.empty() || specs_[i].text == spec_text) return static_cast<std::uint16_t>(i);
  }
  if (const auto unused = unused_spec(taken)) {
    specs_[*unused] = parse_spec_row(id, spec_text);
    return *unused;
  }
  // Specs beyond the range of the number share the last one; no real fleet has so many.
  if (specs_.size() < std::numeric_limits<std::uint16_t>::max()) {
    specs_.push_back(parse_spec_row(id, spec_text));
  }
  return static_cast<std::uint16_t>(specs_.size() - 1);
}

/// If there are specs_max specs, one that no device has: a host may report new ones each time, and
/// a text may have 16 KiB.
std::optional<std::uint16_t> Model::unused_spec(const std::vector<std::uint16_t>& taken) const {
  if (specs_.size() < specs_max) return std::nullopt;
  std::vector<bool> used(specs_.size());
  for (DeviceTable::Row row = 0; row < devices_.rows(); ++row) used[devices_.spec(row)] = true;
  for (const std::uint16_t number : taken) used[number] = true;
  const auto free = std::find(used.begin(), used.end(), false);
  if (free == used.end()) return std::nullopt;
  return static_cast<std::uint16_t>(free - used.begin());
}

}  // namespace drover::tui
