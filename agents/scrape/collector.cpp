#include "agents/scrape/collector.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "agents/scrape/texts.h"
#include "fleet/base/identity.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr std::size_t unknown_names_max = 5;

/// DCGM's blanks for texts, and what other programs write where they know nothing.
bool says_nothing(std::string_view text) {
  constexpr std::array<std::string_view, 3> words{"N/A", "[N/A]", "NA"};
  return text.empty() || (text.starts_with("<<<") && text.ends_with(">>>")) ||
         contains(words, text);
}

/// The row that the series belongs to. Some names are of several things that a label tells apart.
const KnownSeries* row_of(const SeriesView& series) {
  for (const KnownSeries& row : known_series_named(series.name)) {
    if (row.only.label.empty()) return &row;
    const auto* label = find_by(series.labels, &SeriesLabel::name, row.only.label);
    if (label != nullptr && contains(row.only.values, label->value)) return &row;
  }
  return nullptr;
}

PlacedSeries placed_of(const SeriesView& series, const KnownSeries& row) {
  PlacedSeries placed;
  placed.known = &row;
  placed.value = series.value;
  std::array<std::uint8_t, label_role_count> ranks{};
  for (const SeriesLabel& label : series.labels) {
    placed.label_hash += std::hash<std::string_view>{}(label.value) ^
                         (std::hash<std::string_view>{}(label.name) << 1);
    const RankedRole found = role_of(label.name, row.exporter);
    const auto role = static_cast<std::size_t>(found.role);
    if (says_nothing(label.value) || (ranks[role] != 0 && ranks[role] < found.rank)) continue;
    ranks[role] = found.rank;
    placed.labels[role] = label.value;
  }
  return placed;
}

std::optional<std::uint16_t> as_index(std::string_view text) {
  const auto number = as_number(text);
  if (!number || *number >= devices_per_host_max) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

std::optional<std::uint16_t> as_index(double number) {
  if (!(number >= 0 && number < devices_per_host_max)) return std::nullopt;
  return static_cast<std::uint16_t>(number);
}

/// GKE's "4804027230473290011-3": the machine's number and the chip's index on it.
std::optional<std::uint16_t> index_of_accelerator(std::string_view id) {
  const std::size_t dash = id.rfind('-');
  if (dash == std::string_view::npos || !as_number(id.substr(0, dash))) return std::nullopt;
  return as_index(id.substr(dash + 1));
}

/// Boards of different makers have indices of their own.
bool may_share_board(Exporter one, Exporter other) {
  const auto is_of = [&](Exporter maker) { return one == maker || other == maker; };
  return !is_of(Exporter::amd) || one == other || is_of(Exporter::all_smi);
}

std::string uuid_key(std::string_view uuid, std::string_view host) {
  std::string key(uuid);
  key += '\n';
  return key += host;
}

/// Labels of a host that are worth knowing.
constexpr std::array<std::string_view, 4> host_labels{"instance", "cluster", "zone", "region"};

}  // namespace

Collector::Collector(const std::string& url)
    : url_(as_label(without_credentials(url))), target_(as_name(host_of(url))) {}

void Collector::remember_unknown(std::string_view name) {
  if (unknown_names_.size() == unknown_names_max) return;
  // Aggregates of a query language take the names away.
  const std::string shown = name.empty() ? "series without a name" : excerpt(name);
  if (!contains(unknown_names_, shown)) unknown_names_.push_back(shown);
}

void Collector::add(const SeriesView& series) {
  const KnownSeries* const row = row_of(series);
  if (row == nullptr) return remember_unknown(series.name);
  const PlacedSeries placed = placed_of(series, *row);
  // Its names are short: other programs have them too.
  if (row->exporter == Exporter::gke && text_of(placed.labels, LabelRole::uuid).empty()) {
    return remember_unknown(series.name);
  }
  ++known_;
  Place* const place = place_of(series, placed);
  if (place == nullptr) return;
  if (place->board.add(placed)) ++duplicates_;
}

Collector::Place* Collector::place_of(const SeriesView& series, const PlacedSeries& placed) {
  const LabelTexts& labels = placed.labels;
  Identity identity;
  identity.exporter = placed.known->exporter;
  identity.host = host_of(text_of(labels, LabelRole::host));
  identity.uuid = text_of(labels, LabelRole::uuid);
  identity.bus = text_of(labels, LabelRole::bus);
  identity.index = as_index(text_of(labels, LabelRole::index));
  if (placed.known->slot == Fact::index) identity.index = as_index(placed.value);
  if (identity.exporter == Exporter::gke) identity.index = index_of_accelerator(identity.uuid);
  if (identity.exporter == Exporter::amd && !identity.uuid.empty()) {
    // A partition of a board is a device of its own, with the board's UUID.
    const std::string_view part = text_of(labels, LabelRole::partition_id);
    if (!part.empty() && part != "0") identity.uuid += "/" + std::string(part);
  }
  if (identity.uuid.empty() && identity.bus.empty() && !identity.index) {
    ++without_board_;
    return nullptr;
  }
  Place* const found = find(identity);
  return found != nullptr ? found : make(series, identity);
}

std::string_view Collector::host_named(const Identity& identity) const {
  return identity.host.empty() ? std::string_view(target_) : identity.host;
}

std::string Collector::position_of(const Identity& identity) const {
  if (identity.index) return fmt::format("{} {}", host_named(identity), *identity.index);
  return fmt::format("{} {}", host_named(identity), as_pci_address(identity.bus));
}

Collector::Place* Collector::find(const Identity& identity) {
  if (!identity.uuid.empty()) {
    const auto same = by_uuid_.find(uuid_key(identity.uuid, identity.host));
    if (same != by_uuid_.end()) return complete(same->second, identity);
    const auto any = by_uuid_.find(uuid_key(identity.uuid, ""));
    if (any != by_uuid_.end() && !places_[any->second].host_named) {
      return complete(any->second, identity);
    }
  }
  const auto same = by_position_.find(position_of(identity));
  if (same == by_position_.end()) return nullptr;
  for (const std::size_t number : same->second) {
    const Place& place = places_[number];
    if (!identity.uuid.empty() && !place.uuid.empty()) continue;
    if (may_share_board(identity.exporter, place.board.exporter())) {
      return complete(number, identity);
    }
  }
  return nullptr;
}

Collector::Place* Collector::complete(std::size_t number, const Identity& identity) {
  Place& place = places_[number];
  const bool names_host = !place.host_named && !identity.host.empty();
  const bool names_uuid = place.uuid.empty() && !identity.uuid.empty();
  const bool names_index = !place.index && identity.index;
  if (names_host) {
    --hosts_[place.host].boards;
    place.host = host_number(identity.host);
    ++hosts_[place.host].boards;
    place.host_named = true;
  }
  if (names_uuid) place.uuid = identity.uuid;
  if (names_index) place.index = identity.index;
  if (names_host || names_uuid || names_index) remember_place(number, identity);
  return &places_[number];
}

void Collector::remember_place(std::size_t number, const Identity& identity) {
  if (!identity.uuid.empty()) {
    by_uuid_.try_emplace(uuid_key(identity.uuid, identity.host), number);
    by_uuid_.try_emplace(uuid_key(identity.uuid, ""), number);
  }
  if (!identity.index && identity.bus.empty()) return;
  constexpr std::size_t makers_max = 8;
  std::vector<std::size_t>& same = by_position_[position_of(identity)];
  if (same.size() < makers_max && !contains(same, number)) same.push_back(number);
}

std::size_t Collector::host_number(std::string_view name) {
  const auto [found, is_new] = host_numbers_.try_emplace(as_name(name), hosts_.size());
  if (is_new) hosts_.push_back({found->first, {}, 0});
  return found->second;
}

Collector::Place* Collector::make(const SeriesView& series, const Identity& identity) {
  const std::size_t host = host_number(host_named(identity));
  if (places_.size() == boards_of_page_max || hosts_[host].boards == devices_per_host_max) {
    ++left_out_;
    return nullptr;
  }
  ++hosts_[host].boards;
  for (const SeriesLabel& label : series.labels) {
    if (!contains(host_labels, label.name) || label.value == hosts_[host].name) continue;
    hosts_[host].labels.try_emplace(std::string(label.name), as_label(label.value));
  }
  const std::size_t number = places_.size();
  places_.push_back({host, !identity.host.empty(), identity.uuid, identity.index,
                     CollectedBoard(identity.exporter)});
  remember_place(number, identity);
  return &places_.back();
}

Error Collector::without_boards() const {
  std::vector<std::string> exporters;
  for (std::size_t each = 0; each < exporter_count; ++each) {
    exporters.emplace_back(to_text(static_cast<Exporter>(each)));
  }
  const std::string understood = joined(exporters, ", ");
  if (known_ > 0) {
    return error("{} of known metrics, but none says which device it is of",
                 counted(known_, "series", "series"));
  }
  return error("no metrics of devices: found {}; understood are those of {}",
               joined(unknown_names_, ", "), understood);
}

Result<HostReadings> Collector::readings() const {
  if (places_.empty()) return without_boards();
  HostReadings result;
  std::vector<std::vector<const Place*>> boards(hosts_.size());
  for (const Place& place : places_) boards[place.host].push_back(&place);
  for (std::size_t number = 0; number < hosts_.size(); ++number) {
    auto& places = boards[number];
    if (places.empty()) continue;
    std::stable_sort(places.begin(), places.end(), [](const Place* one, const Place* other) {
      return one->index.value_or(UINT16_MAX) < other->index.value_or(UINT16_MAX);
    });
    HostReading& host = result.hosts.emplace_back();
    host.host = hosts_[number].name;
    host.labels = hosts_[number].labels;
    std::set<std::uint16_t> taken;
    for (const Place* place : places) {
      BoardReading& reading = host.boards.emplace_back(place->board.reading());
      reading.board.read_by = url_;
      if (place->index && taken.insert(*place->index).second) reading.index = place->index;
      reading.identity = !place->uuid.empty()         ? as_label(place->uuid)
                         : !reading.board.bus.empty() ? reading.board.bus
                                                      : fmt::format("gpu {}", *place->index);
    }
  }
  const auto note = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) {
      result.notes.push_back(fmt::format("{} {}", counted(count, "series", "series"), what));
    }
  };
  note(duplicates_, "there before; the last one counts");
  note(without_board_, "without a device; left out");
  note(left_out_, "of more devices than a page may have; left out");
  return result;
}

}  // namespace drover::agents
