// Reads values from MessagePack; structs.h reads structs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/codec/fields.h"
#include "fleet/codec/reader.h"
#include "fleet/reason.h"

namespace drover::codec {

bool read_name(Reader& reader, std::string& value, Name rule);
bool read_id(Reader& reader, std::uint64_t& high, std::uint64_t& low);
bool read_text(Reader& reader, std::size_t bytes_max, std::string& value);

template <std::integral Integer>
bool read(Reader& reader, Integer& value, Plain) {
  return reader.integer(value);
}

template <typename Enum>
requires std::is_enum_v<Enum>
bool read(Reader& reader, Enum& value, Plain) {
  std::uint8_t number = 0;
  if (!reader.integer<std::uint8_t>(number, 0, static_cast<std::uint8_t>(enumeration<Enum>.last))) {
    return false;
  }
  value = static_cast<Enum>(number);
  return true;
}

inline bool read(Reader& reader, bool& value, Plain) { return reader.boolean(value); }
inline bool read(Reader& reader, double& value, Plain) { return reader.number(value); }
bool read(Reader& reader, double& value, StrictlyPositive);
bool read(Reader& reader, Instant& value, Plain);
bool read(Reader& reader, Duration& value, NonNegative);

inline bool read(Reader& reader, JobId& id, Plain) { return read_id(reader, id.high, id.low); }
inline bool read(Reader& reader, Incarnation& id, Plain) {
  return read_id(reader, id.high, id.low);
}

inline bool read(Reader& reader, std::string& value, Name rule) {
  return read_name(reader, value, rule);
}
inline bool read(Reader& reader, std::string& value, FreeText rule) {
  return read_text(reader, rule.bytes_max, value);
}
inline bool read(Reader& reader, std::string& value, WholeText rule) {
  return read_text(reader, rule.bytes_max, value);
}
bool read(Reader& reader, std::string& value, Bytes rule);

template <Structured T>
bool read(Reader& reader, T& value, Plain);

template <typename T>
bool read(Reader& reader, std::optional<T>& value, Plain rule) {
  return read(reader, value.emplace(), rule);
}

template <typename T, typename ElementRule>
bool read(Reader& reader, std::vector<T>& values, UpTo<ElementRule> rule) {
  std::size_t count = 0;
  if (!reader.array(rule.count_max, count) || !reader.take_memory(count * sizeof(T))) return false;
  values.clear();
  values.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    if (!read(reader, values.emplace_back(), rule.element)) {
      reader.within(index);
      return false;
    }
  }
  return true;
}

bool read(Reader& reader, std::vector<std::uint16_t>& values, Packed rule);
bool read(Reader& reader, std::map<std::string, std::string>& values, UpTo<FreeText> rule);
bool read(Reader& reader, std::map<Reason, std::uint64_t>& counts, Plain);

}  // namespace drover::codec
