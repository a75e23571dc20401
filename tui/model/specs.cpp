// The device specs that hosts reported. Thousands of hosts share them, so a device stores the
// number of its spec.
#include <algorithm>
#include <limits>

#include "tui/model/model.h"
#include "tui/model/spec_row.h"

namespace drover::tui {

/// `taken`: specs of groups of the same host whose devices are not in the table yet.
std::uint16_t Model::spec_number(const std::string& id, const std::vector<SpecText>& texts,
                                 const std::vector<std::uint16_t>& taken) {
  const auto text = std::find_if(texts.begin(), texts.end(),
                                 [&](const SpecText& candidate) { return candidate.id == id; });
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
