// Untrusted text made safe for display, and suggestions for mistyped words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace drover {

/// The text as valid UTF-8 of printable characters. C0 becomes `^X`; DEL, C1, bidirectional and
/// other format characters, unpaired surrogates and invalid bytes become `\u{..}` or `\x..`.
/// Idempotent.
std::string printable(std::string_view text);

/// The beginning of an untrusted text for messages: printable, and cut after `bytes_max` bytes with
/// `..` at the end.
std::string excerpt(std::string_view text, std::size_t bytes_max = 40);

/// Whether the whole text is valid UTF-8 (shortest forms, no surrogates: RFC 3629).
bool is_utf8(std::string_view text);

/// The text with every invalid byte replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Width of the text in terminal columns (wide East Asian characters take two).
std::size_t column_width(std::string_view text);

/// Up to three of `known` that are nearest to `word`, nearest first, ties in the given order: those
/// within a few edits, else those with the same beginning. Empty when none is near.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean h100-sxm or h100-pcie?" or, when none is near, "; known: a, b, c".
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

/// The names of a table's rows, as `suggestion` takes them.
template <typename Rows, typename Row, typename Name>
std::vector<std::string> names_of(const Rows& rows, Name Row::*name) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.*name);
  return names;
}

/// "1 device", "3 devices", "0 devices". `many` is for irregular plurals: "2 batches".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

/// The texts or whole numbers with the separator between them.
template <typename Range>
std::string joined(const Range& parts, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) text += separator;
    first = false;
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  }
  return text;
}

/// Adds the part, after the separator unless the text is empty. Does nothing if the part is empty.
void add_part(std::string& text, std::string_view separator, std::string_view part);

/// "a, b and 3 more": the first `shown_max` texts, and the number of the others.
std::string shortened_list(const std::vector<std::string>& texts, std::size_t shown_max);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Lower case of an ASCII letter; other characters are unchanged.
char lower(char letter);

/// Whether two texts are equal without regard to the case of ASCII letters.
bool equal_ignoring_case(std::string_view one, std::string_view other);

/// Whether the word is in the text, without regard to the case of ASCII letters.
bool contains_ignoring_case(std::string_view text, std::string_view word);

/// `*` matches any run of characters, `?` one. Case-insensitive.
bool matches_glob(std::string_view text, std::string_view pattern);

/// Natural order, h2 before h10: runs of digits compare as numbers, everything else by bytes. Of
/// equal numbers the one with fewer digits is first. A strict total order.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace drover
