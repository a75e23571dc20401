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

#include "fleet/base/random_stream.h"
#include "fleet/codec/messages.h"
#include "fleet/messages.h"

namespace drover::codec {

inline constexpr std::uint64_t codec_seed = 20261121;

template <Structured T>
void fill(RandomStream& random, T& value, Plain);

template <std::integral Integer>
void fill(RandomStream& random, Integer& value, Plain) {
  switch (random.below(4)) {
    case 0:
      value = std::numeric_limits<Integer>::min();
      break;
    case 1:
      value = std::numeric_limits<Integer>::max();
      break;
    case 2:
      value = static_cast<Integer>(random.below(100));
      break;
    default:
      value = static_cast<Integer>(random.bits());
      break;
  }
}

template <typename Enum>
requires std::is_enum_v<Enum>
void fill(RandomStream& random, Enum& value, Plain) {
  value = static_cast<Enum>(random.below(static_cast<std::uint64_t>(enumeration<Enum>.last) + 1));
}

inline void fill(RandomStream& random, double& value, StrictlyPositive) {
  value = std::exp(random.normal(0, 20));
}
inline void fill(RandomStream& random, double& value, Plain) {
  fill(random, value, StrictlyPositive{});
  if (random.chance(0.3)) value = -value;
}
inline void fill(RandomStream& random, Instant& value, Plain) {
  value = Instant{Duration{static_cast<std::int64_t>(random.bits())}};
}
inline void fill(RandomStream& random, Duration& value, NonNegative) {
  value = Duration{static_cast<std::int64_t>(random.bits() >> 1)};
}
inline void fill(RandomStream& random, JobId& id, Plain) { id = generate_job_id(random); }
inline void fill(RandomStream& random, Incarnation& id, Plain) {
  id = generate_incarnation(random);
}

inline void fill(RandomStream& random, std::string& value, Name) {
  constexpr std::string_view letters = "abcXYZ019._:-";
  value.resize(1 + random.below(name_bytes_max));
  for (char& letter : value) letter = letters[random.below(letters.size())];
}

inline std::string random_text(RandomStream& random, std::size_t bytes_max) {
  const std::vector<std::string> pieces = {"a",
                                           "zz ",
                                           "\n",
                                           "\x1b[2J",
                                           "\xc3\xa9",
                                           "\xe2\x82\xac",
                                           "\xf0\x9f\x98\x80",
                                           std::string(1, '\0')};
  std::string text;
  const std::size_t wanted = random.below(random.chance(0.1) ? bytes_max : 60);
  while (text.size() < wanted) text += pieces[random.below(pieces.size())];
  return text.size() <= bytes_max ? text : "";
}
inline void fill(RandomStream& random, std::string& value, FreeText rule) {
  value = random_text(random, rule.bytes_max);
}
inline void fill(RandomStream& random, std::string& value, WholeText rule) {
  value = random_text(random, rule.bytes_max);
}
inline void fill(RandomStream& random, std::string& value, Bytes) {
  value.resize(random.below(300));
  for (char& byte : value) byte = static_cast<char>(random.bits());
}

template <typename T>
void fill(RandomStream& random, std::optional<T>& value, Plain rule) {
  fill(random, value.emplace(), rule);
}

template <typename T, typename ElementRule>
void fill(RandomStream& random, std::vector<T>& values, UpTo<ElementRule> rule) {
  values.resize(random.below(std::min<std::size_t>(rule.count_max, 5) + 1));
  for (T& value : values) fill(random, value, rule.element);
}

inline void fill(RandomStream& random, std::vector<std::uint16_t>& values, Packed) {
  values.resize(random.below(40));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(7 * i);
}

inline void fill(RandomStream& random, std::map<std::string, std::string>& values,
                 UpTo<FreeText> rule) {
  const std::size_t count = random.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    std::string key;
    fill(random, key, Name{});
    fill(random, values[key], rule.element);
  }
}

inline void fill(RandomStream& random, std::map<Reason, std::uint64_t>& counts, Plain) {
  for (int reason = 0; reason < reason_count; ++reason) {
    if (random.chance(0.2)) counts[static_cast<Reason>(reason)] = random.bits();
  }
}

template <Structured T>
void fill(RandomStream& random, T& value, Plain) {
  [[maybe_unused]] const auto fill_one = [&](const auto& field) {
    if (random.chance(0.8)) fill(random, value.*field.member, field.rule);
  };
  layout<T>.visit_fields([&](const auto&... fields) { (fill_one(fields), ...); });
  // Columns and rows have to agree with each other.
  if constexpr (std::is_same_v<T, SampleBatch>) {
    std::vector<Sample> rows(value.devices.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row].device = value.devices[row];
      for (double& number : rows[row].values) {
        if (random.chance(0.9)) number = random.uniform(0, 1000);
      }
    }
    value = pack(value.host, rows);
  }
  if constexpr (std::is_same_v<T, ClassReport>) {
    value.first_bucket =
        static_cast<std::uint32_t>(random.below(class_bucket_count - value.buckets.size() + 1));
  }
  if constexpr (std::is_same_v<T, HistoryReply>) {
    value.bin = std::chrono::seconds(random.below(1000));
    for (HistorySeries& series : value.series) series.values.assign(sizeof(float), 'v');
  }
}

template <std::size_t... kinds>
Message random_message(RandomStream& random, std::size_t kind, std::index_sequence<kinds...>) {
  Message message;
  const auto make = [&]<std::size_t one>() {
    if (one == kind) fill(random, message.emplace<one>(), plain);
  };
  (make.template operator()<kinds>(), ...);
  return message;
}

inline constexpr std::size_t kind_count = std::variant_size_v<AnyMessage>;

inline Envelope random_envelope(RandomStream& random, std::size_t kind) {
  Envelope envelope;
  fill(random, envelope.sender, Name{});
  fill(random, envelope.sequence, plain);
  fill(random, envelope.at, plain);
  envelope.body = random_message(random, kind, std::make_index_sequence<kind_count>());
  return envelope;
}

}  // namespace drover::codec
