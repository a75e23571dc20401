// Messages of every kind filled by dice through the codec's own tables, within every field's rule.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fleet/base/dice.h"
#include "fleet/codec/codec_messages.h"
#include "fleet/messages.h"

namespace drover::codec {

template <Structured T>
void fill(Dice& dice, T& value, Plain);

template <std::integral Integer>
void fill(Dice& dice, Integer& value, Plain) {
  switch (dice.below(4)) {
    case 0:
      value = std::numeric_limits<Integer>::min();
      break;
    case 1:
      value = std::numeric_limits<Integer>::max();
      break;
    case 2:
      value = static_cast<Integer>(dice.below(100));
      break;
    default:
      value = static_cast<Integer>(dice.bits());
      break;
  }
}

template <typename Enum>
requires std::is_enum_v<Enum>
void fill(Dice& dice, Enum& value, Plain) {
  value = static_cast<Enum>(dice.below(static_cast<std::uint64_t>(enumeration<Enum>.last) + 1));
}

inline void fill(Dice& dice, double& value, AboveZero) { value = std::exp(dice.normal(0, 20)); }
inline void fill(Dice& dice, double& value, Plain) {
  fill(dice, value, AboveZero{});
  if (dice.chance(0.3)) value = -value;
}
inline void fill(Dice& dice, Instant& value, Plain) {
  value = Instant{Duration{static_cast<std::int64_t>(dice.bits())}};
}
inline void fill(Dice& dice, Duration& value, FromZero) {
  value = Duration{static_cast<std::int64_t>(dice.bits() >> 1)};
}
inline void fill(Dice& dice, JobId& id, Plain) { id = draw_job_id(dice); }
inline void fill(Dice& dice, Incarnation& id, Plain) { id = draw_incarnation(dice); }

inline void fill(Dice& dice, std::string& value, Name) {
  constexpr std::string_view letters = "abcXYZ019._:-";
  value.resize(1 + dice.below(name_bytes_max));
  for (char& letter : value) letter = letters[dice.below(letters.size())];
}

inline std::string random_text(Dice& dice, std::size_t bytes_max) {
  const std::vector<std::string> pieces = {"a",
                                           "zz ",
                                           "\n",
                                           "\x1b[2J",
                                           "\xc3\xa9",
                                           "\xe2\x82\xac",
                                           "\xf0\x9f\x98\x80",
                                           std::string(1, '\0')};
  std::string text;
  const std::size_t wanted = dice.below(dice.chance(0.1) ? bytes_max : 60);
  while (text.size() < wanted) text += pieces[dice.below(pieces.size())];
  return text.size() <= bytes_max ? text : "";
}
inline void fill(Dice& dice, std::string& value, FreeText rule) {
  value = random_text(dice, rule.bytes_max);
}
inline void fill(Dice& dice, std::string& value, WholeText rule) {
  value = random_text(dice, rule.bytes_max);
}
inline void fill(Dice& dice, std::string& value, Bytes) {
  value.resize(dice.below(300));
  for (char& byte : value) byte = static_cast<char>(dice.bits());
}

template <typename T>
void fill(Dice& dice, std::optional<T>& value, Plain rule) {
  fill(dice, value.emplace(), rule);
}

template <typename T, typename ElementRule>
void fill(Dice& dice, std::vector<T>& values, UpTo<ElementRule> rule) {
  values.resize(dice.below(std::min<std::size_t>(rule.count_max, 5) + 1));
  for (T& value : values) fill(dice, value, rule.element);
}

inline void fill(Dice& dice, std::vector<std::uint16_t>& values, Packed) {
  values.resize(dice.below(40));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(7 * i);
}

inline void fill(Dice& dice, std::map<std::string, std::string>& values, UpTo<FreeText> rule) {
  const std::size_t count = dice.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    std::string key;
    fill(dice, key, Name{});
    fill(dice, values[key], rule.element);
  }
}

inline void fill(Dice& dice, std::map<Reason, std::uint64_t>& counts, Plain) {
  for (int reason = 0; reason < reason_count; ++reason) {
    if (dice.chance(0.2)) counts[static_cast<Reason>(reason)] = dice.bits();
  }
}

template <Structured T>
void fill(Dice& dice, T& value, Plain) {
  [[maybe_unused]] const auto fill_one = [&](const auto& field) {
    if (dice.chance(0.8)) fill(dice, value.*field.member, field.rule);
  };
  std::apply([&](const auto&... fields) { (fill_one(fields), ...); }, layout<T>.fields);
  // Columns and rows have to agree with each other.
  if constexpr (std::is_same_v<T, SampleBatch>) {
    std::vector<Sample> rows(value.devices.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row].device = value.devices[row];
      for (double& number : rows[row].values) {
        if (dice.chance(0.9)) number = dice.uniform(0, 1000);
      }
    }
    value = pack(value.host, rows);
  }
}

template <std::size_t... kinds>
Message random_message(Dice& dice, std::size_t kind, std::index_sequence<kinds...>) {
  Message message;
  const auto make = [&]<std::size_t one>() {
    if (one == kind) fill(dice, message.emplace<one>(), plain);
  };
  (make.template operator()<kinds>(), ...);
  return message;
}

inline constexpr std::size_t kind_count = std::variant_size_v<AnyMessage>;

inline Envelope random_envelope(Dice& dice, std::size_t kind) {
  Envelope envelope;
  fill(dice, envelope.sender, Name{});
  fill(dice, envelope.sequence, plain);
  fill(dice, envelope.at, plain);
  envelope.body = random_message(dice, kind, std::make_index_sequence<kind_count>());
  return envelope;
}

}  // namespace drover::codec
