// Envelopes written by hand, value by value, as no encoder of ours would write them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "fleet/codec/writer.h"
#include "fleet/messages.h"

namespace drover::codec {

/// "96 01 ff" as bytes; spaces and line ends do not count.
inline std::string from_hex(std::string_view text) {
  std::string bytes;
  std::string digits;
  for (const char character : text) {
    if (character == ' ' || character == '\n') continue;
    digits += character;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return bytes;
}

template <typename Write>
std::string packed(Write write_values) {
  Output output;
  Packer packer(output);
  write_values(packer);
  return output.bytes;
}

inline std::string text_value(std::string_view text) {
  return packed([&](Packer& packer) { write_text(packer, text); });
}
inline std::string binary_value(std::string_view bytes) {
  return packed([&](Packer& packer) { write_binary(packer, bytes); });
}
inline std::string number_value(std::int64_t number) {
  return packed([&](Packer& packer) { packer.pack_int64(number); });
}
inline std::string number_value(double number) {
  return packed([&](Packer& packer) { packer.pack_number(number); });
}
inline std::string list_value(std::initializer_list<std::string> values) {
  std::string bytes =
      packed([&](Packer& packer) { packer.pack_array(static_cast<std::uint32_t>(values.size())); });
  for (const std::string& value : values) bytes += value;
  return bytes;
}
/// Field names with their packed values.
inline std::string map_value(
    std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  std::string bytes =
      packed([&](Packer& packer) { packer.pack_map(static_cast<std::uint32_t>(fields.size())); });
  for (const auto& [name, value] : fields) bytes += text_value(name) + value;
  return bytes;
}

template <typename Body, std::size_t kind = 0>
constexpr std::size_t kind_of() {
  if constexpr (std::is_same_v<Body, std::variant_alternative_t<kind, AnyMessage>>) {
    return kind;
  } else {
    return kind_of<Body, kind + 1>();
  }
}

/// An envelope of this kind from "h1", number 7, at 1 ns, around a packed body.
template <typename Body>
std::string envelope_bytes(const std::string& body) {
  return list_value({number_value(std::int64_t{protocol_version}),
                     number_value(static_cast<std::int64_t>(kind_of<Body>())), text_value("h1"),
                     number_value(std::int64_t{7}), number_value(std::int64_t{1}), body});
}

}  // namespace drover::codec
