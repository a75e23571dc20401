#include "agents/watch/board_spec.h"

#include <cctype>
#include <cmath>

#include "devices/catalogue/board_names.h"
#include "fleet/base/identity.h"

namespace drover::agents {

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
    spec.name = facts.name.empty() ? spec.id : facts.name;
    spec.device_class = facts.device_class;
    spec.vendor = facts.vendor;
  }
  spec.real = true;
  if (facts.memory_bytes) spec.memory.bytes = *facts.memory_bytes;
  if (facts.power_cap_default_w) spec.power.tdp_w = *facts.power_cap_default_w;
  if (facts.slowdown_c) spec.thermal.max_c = *facts.slowdown_c;
  // A cap that nobody can set counts as none: the router then treats the board like a TPU.
  spec.power.cap_min_w = facts.caps ? facts.power_cap_min_w.value_or(0) : 0;
  return spec;
}

}  // namespace drover::agents
