// Writes values as MessagePack into one string; structs.h writes structs.
//
// A field with its default value is omitted, as is a number that is not finite (unknown). This
// halves most messages, and the receiver's struct has the default already.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#ifndef MSGPACK_NO_BOOST
#define MSGPACK_NO_BOOST
#endif
#include <msgpack/pack.hpp>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/codec/fields.h"
#include "fleet/reason.h"

namespace drover::codec {

struct Output {
  std::string bytes;
  void write(const char* data, std::size_t size) { bytes.append(data, size); }
};
class Packer : public msgpack::packer<Output> {
 public:
  explicit Packer(Output& output) : packer(output), output_(output) {}
  /// Writes an integer when the number is one and small enough to be exact, else a float64.
  void pack_number(double value);

 private:
  Output& output_;
};

void write_text(Packer& packer, std::string_view text);
void write_binary(Packer& packer, std::string_view bytes);
/// Writes two words big-endian, in the order of the id's hexadecimal digits.
void write_id(Packer& packer, std::uint64_t high, std::uint64_t low);
/// The text as valid UTF-8, which MessagePack requires, cut between characters after at most
/// `bytes_max` bytes.
std::string fitting(std::string_view text, std::size_t bytes_max);

template <std::integral Integer>
void write(Packer& packer, Integer value, Plain) {
  if constexpr (std::unsigned_integral<Integer>) {
    packer.pack_uint64(value);
  } else {
    packer.pack_int64(value);
  }
}

inline void write(Packer& packer, bool value, Plain) {
  if (value) {
    packer.pack_true();
  } else {
    packer.pack_false();
  }
}

template <typename Enum>
requires std::is_enum_v<Enum>
void write(Packer& packer, Enum value, Plain) {
  packer.pack_uint8(static_cast<std::uint8_t>(value));
}

template <typename Rule>
void write(Packer& packer, double value, Rule) {
  packer.pack_number(value);
}

template <typename Rule>
void write(Packer& packer, Instant value, Rule) {
  packer.pack_int64(value.time_since_epoch().count());
}

template <typename Rule>
void write(Packer& packer, Duration value, Rule) {
  packer.pack_int64(value.count());
}

inline void write(Packer& packer, const JobId& id, Plain) { write_id(packer, id.high, id.low); }
inline void write(Packer& packer, const Incarnation& id, Plain) {
  write_id(packer, id.high, id.low);
}

inline void write(Packer& packer, const std::string& text, Name) { write_text(packer, text); }
inline void write(Packer& packer, const std::string& text, WholeText) { write_text(packer, text); }
inline void write(Packer& packer, const std::string& bytes, Bytes) { write_binary(packer, bytes); }
inline void write(Packer& packer, const std::string& text, FreeText rule) {
  write_text(packer, fitting(text, rule.bytes_max));
}

template <Structured T>
void write(Packer& packer, const T& value, Plain);

template <typename T>
void write(Packer& packer, const std::optional<T>& value, Plain rule) {
  write(packer, *value, rule);
}

template <typename T, typename ElementRule>
void write(Packer& packer, const std::vector<T>& values, UpTo<ElementRule> rule) {
  packer.pack_array(static_cast<std::uint32_t>(values.size()));
  for (const T& value : values) write(packer, value, rule.element);
}

void write(Packer& packer, const std::vector<std::uint16_t>& values, Packed);

template <typename ElementRule>
void write(Packer& packer, const std::map<std::string, std::string>& values,
           UpTo<ElementRule> rule) {
  packer.pack_map(static_cast<std::uint32_t>(values.size()));
  for (const auto& [key, value] : values) {
    write_text(packer, key);
    write(packer, value, rule.element);
  }
}

/// Keys are the names of the reasons, because many MessagePack readers reject numeric keys.
void write(Packer& packer, const std::map<Reason, std::uint64_t>& counts, Plain);

template <typename T>
bool worth_sending(const T& value, const T& unfilled_value) {
  return !(value == unfilled_value);
}
template <typename T>
bool worth_sending(const std::optional<T>& value, const std::optional<T>&) {
  return value.has_value();
}
inline bool worth_sending(double value, double unfilled_value) {
  return std::isfinite(value) && value != unfilled_value;
}

}  // namespace drover::codec
