#include "commands/metrics/page/series_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace drover::commands {

namespace {

constexpr std::array<std::int64_t, 19> powers = [] {
  std::array<std::int64_t, 19> all{1};
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = 10 * all[i - 1];
  return all;
}();

constexpr std::array<char, 200> digit_pairs = [] {
  std::array<char, 200> all{};
  for (std::size_t i = 0; i < 100; ++i) {
    all[2 * i] = static_cast<char>('0' + i / 10);
    all[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return all;
}();

std::uint32_t width_of(std::int64_t value, std::uint8_t decimals) {
  const auto size = static_cast<std::uint64_t>(value < 0 ? -value : value);
  std::uint32_t digits = 1;
  while (digits < powers.size() && size >= static_cast<std::uint64_t>(powers[digits])) ++digits;
  digits = std::max<std::uint32_t>(digits, decimals + 1U);
  return digits + (decimals > 0 ? 1 : 0) + (value < 0 ? 1 : 0);
}

/// The sizes of positive and negative values that fit into a slot.
struct SlotRange {
  std::int64_t least, most;
  SlotRange(std::uint32_t width, std::uint8_t decimals) {
    const std::uint32_t digits = width - (decimals > 0 ? 1 : 0);
    most = digits < powers.size() ? powers[digits] - 1 : std::numeric_limits<std::int64_t>::max();
    // A negative value has one digit less, and at least `decimals + 1`.
    least = digits < decimals + 2U       ? 0
            : digits - 1 < powers.size() ? 1 - powers[digits - 1]
                                         : -most;
  }
  bool holds(std::int64_t value) const { return least <= value && value <= most; }
};

/// Writes the number so that it ends before `end`; answers where it begins.
template <typename Number>
char* write_number(char* end, Number rest, std::uint8_t decimals) {
  char* place = end;
  for (int left = decimals; left > 0; --left) {
    *--place = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  if (decimals > 0) *--place = '.';
  while (rest >= 100) {
    place -= 2;
    std::memcpy(place, digit_pairs.data() + 2 * (rest % 100), 2);
    rest /= 100;
  }
  if (rest >= 10) {
    place -= 2;
    std::memcpy(place, digit_pairs.data() + 2 * rest, 2);
  } else {
    *--place = static_cast<char>('0' + rest);
  }
  return place;
}

/// Writes the value so that it ends before `end`, and fills the slot in front of it.
void write_slot(char* begin, char* end, std::int64_t value, std::uint8_t decimals, char fill) {
  const auto size = static_cast<std::uint64_t>(value < 0 ? -value : value);
  char* place = size >> 32 == 0 ? write_number(end, static_cast<std::uint32_t>(size), decimals)
                                : write_number(end, size, decimals);
  if (value < 0 && fill == ' ') *--place = '-';
  while (place > begin) *--place = fill;
  if (value < 0 && fill == '0') *begin = '-';
}

// A line is NAME{LABELS} VALUE and its end.
constexpr std::size_t braces_blank = 3;

}  // namespace

std::int64_t fixed_point(double value, std::uint8_t decimals) {
  const double scaled = value * static_cast<double>(powers[decimals]);
  return std::abs(scaled) < 9e18 ? std::llround(scaled) : no_value;  // false for NaN
}

void SeriesTable::set_rows(const std::string& owner, std::span<const std::string> labels) {
  if (has_rows(owner, labels)) return;
  remove(owner);
  if (labels.empty()) return;
  if (blocks_.empty() || blocks_.back().labels.size() + labels.size() > chunk_rows) {
    blocks_.emplace_back().values.resize(columns_.size());
  }
  Block& block = blocks_.back();
  places_[owner] = {blocks_.size() - 1, block.labels.size(), labels.size()};
  block.labels.insert(block.labels.end(), labels.begin(), labels.end());
  for (const std::string& each : labels) {
    block.sizes.push_back(static_cast<std::uint32_t>(each.size()));
  }
  for (auto& values : block.values) values.resize(block.labels.size(), no_value);
  block.layout = ++layouts_;
  rows_ += labels.size();
}

bool SeriesTable::has_rows(const std::string& owner, std::span<const std::string> labels) const {
  const auto found = places_.find(owner);
  if (found == places_.end()) return labels.empty();
  const Place& place = found->second;
  const auto rows = std::span(blocks_[place.block].labels).subspan(place.first, place.count);
  return std::equal(rows.begin(), rows.end(), labels.begin(), labels.end());
}

void SeriesTable::remove(const std::string& owner) {
  const auto found = places_.find(owner);
  if (found == places_.end()) return;
  const Place gone = found->second;
  places_.erase(found);
  rows_ -= gone.count;
  Block& block = blocks_[gone.block];
  const auto cut = [&](auto& rows) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(gone.first);
    rows.erase(from, from + static_cast<std::ptrdiff_t>(gone.count));
  };
  cut(block.labels);
  cut(block.sizes);
  for (auto& values : block.values) cut(values);
  block.layout = ++layouts_;
  const bool empty = block.labels.empty();
  if (empty) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(gone.block));
  for (auto& [name, place] : places_) {
    if (place.block == gone.block && place.first > gone.first) place.first -= gone.count;
    if (empty && place.block > gone.block) --place.block;
  }
}

SeriesTable::Rows SeriesTable::rows_of(const std::string& owner) {
  Rows rows;
  const auto found = places_.find(owner);
  if (found == places_.end()) return rows;
  rows.values_ = &blocks_[found->second.block].values;
  rows.first_ = found->second.first;
  rows.count_ = found->second.count;
  return rows;
}

void SeriesTable::write(PageFormat format, SeriesText& text) const {
  const char fill = format == PageFormat::openmetrics ? '0' : ' ';
  text.columns.resize(columns_.size());
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    text.columns[column].resize(blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      SeriesText::Chunk& chunk = text.columns[column][i];
      if (!write_values(column, blocks_[i], fill, chunk)) {
        write_chunk(column, blocks_[i], fill, chunk);
      }
    }
  }
}

/// Writes the values that have changed; false if the chunk must be made anew.
bool SeriesTable::write_values(std::size_t column, const Block& block, char fill,
                               SeriesText::Chunk& chunk) const {
  if (chunk.layout != block.layout) return false;
  const std::vector<std::int64_t>& values = block.values[column];
  if (values == chunk.shown) return true;
  const std::uint8_t decimals = columns_[column].decimals;
  const SlotRange range(chunk.width, decimals);
  const std::size_t name = columns_[column].family.name.size();
  char* slot = chunk.text.data();
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::int64_t shown = chunk.shown[row], value = values[row];
    if (shown == no_value) {
      if (value != no_value) return false;
      continue;
    }
    const std::size_t before = name + block.sizes[row] + braces_blank;
    slot += before;
    // Lines are alike in length: the slots after this one are about there.
    __builtin_prefetch(slot + 16 * (before + chunk.width + 1), 1);
    if (value != shown) {
      if (!range.holds(value)) return false;  // among them no_value
      write_slot(slot, slot + chunk.width, value, decimals, fill);
      chunk.shown[row] = value;
    }
    slot += chunk.width + 1;
  }
  return true;
}

void SeriesTable::write_chunk(std::size_t column, const Block& block, char fill,
                              SeriesText::Chunk& chunk) const {
  const Family& family = columns_[column].family;
  const std::uint8_t decimals = columns_[column].decimals;
  chunk.shown = block.values[column];
  chunk.layout = block.layout;
  chunk.width = 0;
  std::size_t size = 0;
  for (std::size_t row = 0; row < chunk.shown.size(); ++row) {
    if (chunk.shown[row] == no_value) continue;
    chunk.width = std::max(chunk.width, width_of(chunk.shown[row], decimals));
    size += family.name.size() + block.labels[row].size() + braces_blank + 1;
  }
  chunk.text.clear();
  chunk.text.reserve(size + chunk.shown.size() * chunk.width);
  for (std::size_t row = 0; row < chunk.shown.size(); ++row) {
    if (chunk.shown[row] == no_value) continue;
    chunk.text += family.name;
    chunk.text += '{';
    chunk.text += block.labels[row];
    chunk.text += "} ";
    chunk.text.append(chunk.width, fill);
    char* const end = chunk.text.data() + chunk.text.size();
    write_slot(end - chunk.width, end, chunk.shown[row], decimals, fill);
    chunk.text += '\n';
  }
}

}  // namespace drover::commands
