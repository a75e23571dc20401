#include "fleet/base/text.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace drover {
namespace {

struct Range {
  std::uint32_t first, last;
};

bool within(std::span<const Range> ranges, std::uint32_t point) {
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), point,
      [](std::uint32_t wanted, const Range& range) { return wanted < range.first; });
  return after != ranges.begin() && point <= std::prev(after)->last;
}

// Characters that can act on a terminal or mislead a reader: Unicode's Cc, Cf, Zl, Zp, Co, Cs, the
// noncharacters, tags, fillers and variation selectors (Unicode 14, general categories). They
// include joiners, without which an emoji sequence shows its parts.
constexpr std::array<Range, 28> unprintable{
    {{0x0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x600, 0x605},
     {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
     {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
     {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
     {0xd800, 0xf8ff},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
     {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
     {0x13430, 0x1345f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff}}};

// Combining marks, which take no column (categories Mn and Me of the most frequent scripts, Unicode
// 14; a missing one is counted as one column).
constexpr std::array<Range, 44> combining{{
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x5bf, 0x5bf},   {0x5c1, 0x5c2},
    {0x5c4, 0x5c5},   {0x5c7, 0x5c7},   {0x610, 0x61a},   {0x64b, 0x65f},   {0x670, 0x670},
    {0x6d6, 0x6dc},   {0x6df, 0x6e4},   {0x6e7, 0x6e8},   {0x6ea, 0x6ed},   {0x711, 0x711},
    {0x730, 0x74a},   {0x7a6, 0x7b0},   {0x7eb, 0x7f3},   {0x816, 0x819},   {0x81b, 0x823},
    {0x825, 0x827},   {0x829, 0x82d},   {0x859, 0x85b},   {0x898, 0x89f},   {0x8ca, 0x8e1},
    {0x8e3, 0x902},   {0x93a, 0x93a},   {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},
    {0x951, 0x957},   {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1ace},
    {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20f0},
    {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
}};

// East Asian Width W and F (EastAsianWidth.txt of Unicode 14). Unassigned code points count as
// their neighbours.
constexpr std::array<Range, 81> wide{
    {{0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
     {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
     {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
     {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
     {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
     {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
     {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
     {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
     {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
     {0x3041, 0x3247},   {0x3250, 0x4dbf},   {0x4e00, 0xa4c6},   {0xa960, 0xa97c},
     {0xac00, 0xd7a3},   {0xf900, 0xfad9},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},
     {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x1b2fb}, {0x1f004, 0x1f004},
     {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
     {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
     {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e},
     {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
     {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4},
     {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2},
     {0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0},
     {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faf6},
     {0x20000, 0x3fffd}}};

template <std::size_t count>
constexpr bool in_order(const std::array<Range, count>& ranges) {
  for (std::size_t index = 0; index < count; ++index) {
    if (ranges[index].first > ranges[index].last) return false;
    if (index > 0 && ranges[index].first <= ranges[index - 1].last) return false;
  }
  return true;
}
static_assert(in_order(unprintable) && in_order(combining) && in_order(wide));

struct Decoded {
  std::uint32_t point = 0;
  std::size_t length = 1;  // bytes taken
  bool valid = false;      // false: one byte that is not part of a character
};

// Decodes one character of UTF-8 (RFC 3629): shortest form, no surrogates, up to U+10FFFF.
Decoded decode_front(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {lead, 1, false};
  std::uint32_t point = lead & (0x7fU >> length);
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte(index) & 0xc0) != 0x80) return {lead, 1, false};
    point = point << 6 | (byte(index) & 0x3f);
  }
  static constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < smallest[length] || surrogate || point > 0x10ffff) return {lead, 1, false};
  return {point, length, true};
}

// The number of edits from one word to the other: insert, delete, replace, swap neighbours
// (Damerau-Levenshtein in its optimal-string-alignment form). Case-insensitive.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t column = 0; column <= right.size(); ++column) last[column] = column;
  for (std::size_t line = 1; line <= left.size(); ++line) {
    row[0] = line;
    for (std::size_t column = 1; column <= right.size(); ++column) {
      const char here = lower(left[line - 1]);
      const char there = lower(right[column - 1]);
      row[column] = std::min(
          {last[column] + 1, row[column - 1] + 1, last[column - 1] + (here == there ? 0 : 1)});
      if (line > 1 && column > 1 && here == lower(right[column - 2]) &&
          lower(left[line - 2]) == there) {
        row[column] = std::min(row[column], before_last[column - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[right.size()];
}

// Whether one word begins with the other, or they share half of the longer one: "h100" and
// "h100-sxm", "routes" and "routing". At least three letters must be equal.
bool begin_alike(std::string_view left, std::string_view right) {
  constexpr std::size_t letters_min = 3;
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t common = 0;
  while (common < shorter && lower(left[common]) == lower(right[common])) ++common;
  return common >= letters_min &&
         (common == shorter || 2 * common >= std::max(left.size(), right.size()));
}

// Longer words are not compared: no known word is longer, and the cost is the product of lengths.
constexpr std::size_t word_length_max = 64;

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Decoded character = decode_front(text);
    if (!character.valid) {
      shown += fmt::format("\\x{:02x}", character.point);
    } else if (character.point < 0x20) {
      shown += '^';
      shown += static_cast<char>('@' + character.point);
    } else if (within(unprintable, character.point)) {
      shown += fmt::format("\\u{{{:x}}}", character.point);
    } else {
      shown += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return shown;
}

std::string excerpt(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return printable(text);
  // Do not cut in the middle of a character.
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xc0) == 0x80) --bytes_max;
  return printable(text.substr(0, bytes_max)) + "..";
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Decoded character = decode_front(text);
    if (!character.valid) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

std::string valid_utf8(std::string_view text) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Decoded character = decode_front(text);
    valid += character.valid ? text.substr(0, character.length) : replacement;
    text.remove_prefix(character.length);
  }
  return valid;
}

std::size_t column_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Decoded character = decode_front(text);
    if (!within(combining, character.point)) columns += within(wide, character.point) ? 2 : 1;
    text.remove_prefix(character.length);
  }
  return columns;
}

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t named_max = 3;
  if (word.empty() || word.size() > word_length_max) return {};
  struct Near {
    std::size_t distance;
    const std::string* name;
  };
  std::vector<Near> near;   // within a few edits
  std::vector<Near> alike;  // with the same beginning: used when `near` is empty
  for (const std::string& name : known) {
    if (name.size() > word_length_max) continue;
    // Up to a third of the longer word may differ, and always one letter of two.
    const std::size_t longer = std::max(word.size(), name.size());
    const std::size_t distance = edit_distance(word, name);
    if (distance <= std::max<std::size_t>(1, longer / 3) && distance < longer) {
      near.push_back({distance, &name});
    } else if (begin_alike(word, name)) {
      alike.push_back({distance, &name});
    }
  }
  if (near.empty()) near = std::move(alike);
  std::stable_sort(near.begin(), near.end(),
                   [](const Near& a, const Near& b) { return a.distance < b.distance; });
  std::vector<std::string> names;
  for (std::size_t index = 0; index < std::min(near.size(), named_max); ++index) {
    names.push_back(*near[index].name);
  }
  return names;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

void add_part(std::string& text, std::string_view separator, std::string_view part) {
  if (!text.empty() && !part.empty()) text += separator;
  text += part;
}

std::string shortened_list(const std::vector<std::string>& texts, std::size_t shown_max) {
  if (texts.size() <= shown_max) return joined(texts, ", ");
  return fmt::format("{} and {} more", joined(std::span(texts).first(shown_max), ", "),
                     texts.size() - shown_max);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string> near = nearest(word, known);
  if (near.empty()) {
    if (known.empty()) return "";
    constexpr std::size_t known_shown_max = 40;
    return "; known: " + shortened_list(known, known_shown_max);
  }
  if (near.size() == 1) return fmt::format("; did you mean {}?", near[0]);
  if (near.size() == 2) return fmt::format("; did you mean {} or {}?", near[0], near[1]);
  return fmt::format("; did you mean {}, {} or {}?", near[0], near[1], near[2]);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t stop = text.find(separator, start);
    parts.emplace_back(text.substr(start, stop - start));
    if (stop == std::string_view::npos) return parts;
    start = stop + 1;
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool equal_ignoring_case(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

bool contains_ignoring_case(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

bool matches_glob(std::string_view text, std::string_view pattern) {
  // On a mismatch only the last star is tried again, one letter further. This is linear in the text
  // for each star; trying all stars would be exponential for a hostile pattern.
  std::size_t at = 0;
  std::size_t rule = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  while (at < text.size()) {
    if (rule < pattern.size() && pattern[rule] == '*') {
      star = rule++;
      star_at = at;
    } else if (rule < pattern.size() &&
               (pattern[rule] == '?' || lower(pattern[rule]) == lower(text[at]))) {
      ++rule;
      ++at;
    } else if (star != std::string_view::npos) {
      rule = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  while (rule < pattern.size() && pattern[rule] == '*') ++rule;
  return rule == pattern.size();
}

namespace {

/// Takes the run of digits, or of other characters, at the beginning.
std::string_view take_run(std::string_view& text) {
  const bool digits = is_digit(text.front());
  const auto end =
      std::find_if(text.begin(), text.end(), [&](char c) { return is_digit(c) != digits; });
  const std::string_view run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(run.size());
  return run;
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  const std::string_view left = without_zeros(a);
  const std::string_view right = without_zeros(b);
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view left = a;
  std::string_view right = b;
  while (!left.empty() && !right.empty()) {
    const std::string_view one = take_run(left);
    const std::string_view other = take_run(right);
    const bool numbers = is_digit(one.front()) && is_digit(other.front());
    const auto order = numbers ? compare_numbers(one, other) : one <=> other;
    if (order != 0) return order < 0;
  }
  if (left.empty() != right.empty()) return left.empty();
  // Equal except for leading zeros of numbers.
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace drover
