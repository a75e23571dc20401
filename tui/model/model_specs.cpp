// The kinds of device that hosts have told. Thousands of hosts have the same, so a device has the
// number of its kind.
#include <algorithm>
#include <limits>

#include "tui/model/model.h"
#include "tui/model/spec_text.h"

namespace drover::tui {

/// `taken`: by groups of the same host whose devices are not in the table yet.
std::uint16_t Model::spec_number(const std::string& id, const std::vector<SpecText>& texts,
                                 const std::vector<std::uint16_t>& taken) {
  const auto text = std::find_if(texts.begin(), texts.end(),
                                 [&](const SpecText& candidate) { return candidate.id == id; });
  const std::string& told = text == texts.end() ? std::string() : text->text;
  // Hosts may mean different things by one name: what one says is not true of another's devices.
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].id != id) continue;
    if (specs_[i].text.empty() && !told.empty()) specs_[i] = read_spec(id, told);
    if (told.empty() || specs_[i].text == told) return static_cast<std::uint16_t>(i);
  }
  if (const auto unused = unused_spec(taken)) {
    specs_[*unused] = read_spec(id, told);
    return *unused;
  }
  // More kinds than a number can hold share the last one; no real fleet comes near.
  if (specs_.size() < std::numeric_limits<std::uint16_t>::max()) {
    specs_.push_back(read_spec(id, told));
  }
  return static_cast<std::uint16_t>(specs_.size() - 1);
}

/// Where there are many kinds, one that no device is of any more: one host may tell others each
/// time, and a text may have 16 KiB.
std::optional<std::uint16_t> Model::unused_spec(const std::vector<std::uint16_t>& taken) const {
  if (specs_.size() < specs_kept_max) return std::nullopt;
  std::vector<bool> used(specs_.size());
  for (DeviceTable::Row row = 0; row < devices_.rows(); ++row) used[devices_.spec(row)] = true;
  for (const std::uint16_t number : taken) used[number] = true;
  const auto free = std::find(used.begin(), used.end(), false);
  if (free == used.end()) return std::nullopt;
  return static_cast<std::uint16_t>(free - used.begin());
}

}  // namespace drover::tui
