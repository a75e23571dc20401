#include "agents/watch/board_spec.h"

#include <cctype>
#include <cmath>

#include "devices/catalogue/board_names.h"
#include "fleet/base/identity.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

/// A router rejects specs with numbers that no board has.
void set_if_plausible(devices::DeviceSpec& spec, std::string_view fact,
                      std::optional<double> value) {
  if (value) (void)devices::set_fact(spec, fact, *value);
}

/// The id of a spec that is in no catalogue.
std::string unlisted_id(const SpecFacts& facts) {
  std::string id;
  for (const char letter : facts.name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0 && byte < 0x80) {
      id += static_cast<char>(std::tolower(byte));
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
    if (id.size() >= name_bytes_max) break;
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  if (!id.empty()) return id;
  return facts.device_class == DeviceClass::tpu ? "unknown-tpu" : "unknown-gpu";
}

}  // namespace

SpecFacts spec_facts_of(const BoardReading& reading, bool control) {
  const Board& board = reading.board;
  SpecFacts facts;
  facts.name = board.name;
  facts.device_class = reading.device_class;
  facts.vendor = reading.vendor;
  const double memory_bytes = reading.values[Metric::memory_total];
  if (memory_bytes > 0) facts.memory_bytes = memory_bytes;
  facts.power_cap_default_w = board.power_cap_default_w;
  facts.power_cap_min_w = board.power_cap_min_w;
  facts.slowdown_c = board.slowdown_c;
  facts.caps = control;
  return facts;
}

devices::DeviceSpec spec_of(const SpecFacts& facts, const devices::Catalogue& catalogue) {
  devices::DeviceSpec spec;
  std::optional<std::string_view> id = devices::catalogue_id_of(facts.name, facts.memory_bytes);
  // Drover's own pages, and libraries that stand in for a driver, use the catalogue's names.
  if (!id && !facts.name.empty()) {
    for (const auto& [known, entry] : catalogue.devices()) {
      if (entry.spec.name == facts.name) id = known;
    }
  }
  if (id) {
    const auto entry = catalogue.device(*id);
    if (entry) spec = (*entry)->spec;
  }
  if (spec.id.empty()) {
    spec.id = unlisted_id(facts);
    spec.name = facts.name.empty() ? spec.id : excerpt(facts.name, name_bytes_max);
    spec.device_class = facts.device_class;
    spec.vendor = excerpt(facts.vendor);
  }
  spec.real = true;
  constexpr double gib = 1 << 30;
  set_if_plausible(spec, "memory.capacity_gib", facts.memory_bytes.value_or(0) / gib);
  set_if_plausible(spec, "power.tdp_w", facts.power_cap_default_w);
  set_if_plausible(spec, "thermal.max_c", facts.slowdown_c);
  // A cap that nobody can set counts as none: the router then treats the board like a TPU.
  spec.power.cap_min_w = 0;
  if (facts.caps) set_if_plausible(spec, "power.cap_min_w", facts.power_cap_min_w);
  return spec;
}

}  // namespace drover::agents
