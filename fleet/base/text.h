// Text from outside, made safe; and "did you mean".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

/// What may be shown to a person: valid UTF-8 of printable characters. C0 becomes `^X`; DEL, C1,
/// bidirectional and other format characters, unpaired surrogates and broken bytes become `\u{..}`
/// or
/// `\x..`. Idempotent on its own output.
std::string printable(std::string_view text);

/// The beginning of a text from outside as a message shows it: printable, and cut after so many
/// bytes, which `..` says.
std::string excerpt(std::string_view text, std::size_t bytes_max = 40);

/// Whether the text is valid UTF-8 throughout (shortest forms, no surrogates: RFC 3629).
bool is_utf8(std::string_view text);

/// The text with every byte that is no part of a character replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Columns that the text takes in a terminal (wide East Asian characters take two).
std::size_t column_width(std::string_view text);

/// Up to three of `known` nearest to `word`, nearest first, ties in given order: those a
/// few edits away, else those that begin like it. Empty when nothing is near.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean h100-sxm or h100-pcie?" or, where nothing is near, "; known: a, b, c".
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

/// "1 device", "3 devices", "0 devices"; `many` where an s does not do: "2 batches".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);

/// `*` matches any run of characters, `?` one; letters match without regard to case.
bool matches_glob(std::string_view text, std::string_view pattern);

}  // namespace drover
